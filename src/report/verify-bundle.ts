/**
 * `oakum bundle verify`: makes the bundle again of what is in it, and accepts it only if the same comes out, byte by
 * byte. So nothing can be in it that Oakum would not have written, whatever the place:
 *
 *     gzip       its header has no name, comment or extra field, and nothing follows it
 *     tar        the members in order, with no owner, link or pax record
 *     member     redacted again, it stays as it is; the same for its path
 *     manifest   derived from the members: files, digests, and the findings of an analysis
 *
 * What cannot be derived is a number, or a word of a fixed list: how often something was hidden, why something was left
 * out.
 */
import { FormatError } from '../base/errors.ts';
import { parseJson, recordOf, listOf, textOf } from '../base/json.ts';
import { decodeText, encodeText, isSameBytes } from '../base/text.ts';
import {
  readBundleManifest,
  BUNDLE_MANIFEST,
  type BundleIndex,
  type BundleManifest,
  type ArchiveMember,
  type BundlePorts,
} from '../evidence/bundle.ts';
import { FileContent } from '../evidence/formats/file-content.ts';
import type { StoredFormat } from '../evidence/formats/registry.ts';
import { storedName, redactMemberPath } from '../evidence/redaction/member-path.ts';
import { hasOnlyLogTimes, countArguments, redactMember, isLeftOutReason } from '../evidence/redaction/redact-member.ts';
import { formatOf } from '../evidence/redaction/redact-pile.ts';
import { REDACTION_KINDS, Redactor } from '../evidence/redaction/redactor.ts';
import { type BundleMaker, manifestOf, manifestText } from './bundle-manifest.ts';
import { jsonLine } from './json.ts';

export interface BundleCheck {
  /** undefined when it is missing or unreadable. */
  readonly manifest: BundleIndex | undefined;
  /** One line each; empty when the bundle is sound. */
  readonly problems: readonly string[];
}

export async function verifyBundle(bytes: Uint8Array, maker: BundleMaker, ports: BundlePorts): Promise<BundleCheck> {
  const { archive } = ports;
  const members: ArchiveMember[] = [];
  const problems: string[] = [];
  try {
    for await (const member of archive.unpack(bytes)) {
      if (members.some(({ path }) => path === member.path)) problems.push(`${member.path} is there twice`);
      if (!isPlainPath(member.path)) problems.push(`${member.path} is not a path inside the bundle`);
      members.push(member);
    }
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    return { manifest: undefined, problems: [...problems, error.describe()] };
  }
  const [first, ...files] = members;
  const claimed = parseJson(
    decodeText(members.find(({ path }) => path === BUNDLE_MANIFEST)?.bytes ?? new Uint8Array()),
  );
  const manifest = readBundleManifest(claimed);
  if (manifest === undefined) return { manifest, problems: [...problems, `no ${BUNDLE_MANIFEST} of a bundle in it`] };
  problems.push(...filesProblems(files, manifest, ports));
  if (problems.length > 0 || first?.path !== BUNDLE_MANIFEST) return { manifest, problems: orElse(problems, NOT_OURS) };
  if (!archive.isPlain(bytes) || !isSameBytes(archive.gunzip(await archive.pack(members)), archive.gunzip(bytes)))
    problems.push(NOT_OURS);
  if (manifest.oakumVersion !== maker.oakumVersion)
    problems.push(
      `it says that Oakum ${manifest.oakumVersion} made it, and this is ${maker.oakumVersion}: only the same version can tell whether it is as it was written`,
    );
  const formats = new Map(files.map(member => [member.path, checkedMember(member, manifest, ports, problems)]));
  if (problems.length > 0) return { manifest, problems };
  const derived = await derivedManifest(recordOf(claimed), files, formats, maker, ports);
  if (!isSameBytes(encodeText(manifestText(derived)), first.bytes)) problems.push(manifestProblem(claimed, derived));
  return { manifest, problems };
}

const NOT_OURS = 'the archive is not as Oakum writes it: something was added to it, or its files are in another order';

function orElse(problems: readonly string[], other: string): readonly string[] {
  return problems.length > 0 ? problems : [other];
}

function isPlainPath(path: string): boolean {
  return !path.startsWith('/') && !/\p{Cc}|\\/u.test(path) && !path.split('/').includes('..');
}

function filesProblems(files: readonly ArchiveMember[], { files: listed }: BundleIndex, ports: BundlePorts): string[] {
  const problems: string[] = [];
  const left = new Map(files.map(member => [member.path, member]));
  left.delete(BUNDLE_MANIFEST);
  for (const { path, bytes: size, sha256 } of listed) {
    const member = left.get(path);
    left.delete(path);
    if (member === undefined) problems.push(`${path} is missing`);
    else if (member.bytes.length !== size) problems.push(`${path} has ${member.bytes.length} bytes, not ${size}`);
    else if (ports.digests.sha256(member.bytes) !== sha256) problems.push(`${path} was changed: its SHA-256 differs`);
  }
  for (const path of left.keys()) problems.push(`${path} is not in the manifest`);
  return problems;
}

