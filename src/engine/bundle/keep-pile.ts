/** A pile as it is, for `--no-redact`. */
import { FormatError } from '../../base/errors.ts';
import { looksLikeProto } from '../../formats/pprof/sniff.ts';
import type { PileItem, PileMember } from '../../model/pile.ts';
import { readMember } from '../../evidence/snapshots/read-member.ts';
import type { LeftOutItem, RedactedItem } from '../../redaction/redact-pile.ts';
import { pathInBundle, storedName, type StoredFormat, uniquePath } from '../../redaction/stored-name.ts';

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
      yield leftOut('of an unknown kind; --include-unknown takes it along');
      continue;
    }
    const unique = uniquePath(storedName(path, format === 'pprof'), taken);
    taken.add(unique);
    yield { kind: 'member', path: unique, originalPath: item.path, format: format ?? 'other', bytes: item.bytes };
  }
}

function formatOf(member: PileMember): StoredFormat | undefined {
  if (looksLikeProto(member.bytes)) return 'pprof';
  try {
    const [{ kind, format }] = readMember(member);
    if (kind === 'unknown') return undefined;
    return kind === 'metrics'
      ? 'metrics'
      : (TEXT_FORMATS as readonly string[]).includes(format)
        ? (format as StoredFormat)
        : 'other';
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    return undefined;
  }
}

const TEXT_FORMATS = ['debug1', 'debug2', 'heap-text', 'contention-text', 'version'] as const;
