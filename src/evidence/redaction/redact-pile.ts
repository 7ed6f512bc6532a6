/** Redacts a pile: the members under redacted paths, and a list of what is left out. */
import { FormatError } from '../../base/errors.ts';
import { redactMemberPath, pathInBundle, storedName, uniquePath } from './member-path.ts';
import type { Redactor } from './redactor.ts';
import type { LeftOut } from '../bundle.ts';
import type { PileItem, PileMember } from '../pile.ts';
import { isLeftOutReason, NOT_READ, redactMember, type RedactedMember } from './redact-member.ts';
import { FileContent } from '../formats/file-content.ts';
import { UNRECOGNIZED_FILE } from '../../profile/formats/unrecognized.ts';
import { FORMATS, recogniseFormat, type StoredFormat } from '../formats/registry.ts';
import { readMember } from '../snapshots/read-member.ts';

interface RedactedItem extends RedactedMember {
  readonly kind: 'member';
  readonly path: string;
  /** The path that the user knows. */
  readonly originalPath: string;
}

interface LeftOutItem extends LeftOut {
  readonly kind: 'left-out';
  readonly originalPath: string;
}

export async function* redactPile(
  items: AsyncIterable<PileItem>,
  roots: readonly string[],
  redactor: Redactor,
): AsyncGenerator<RedactedItem | LeftOutItem> {
  const taken = new Set<string>();
  for await (const item of items) {
    const path = redactMemberPath(pathInBundle(item.path, roots), redactor);
    const leftOut = (reason: string): LeftOutItem => ({ kind: 'left-out', path, originalPath: item.path, reason });
    if (item.kind === 'problem') {
      // The message may quote the file.
      yield leftOut(NOT_READ);
      continue;
    }
    try {
      const redacted = redactMember(item.bytes, redactor, item.mtimeSeconds);
      const unique = uniquePath(storedName(path, redacted.format), taken);
      taken.add(unique);
      yield { kind: 'member', ...redacted, path: unique, originalPath: item.path };
    } catch (error) {
      if (!(error instanceof FormatError)) throw error;
      yield leftOut(isLeftOutReason(error.message) ? error.message : NOT_READ);
    }
  }
}

/** The redacted members as a pile, with the times of their files. */
export async function* redactedItems(
  items: AsyncIterable<PileItem>,
  roots: readonly string[],
  redactor: Redactor,
): AsyncGenerator<PileItem> {
  const times = new Map<string, number | undefined>();
  const timed = async function* (): AsyncGenerator<PileItem> {
    for await (const item of items) {
      if (item.kind === 'member') times.set(item.path, item.mtimeSeconds);
      yield item;
    }
  };
  for await (const item of redactPile(timed(), roots, redactor)) {
    if (item.kind === 'left-out') continue;
    const { path, bytes, originalPath } = item;
    yield { kind: 'member', path, bytes, mtimeSeconds: times.get(originalPath), damage: undefined };
  }
}

/** Keeps a pile as it is, for `--no-redact`. */
export async function* keepPile(
  items: AsyncIterable<PileItem>,
  roots: readonly string[],
  includeUnknown: boolean,
): AsyncGenerator<RedactedItem | LeftOutItem> {
  const taken = new Set<string>();
  for await (const item of items) {
    const path = pathInBundle(item.path, roots);
    const leftOut = (reason: string): LeftOutItem => ({ kind: 'left-out', path, originalPath: item.path, reason });
    if (item.kind === 'problem') {
      yield leftOut(item.message);
      continue;
    }
    const format = formatOf(item);
    if (format === undefined && !includeUnknown) {
      yield leftOut(`${UNRECOGNIZED_FILE}; --include-unknown includes it`);
      continue;
    }
    const unique = uniquePath(storedName(path, format ?? 'other'), taken);
    taken.add(unique);
    yield { kind: 'member', path: unique, originalPath: item.path, format: format ?? 'other', bytes: item.bytes };
  }
}

/** Undefined when no format reads it. A damaged profile is kept: parts of it may still be useful. */
export function formatOf(member: PileMember): StoredFormat | undefined {
  const format = recogniseFormat(new FileContent(member.bytes));
  if (format === undefined) return undefined;
  try {
    if (format !== 'pprof') readMember(member);
    return FORMATS[format].storedAs;
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    return undefined;
  }
}
