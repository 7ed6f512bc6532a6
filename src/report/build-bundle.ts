/**
 * `oakum bundle`: packs a pile of evidence into one archive.
 *
 *     pile -> redact each member -> analyse what is left -> search it for every original -> archive
 *
 * It fails closed: when a member cannot be read again, or an original is found anywhere, nothing is written.
 */
import { encodeText } from '../base/text.ts';
import { privateModules } from '../evidence/redaction/code-names.ts';
import { MIN_ANYWHERE_BYTES, hasOriginal, planSearch, type SearchPlan } from '../evidence/redaction/find-originals.ts';
import { Redactor } from '../evidence/redaction/redactor.ts';
import type { Analysis, Finding } from '../judge/analysis.ts';
import {
  BUNDLE_MANIFEST,
  type BundleManifest,
  type LeftOut,
  type ArchiveMember,
  type EvidenceArchive,
  type BundlePorts,
} from '../evidence/bundle.ts';
import type { KnownLeak } from '../knowledge/known-leak.ts';
import type { PileItem } from '../evidence/pile.ts';
import { analyzePile } from '../judge/process/analyze-pile.ts';
import { familiesOf } from '../evidence/snapshots/families-of.ts';
import { readPile, type Pile } from '../evidence/snapshots/read-pile.ts';
import { keepPile, redactPile } from '../evidence/redaction/redact-pile.ts';
import type { StoredFormat } from '../evidence/formats/registry.ts';

export interface BundleRequest {
  /** The evidence; it is read twice. */
  readonly items: () => AsyncIterable<PileItem>;
  /** The paths that the user gave. */
  readonly roots: readonly string[];
  /** Where the bundle is written. An earlier bundle there is not evidence. */
  readonly output: string;
  readonly redact: boolean;
  /** Only without redaction. */
  readonly includeUnknown: boolean;
  /** Patterns like those of GOPRIVATE. */
  readonly privateModules: readonly string[];
  readonly catalogue: readonly KnownLeak[];
  readonly oakumVersion: string;
}

export type BundleResult =
  | {
      readonly kind: 'made';
      readonly bytes: Uint8Array;
      readonly manifest: BundleManifest;
      /** Under their original names, for the user who made the bundle. */
      readonly leftOut: readonly LeftOut[];
    }
  | { readonly kind: 'empty'; readonly leftOut: readonly LeftOut[] }
  | { readonly kind: 'refused'; readonly problem: string };

interface Stored {
  readonly path: string;
  readonly originalPath: string;
  readonly format: StoredFormat;
  /** Compressed. Profiles stay so; the rest only until all members are read. */
  readonly packed: Uint8Array;
  readonly mtimeSeconds: number;
}

