/** Keeps a pile as it is, for `--no-redact`. */
import { FormatError } from '../base/errors.ts';
import { FileContent } from './formats/file-content.ts';
import { UNRECOGNIZED_FILE } from '../profile/formats/unrecognized.ts';
import { FORMATS, recogniseFormat, type StoredFormat } from './formats/registry.ts';
import type { PileItem, PileMember } from './pile.ts';
import { readMember } from './snapshots/read-member.ts';
import type { LeftOutItem, RedactedItem } from './redaction/redact-pile.ts';
import { pathInBundle, storedName, uniquePath } from './redaction/stored-name.ts';

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
function formatOf(member: PileMember): StoredFormat | undefined {
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
