/**
 * `oakum bundle verify`: checks that a bundle is complete, matches its manifest, can be read, and contains nothing that
 * redaction would remove.
 */
import { FormatError } from '../base/errors.ts';
import { parseJson } from '../base/json.ts';
import { decodeText } from '../base/text.ts';
import {
  readBundleManifest,
  BUNDLE_MANIFEST,
  type BundleIndex,
  type ArchiveMember,
  type BundlePorts,
} from './bundle.ts';
import { FileContent } from './formats/file-content.ts';
import { hasOnlyLogTimes, countArguments, redactMember } from './redaction/redact-member.ts';
import { redactMemberPath } from './redaction/member-path.ts';
import { Redactor } from './redaction/redactor.ts';
import { readMember } from './snapshots/read-member.ts';

export interface BundleCheck {
  /** undefined when it is missing or unreadable. */
  readonly manifest: BundleIndex | undefined;
  /** One line each; empty when the bundle is sound. */
  readonly problems: readonly string[];
}

export async function verifyBundle(bytes: Uint8Array, ports: BundlePorts): Promise<BundleCheck> {
  const members = new Map<string, ArchiveMember>();
  const problems: string[] = [];
  try {
    for await (const member of ports.archive.unpack(bytes)) {
      if (members.has(member.path)) problems.push(`${member.path} is there twice`);
      if (!isPlainPath(member.path)) problems.push(`${member.path} is not a path inside the bundle`);
      members.set(member.path, member);
    }
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    return { manifest: undefined, problems: [...problems, error.describe()] };
  }
  const manifest = readBundleManifest(parseJson(decodeText(members.get(BUNDLE_MANIFEST)?.bytes ?? new Uint8Array())));
  if (manifest === undefined) return { manifest, problems: [...problems, `no ${BUNDLE_MANIFEST} of a bundle in it`] };
  members.delete(BUNDLE_MANIFEST);
  for (const { path, format, bytes: size, sha256 } of manifest.files) {
    const member = members.get(path);
    members.delete(path);
    if (member === undefined) problems.push(`${path} is missing`);
    else if (member.bytes.length !== size) problems.push(`${path} has ${member.bytes.length} bytes, not ${size}`);
    else if (ports.digests.sha256(member.bytes) !== sha256) problems.push(`${path} was changed: its SHA-256 differs`);
    else if (format !== 'other') problems.push(...contentProblems(member, manifest, ports));
  }
  for (const path of members.keys()) problems.push(`${path} is not in the manifest`);
  return { manifest, problems };
}

function isPlainPath(path: string): boolean {
  return !path.startsWith('/') && !/\p{Cc}|\\/u.test(path) && !path.split('/').includes('..');
}

function contentProblems({ path, bytes }: ArchiveMember, { isRedacted }: BundleIndex, ports: BundlePorts): string[] {
  try {
    const content = ports.archive.gunzip(bytes);
    if (!isRedacted) {
      readMember({ kind: 'member', path, bytes: content, mtimeSeconds: undefined, damage: undefined });
      return [];
    }
    // Redacting twice changes nothing, so anything that is hidden now is an original.
    const redactor = new Redactor(ports.digests.keyedHash);
    const { format } = redactMember(content, redactor);
    redactMemberPath(path, redactor);
    const [kind] = redactor.originals.values();
    if (kind !== undefined) return [`${path} holds a ${kind} that is not redacted`];
    const isDump = format === 'debug1' || format === 'debug2';
    if (isDump && countArguments(content) > 0) return [`${path} holds the arguments of calls`];
    const isLog = format !== 'pprof' && new FileContent(content).unprefixed.style !== undefined;
    return isLog && !hasOnlyLogTimes(content) ? [`${path} holds the prefixes of a log`] : [];
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    return [`${path} cannot be read: ${error.describe()}`];
  }
}