export async function buildBundle(request: BundleRequest, ports: BundlePorts): Promise<BundleResult> {
  const { archive, digests } = ports;
  const original = await readPile(evidence(request), { families: familiesOf, keepStacks: false });
  const fileTimes = timesOfFiles(original);
  const redactor = new Redactor(digests.keyedHash, { isPrivate: privateModules(request.privateModules) });
  const stored: Stored[] = [];
  const leftOut: (LeftOut & { readonly originalPath: string })[] = [];
  const items = request.redact
    ? redactPile(evidence(request), request.roots, redactor)
    : keepPile(evidence(request), request.roots, request.includeUnknown);
  for await (const item of items) {
    if (item.kind === 'left-out') leftOut.push(item);
    else {
      const { path, originalPath, format } = item;
      const mtimeSeconds = fileTimes.get(originalPath) ?? 0;
      const packed = archive.gzip(item.bytes, format === 'pprof' ? 'best' : 'fast');
      stored.push({ path, originalPath, format, packed, mtimeSeconds });
    }
  }
  const ownNames = leftOut.map(({ originalPath, reason }) => ({ path: originalPath, reason }));
  if (stored.length === 0) return { kind: 'empty', leftOut: ownNames };
  stored.sort((a, b) => (a.path < b.path ? -1 : 1));

  const again = await readPile(storedItems(stored, archive), { families: familiesOf, keepStacks: false });
  const unread = stored.find(({ path }) => again.unread.some(one => one.path === `bundle/${path}`));
  if (unread !== undefined && request.redact) {
    return { kind: 'refused', problem: `${unread.originalPath} cannot be read after redaction` };
  }
  const analysis = analyzePile(again, { catalogue: request.catalogue });
  const before = analyzePile(original, { catalogue: request.catalogue });
  const same = sameFindings(before, analysis, request.privateModules.length === 0);

  const plan = planSearch(redactor);
  const found = request.redact
    ? stored.find(one => hasOriginal(archive.gunzip(one.packed), one.format, plan))
    : undefined;
  if (found !== undefined) return refused(found.originalPath);
  const members = stored.map(one => ({ format: one.format, ...toMember(one, archive) }));
  const manifest: BundleManifest = {
    schema: 'oakum.bundle/v1',
    oakumVersion: request.oakumVersion,
    catalogue: {
      entries: request.catalogue.length,
      sha256: digests.sha256(encodeText(JSON.stringify(request.catalogue))),
    },
    redaction: request.redact ? redactionOf(redactor, plan) : null,
    analysis: { ...summaryOf(analysis), sameAsOriginals: same },
    files: members.map(({ path, format, bytes }) => ({
      path,
      format,
      bytes: bytes.length,
      sha256: digests.sha256(bytes),
    })),
    leftOut: leftOut.map(({ path, reason }) => ({ path, reason })),
  };
  const manifestBytes = encodeText(`${JSON.stringify(manifest, undefined, 1)}\n`);
  const bytes = await archive.pack([{ path: BUNDLE_MANIFEST, bytes: manifestBytes, mtimeSeconds: 0 }, ...members]);
  if (request.redact) {
    if (plan.search.find(manifestBytes) !== undefined) return refused(BUNDLE_MANIFEST);
    const whole = [bytes, archive.gunzip(bytes)];
    if (whole.some(one => plan.search.find(one, MIN_ANYWHERE_BYTES) !== undefined))
      return refused('the archive itself');
  }
  return { kind: 'made', bytes, manifest, leftOut: ownNames };
}

async function* evidence({ items, output }: BundleRequest): AsyncGenerator<PileItem> {
  for await (const item of items()) {
    if (item.path !== output && !item.path.startsWith(`${output}/`)) yield item;
  }
}

/** Names the member, but not the name in it. */
function refused(place: string): BundleResult {
  return { kind: 'refused', problem: `${place} still holds a name after redaction; nothing was written` };
}

/** Times that only the file system knows must be kept. */
function timesOfFiles({ snapshots }: Pile): ReadonlyMap<string, number> {
  const times = new Map<string, number>();
  for (const { path, takenAtFrom, takenAtSeconds } of snapshots) {
    if (takenAtFrom === 'file' && takenAtSeconds !== undefined) times.set(path, takenAtSeconds);
  }
  return times;
}

async function* storedItems(stored: readonly Stored[], archive: EvidenceArchive): AsyncGenerator<PileItem> {
  for (const { path, packed, mtimeSeconds } of stored) {
    yield { kind: 'member', path: `bundle/${path}`, bytes: archive.gunzip(packed), mtimeSeconds, damage: undefined };
  }
}

function toMember({ path, format, packed, mtimeSeconds }: Stored, archive: EvidenceArchive): ArchiveMember {
  return { path, bytes: format === 'pprof' ? packed : archive.gunzip(packed), mtimeSeconds };
}

function redactionOf(redactor: Redactor, plan: SearchPlan): BundleManifest['redaction'] {
  const originals: Record<string, number> = {};
  for (const kind of redactor.originals.values()) originals[kind] = (originals[kind] ?? 0) + 1;
  return {
    originals,
    replacements: Object.fromEntries(redactor.replacements),
    searched: plan.searched,
    notSearched: plan.notSearched,
  };
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

/**
 * Whether two analyses have the same findings, whatever the names of the targets.
 *
 * `withIds` is false if names of code were hidden too, since that changes the ids of families.
 */
function sameFindings(a: Analysis, b: Analysis, withIds: boolean): boolean {
  const summary = ({ verdict, findings }: Analysis): string =>
    JSON.stringify([verdict, findings.map(finding => findingSummary(finding, withIds)).sort()]);
  return summary(a) === summary(b);
}

function findingSummary(finding: Finding, withIds: boolean): string {
  const { resource, verdict, family, count, bytes, growth, matches } = finding;
  const known = matches.map(({ id, grade, affected }) => [id, grade, affected]);
  return JSON.stringify([resource, verdict, withIds ? family.id : '', count, bytes, growth, known]);
}
