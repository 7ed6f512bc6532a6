/**
 * A heap or allocs profile of Go at debug=1, with what pprof's own reader throws away: symbols and MemStats.
 *
 *     const { profile, memStats } = readHeapText(bytes);
 *
 * Values are scaled up from the sample, as pprof does. Rows come in any order: it changed between Go releases.
 */
import type { MemStats } from '../mem-stats.ts';
import type { Profile } from '../profile.ts';
import { isContentionTitle, newContentionDraft, readContentionHeader, readContentionRow } from './legacy/contention.ts';
import { UnrecognizedProfileError } from './unrecognized.ts';
import { hasAsciiAt, indexOfAscii, trimStart } from './legacy/go-space.ts';
import { parseHeapHeader } from './legacy/heap-header.ts';
import { readHeapRow } from './legacy/heap-row.ts';
import { newHeapDraft } from './legacy/heap.ts';
import { LineScanner } from './legacy/line-scanner.ts';
import { readAdditionalSections } from './legacy/memory-map.ts';
import { MEM_STATS_TITLE, MemStatsReader } from './mem-stats-lines.ts';
import { markSymbolized, SymbolLines } from './symbol-lines.ts';

export interface HeapText {
  readonly profile: Profile;
  readonly memStats?: MemStats;
}

/** Whether a file that begins like this is Go's heap profile at debug=1. */
export function sniffHeapText(head: Uint8Array): boolean {
  let end = head.indexOf(10);
  if (end < 0) end = head.length;
  return hasAsciiAt(head, 'heap profile: ', 0, end) && indexOfAscii(head, '] @ heap/', 0, end) > 0;
}

export function readHeapText(bytes: Uint8Array): HeapText {
  const lines = new LineScanner(bytes);
  const isThere = lines.scan();
  lines.check();
  const header = isThere ? parseHeapHeader(bytes, lines.start, lines.end) : undefined;
  if (header === undefined) throw new UnrecognizedProfileError({ line: 1 });
  const draft = newHeapDraft(header);
  const symbols = new SymbolLines(bytes, draft);
  let memStats: MemStatsReader | undefined;
  while (lines.scan()) {
    const start = trimStart(bytes, lines.start, lines.end);
    if (start === lines.end) continue;
    if (bytes[start] === 0x23) {
      if (memStats !== undefined) memStats.add(lines.text);
      else if (hasAsciiAt(bytes, MEM_STATS_TITLE, start, lines.end)) memStats = new MemStatsReader();
      else symbols.add(start, lines.end);
      continue;
    }
    if (lines.isMemoryMapSentinel) break;
    symbols.attach();
    readHeapRow(lines, draft, header);
  }
  lines.check();
  symbols.attach();
  readAdditionalSections(lines, draft);
  markSymbolized(draft);
  const profile = draft.finish();
  return memStats === undefined ? { profile } : { profile, memStats: memStats.stats };
}

/**
 * Go's mutex and block profiles at debug=1, with the symbols that pprof's own reader throws away. Whether a file that
 * begins like this is Go's mutex or block profile at debug=1.
 */
export function sniffContentionText(head: Uint8Array): boolean {
  return hasAsciiAt(head, '--- mutex:', 0, head.length) || hasAsciiAt(head, '--- contention:', 0, head.length);
}

interface ContentionText {
  readonly profile: Profile;
  readonly contention: 'mutex' | 'block';
}

export function readContentionText(bytes: Uint8Array): ContentionText {
  const lines = new LineScanner(bytes);
  const unrecognized = (): UnrecognizedProfileError => new UnrecognizedProfileError({ line: lines.line });
  const isThere = lines.scan();
  lines.check();
  if (!isThere || !isContentionTitle(bytes, lines.start, lines.end)) throw unrecognized();
  const header = readContentionHeader(lines);
  if (header === undefined) throw unrecognized();
  const draft = newContentionDraft(header);
  const symbols = new SymbolLines(bytes, draft);
  do {
    const start = trimStart(bytes, lines.start, lines.end);
    if (start === lines.end) continue;
    if (bytes[start] === 0x23) {
      symbols.add(start, lines.end);
      continue;
    }
    if (hasAsciiAt(bytes, '---', start, lines.end)) break;
    symbols.attach();
    if (!readContentionRow(lines, draft, header)) throw unrecognized();
  } while (lines.scan());
  lines.check();
  symbols.attach();
  readAdditionalSections(lines, draft);
  markSymbolized(draft);
  return { profile: draft.finish(), contention: hasAsciiAt(bytes, '--- mutex:', 0, bytes.length) ? 'mutex' : 'block' };
}
