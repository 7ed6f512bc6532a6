/** The MANIFEST.json of a bundle, derived from its members: when it is made, and again when it is verified. */
import { encodeText } from '../base/text.ts';
import type { ArchiveMember, BundleManifest, BundlePorts, EvidenceArchive } from '../evidence/bundle.ts';
import type { StoredFormat } from '../evidence/formats/registry.ts';
import type { PileItem } from '../evidence/pile.ts';
import { familiesOf } from '../evidence/snapshots/families-of.ts';
import { readPile } from '../evidence/snapshots/read-pile.ts';
import type { Analysis } from '../judge/analysis.ts';
import { analyzePile } from '../judge/process/analyze-pile.ts';
import type { KnownLeak } from '../knowledge/known-leak.ts';

/** Which Oakum makes the bundle; another derives another manifest. */
export interface BundleMaker {
  readonly oakumVersion: string;
  readonly catalogue: readonly KnownLeak[];
}

export interface BundleContent extends Pick<BundleManifest, 'redaction' | 'leftOut'> {
  /** In the order of the archive. */
  readonly members: readonly (ArchiveMember & { readonly format: StoredFormat })[];
  readonly sameAsOriginals: boolean;
}

export async function manifestOf(
  { members, redaction, sameAsOriginals, leftOut }: BundleContent,
  maker: BundleMaker,
  { archive, digests }: BundlePorts,
): Promise<BundleManifest> {
  const pile = await readPile(memberItems(members, archive), { families: familiesOf, keepStacks: false });
  const analysis = analyzePile(pile, { catalogue: maker.catalogue });
  return {
    schema: 'oakum.bundle/v1',
    oakumVersion: maker.oakumVersion,
    catalogue: {
      entries: maker.catalogue.length,
      sha256: digests.sha256(encodeText(JSON.stringify(maker.catalogue))),
    },
    redaction,
    analysis: { ...summaryOf(analysis), sameAsOriginals },
    files: members.map(({ path, format, bytes }) => ({
      path,
      format,
      bytes: bytes.length,
      sha256: digests.sha256(bytes),
    })),
    leftOut,
  };
}

/** Byte by byte: a bundle is compared with it. */
export function manifestText(manifest: BundleManifest): string {
  return `${JSON.stringify(manifest, undefined, 1)}\n`;
}

/** Members as a pile, under the path that an analysis of the bundle gives them. */
export async function* memberItems(
  members: readonly Pick<ArchiveMember, 'path' | 'bytes' | 'mtimeSeconds'>[],
  archive: EvidenceArchive,
): AsyncGenerator<PileItem> {
  for (const { path, bytes, mtimeSeconds } of members)
    yield { kind: 'member', path: `bundle/${path}`, bytes: archive.gunzip(bytes), mtimeSeconds, damage: undefined };
}

function summaryOf({ verdict, sentence, findings }: Analysis): Omit<BundleManifest['analysis'], 'sameAsOriginals'> {
  return {
    verdict,
    sentence,
    findings: findings.map(finding => ({
      target: finding.target,
      resource: finding.resource,
      verdict: finding.verdict,
      family: finding.family.id,
      delta: finding.growth?.delta ?? null,
      matches: finding.matches.map(({ ref, grade }) => `${ref} ${grade}`),
    })),
  };
}
