/**
 * `oakum bundle`: packs a pile of evidence into one archive.
 *
 *     pile -> redact each member -> analyse what is left -> search it for every original -> archive
 *
 * It fails closed: a member that cannot be read again, or in which an original is found, is left out and listed; when one
 * is found in the archive all the same, nothing is written.
 */
import { FormatError } from '../base/errors.ts';
import { encodeText, isSameBytes } from '../base/text.ts';
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
import type { PileItem } from '../evidence/pile.ts';
import { analyzePile } from '../judge/process/analyze-pile.ts';
import { familiesOf } from '../evidence/snapshots/families-of.ts';
import { readPile, type Pile } from '../evidence/snapshots/read-pile.ts';
import { NAME_LEFT, redactMember, UNREADABLE } from '../evidence/redaction/redact-member.ts';
import { type BundleMaker, manifestOf, manifestText, memberItems } from './bundle-manifest.ts';
import { keepPile, redactPile } from '../evidence/redaction/redact-pile.ts';
import type { StoredFormat } from '../evidence/formats/registry.ts';

export interface BundleRequest extends BundleMaker {
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

interface LeftOutItem extends LeftOut {
  readonly originalPath: string;
}

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
  const leftOut: LeftOutItem[] = [];
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
  const ownNames = (): LeftOut[] => leftOut.map(({ originalPath, reason }) => ({ path: originalPath, reason }));
  if (stored.length === 0) return { kind: 'empty', leftOut: ownNames() };
  stored.sort((a, b) => (a.path < b.path ? -1 : 1));

  const sound = request.redact ? await withoutUnsound(stored, leftOut, redactor, ports) : stored;
  if (sound.length === 0) return { kind: 'empty', leftOut: ownNames() };
  const plan = planSearch(redactor);
  const members = sound.map(one => ({ format: one.format, ...toMember(one, archive) }));
  const manifest = await manifestOf(
    {
      members,
      redaction: request.redact ? redactionOf(redactor, plan) : null,
      sameAsOriginals: await isSameAsOriginals(request, original, members, archive),
      leftOut: leftOut.map(({ path, reason }) => ({ path, reason })),
    },
    request,
    ports,
  );
  const manifestBytes = encodeText(manifestText(manifest));
  const bytes = await archive.pack([{ path: BUNDLE_MANIFEST, bytes: manifestBytes, mtimeSeconds: 0 }, ...members]);
  if (request.redact) {
    if (plan.search.find(manifestBytes) !== undefined) return refused(BUNDLE_MANIFEST);
    const whole = [bytes, archive.gunzip(bytes)];
    if (whole.some(one => plan.search.find(one, MIN_ANYWHERE_BYTES) !== undefined))
      return refused('the archive itself');
  }
  return { kind: 'made', bytes, manifest, leftOut: ownNames() };
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

/** Redacting it again changes nothing: whoever verifies the bundle does so. */
function isRedacted(content: Uint8Array, mtimeSeconds: number, redactor: Redactor): boolean {
  try {
    const { bytes } = redactMember(content, redactor, mtimeSeconds === 0 ? undefined : mtimeSeconds);
    return redactor.originals.size === 0 && isSameBytes(bytes, content);
  } catch (error) {
    if (error instanceof FormatError) return false;
    throw error;
  }
}

/**
 * A dump that other text was written into may be unreadable once that text is gone, or have a name left that is code in
 * one place and not in another. It stays here, listed, and the rest leaves.
 */
async function withoutUnsound(
  stored: readonly Stored[],
  leftOut: LeftOutItem[],
  redactor: Redactor,
  { archive, digests }: BundlePorts,
): Promise<readonly Stored[]> {
  const members = stored.map(one => ({ ...one, bytes: one.packed }));
  const { unread } = await readPile(memberItems(members, archive), { families: familiesOf, keepStacks: false });
  const plan = planSearch(redactor);
  return stored.filter(({ path, originalPath, packed, format, mtimeSeconds }) => {
    const content = archive.gunzip(packed);
    const isUnread =
      unread.some(one => one.path === `bundle/${path}`) ||
      !isRedacted(content, mtimeSeconds, new Redactor(digests.keyedHash));
    if (!isUnread && !hasOriginal(content, format, plan)) return true;
    leftOut.push({ path, originalPath, reason: isUnread ? UNREADABLE : NAME_LEFT });
    return false;
  });
}

async function isSameAsOriginals(
  { catalogue, privateModules: hidden }: BundleRequest,
  original: Pile,
  members: readonly ArchiveMember[],
  archive: EvidenceArchive,
): Promise<boolean> {
  const again = await readPile(memberItems(members, archive), { families: familiesOf, keepStacks: false });
  return sameFindings(analyzePile(original, { catalogue }), analyzePile(again, { catalogue }), hidden.length === 0);
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