/** The format under which it is stored; what is wrong with the member goes to `problems`. */
function checkedMember(
  member: ArchiveMember,
  { isRedacted }: BundleIndex,
  { archive, digests }: BundlePorts,
  problems: string[],
): StoredFormat {
  const { path, mtimeSeconds } = member;
  try {
    const content = archive.gunzip(member.bytes);
    if (!isRedacted) {
      const item = { kind: 'member' as const, path, bytes: content, mtimeSeconds: undefined, damage: undefined };
      return formatOf(item) ?? 'other';
    }
    const redactor = new Redactor(digests.keyedHash);
    const redacted = redactMember(content, redactor, mtimeSeconds === 0 ? undefined : mtimeSeconds);
    const { format } = redacted;
    const name = storedName(redactMemberPath(path, redactor), format);
    const why = whyNotRedacted(content, redacted.bytes, format, redactor);
    if (why !== undefined) problems.push(`${path} ${why}`);
    else if (name !== path) problems.push(`${path} is not a path that Oakum gives`);
    else if (format === 'pprof' ? !archive.isPlain(member.bytes) : content !== member.bytes)
      problems.push(`${path} is not compressed as Oakum does it`);
    return format;
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    problems.push(`${path} cannot be read: ${error.describe()}`);
    return 'other';
  }
}

/** Redacting twice changes nothing, so anything that would change now was not redacted. */
function whyNotRedacted(
  content: Uint8Array,
  again: Uint8Array,
  format: StoredFormat,
  redactor: Redactor,
): string | undefined {
  const [kind] = redactor.originals.values();
  if (kind !== undefined) return `holds a ${kind} that is not redacted`;
  if ((format === 'debug1' || format === 'debug2') && countArguments(content) > 0)
    return 'holds the arguments of calls';
  const isLog = format !== 'pprof' && new FileContent(content).unprefixed.style !== undefined;
  if (isLog && !hasOnlyLogTimes(content)) return 'holds the prefixes of a log';
  return isSameBytes(content, again) ? undefined : 'holds text that redaction leaves out';
}

async function derivedManifest(
  { redaction, analysis, leftOut }: Record<string, unknown>,
  files: readonly ArchiveMember[],
  formats: ReadonlyMap<string, StoredFormat>,
  maker: BundleMaker,
  ports: BundlePorts,
): Promise<BundleManifest> {
  const members = files.map(member => ({ ...member, format: formats.get(member.path) ?? ('other' as const) }));
  const isRedacted = redaction !== null;
  return manifestOf(
    {
      members,
      redaction: isRedacted ? redactionIn(recordOf(redaction)) : null,
      sameAsOriginals: recordOf(analysis)['sameAsOriginals'] === true,
      leftOut: listOf(leftOut)
        .map(recordOf)
        .map(({ path, reason }) => ({ path: textOf(path), reason: textOf(reason) }))
        .map(one => (isRedacted ? leftOutIn(one, ports) : one)),
    },
    maker,
    ports,
  );
}

/** Numbers under names that there are. */
function redactionIn(claimed: Record<string, unknown>): NonNullable<BundleManifest['redaction']> {
  const count = (value: unknown): number => (Number.isSafeInteger(value) && Number(value) >= 0 ? Number(value) : 0);
  const counts = (value: unknown): Record<string, number> =>
    Object.fromEntries(
      Object.entries(recordOf(value)).flatMap(([kind, number]) =>
        (REDACTION_KINDS as readonly string[]).includes(kind) ? [[kind, count(number)]] : [],
      ),
    );
  const { originals, replacements, searched, notSearched } = claimed;
  return {
    originals: counts(originals),
    replacements: counts(replacements),
    searched: count(searched),
    notSearched: count(notSearched),
  };
}

/** What is none of ours comes out changed, so that the manifest differs. */
function leftOutIn({ path, reason }: { path: string; reason: string }, { digests }: BundlePorts) {
  const hidden = redactMemberPath(path, new Redactor(digests.keyedHash));
  return { path: hidden, reason: isLeftOutReason(reason) ? reason : '' };
}

function manifestProblem(claimed: unknown, derived: BundleManifest): string {
  const [was, is] = [recordOf(claimed), recordOf(derived)];
  const keys = [...new Set([...Object.keys(was), ...Object.keys(is)])];
  const odd = keys.filter(key => jsonLine(was[key] ?? null) !== jsonLine(is[key] ?? null));
  return odd.length === 0
    ? `${BUNDLE_MANIFEST} is not written as Oakum writes it`
    : `${BUNDLE_MANIFEST}: ${odd.join(', ')} ${odd.length === 1 ? 'is' : 'are'} not what follows from the files`;
}
