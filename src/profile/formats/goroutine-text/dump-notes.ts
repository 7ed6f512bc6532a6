/** What a user should know about a dump that is cut or partly unreadable, a sentence each. */
import type { GoroutineDump } from '../../goroutine-dump.ts';

export function dumpNotes({ truncated, problemCount, problems }: GoroutineDump): string[] {
  const notes: string[] = [];
  if (truncated !== undefined) {
    const lost =
      truncated.lostGoroutines === undefined
        ? 'what came after is lost'
        : `${truncated.lostGoroutines} goroutines lost`;
    const limit = truncated.reason === 'size-limit' ? ', at the 64 MiB where net/http/pprof stops' : '';
    notes.push(`the dump is cut at line ${truncated.line} (byte ${truncated.offset})${limit}: ${lost}`);
  }
  if (problemCount > 0) {
    const [first] = problems;
    notes.push(`${problemCount} lines could not be read, the first is line ${first.line}: ${first.kind} expected`);
  }
  return notes;
}

/** How a dump was cut, in words; undefined when it is whole. */
export function truncationOf(dump: GoroutineDump | undefined): string | undefined {
  const cut = dump?.truncated;
  if (cut === undefined) return undefined;
  const lost = cut.lostGoroutines === undefined ? '' : `, ${cut.lostGoroutines} goroutines lost`;
  const why = cut.reason === 'size-limit' ? 'at 64 MiB, where net/http/pprof stops' : `at line ${cut.line}`;
  return `cut ${why}${lost}`;
}
