/**
 * A heap or allocs profile of Go at debug=1, with what pprof's own reader throws away: symbols and MemStats.
 *
 *     const { profile, memStats } = readHeapText(bytes);
 *
 * Values are scaled up from the sample, as pprof does. Rows come in any order: it changed between Go releases.
 */
import { type MemStats, MEM_STATS_TITLE, MemStatsReader } from './mem-stats.ts';
import type { Profile } from '../profile.ts';
import { isContentionTitle, newContentionDraft, readContentionHeader, readContentionRow } from './legacy/contention.ts';
import { UnrecognizedProfileError } from './unrecognized.ts';
import { hasAsciiAt, indexOfAscii, trimStart, parseDecimal, skipDigits } from './legacy/go-strings.ts';
import { parseHeapHeader, newHeapDraft, readHeapRow } from './legacy/heap.ts';
import { LineScanner } from './legacy/line-scanner.ts';
import { readAdditionalSections } from './legacy/memory-map.ts';
import { decodeText } from '../../base/text.ts';
import type { Draft, DraftLine } from './legacy/draft.ts';
import { HexNumber, skipLowerHex } from './legacy/hex-addresses.ts';

interface HeapText {
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

/** PCs that may go without a line between two that have one. */
const WINDOW = 4;
/** `#` lines that may match no PC of their row before its symbols are given up. */
const MAX_STRAYS = 4;
/** More than a row of the longest line has PCs. */
const MAX_PENDING = 65536;

/** A line not yet decoded: most are of PCs whose symbols are known from an earlier row. */
interface SymbolLine {
  readonly lo: number;
  readonly hi: number;
  readonly start: number;
  readonly end: number;
}

/**
 * The symbols Go writes below each row at debug=1, leaf first:
 *
 *     0: 0 [1: 1152] @ 0x482cec 0x486ee7 0x51331e 0x48b3a1
 *     #	0x51331d	main.write+0xe7d		/src/main.go:94
 *
 * A row's PCs are return addresses; a `#` line has the address before, which is the location's. There are fewer lines
 * than PCs, because Go hides runtime functions at the leaf of heap stacks and runtime.goexit at the root; and there
 * can be more, because inlined functions share a PC. Frames that are hidden leave the stack, as they do when Go writes
 * the same profile as a protobuf, so that both give the same stacks.
 */
class SymbolLines {
  private readonly bytes: Uint8Array;
  private readonly draft: Draft;
  private readonly fnIndex = new Map<string, number>();
  private readonly number = new HexNumber();
  private pending: SymbolLine[] = [];

  constructor(bytes: Uint8Array, draft: Draft) {
    this.bytes = bytes;
    this.draft = draft;
  }

  /** Takes the line bytes[start, end) if it is a symbol line. */
  add(start: number, end: number): void {
    const { bytes, number } = this;
    if (this.pending.length === MAX_PENDING) return;
    const at = skipTabs(bytes, start + 1, end);
    if (at === start + 1 || bytes[at] !== 0x30 || bytes[at + 1] !== 0x78) return;
    const stop = skipLowerHex(bytes, at + 2, end);
    if (stop === at + 2 || !number.parse(bytes, at + 2, stop)) return;
    this.pending.push({ lo: number.lo, hi: number.hi, start: skipTabs(bytes, stop, end), end });
  }

  /** Gives the symbols taken since the last row to the draft's last sample. */
  attach(): void {
    const lines = this.pending;
    const sample = this.draft.sampleCount - 1;
    if (lines.length === 0 || sample < 0) return;
    this.pending = [];
    const { stack } = this.draft;
    const begin = this.draft.begin.items[sample];
    const end = this.draft.end.items[sample];
    let at = begin;
    let first = -1;
    let strays = 0;
    for (let j = 0; j < lines.length && at < end && strays < MAX_STRAYS;) {
      let next = j + 1;
      while (next < lines.length && lines[next].lo === lines[j].lo && lines[next].hi === lines[j].hi) next++;
      const found = this.findFrame(lines[j], at, first < 0 ? end : Math.min(end, at + WINDOW));
      if (found < 0) {
        strays++;
        j = next;
        continue;
      }
      if (first < 0) first = found;
      const frame = stack.items[found];
      let repeats = 1;
      while (found + repeats < end && stack.items[found + repeats] === frame) repeats++;
      // Recursion repeats the PC itself; what is left are functions inlined there.
      const perFrame = Math.max(1, Math.floor((next - j) / repeats));
      this.setLines(frame, lines, j, j + perFrame);
      at = found + Math.min(repeats, next - j);
      j = next;
    }
    if (first < 0) return;
    this.draft.begin.items[sample] = first;
    // Only runtime.goexit is hidden at the root; more PCs without lines are a capture that was cut.
    if (at === end - 1) this.draft.end.items[sample] = at;
  }

  private findFrame({ lo, hi }: SymbolLine, from: number, to: number): number {
    const { stack, addresses } = this.draft;
    const exact = addresses.find(lo, hi);
    // Go before 1.7 wrote the return address here too.
    const before = lo > 0 ? addresses.find(lo - 1, hi) : -1;
    for (let i = from; exact >= 0 && i < to; i++) if (stack.items[i] === exact) return i;
    for (let i = from; before >= 0 && i < to; i++) if (stack.items[i] === before) return i;
    return -1;
  }

  private setLines(frame: number, lines: readonly SymbolLine[], from: number, to: number): void {
    if (this.draft.lines.has(frame)) return;
    const symbols: DraftLine[] = [];
    for (let i = from; i < to; i++) {
      const { start, end } = lines[i];
      // A line without a function is of an address Go does not know.
      if (start < end) symbols.push(this.symbol(start, end));
    }
    if (symbols.length > 0) this.draft.lines.set(frame, symbols);
  }

  /** FUNC of `FUNC+0xOFFSET`, and FILE and LINE of `FILE:LINE`. */
  private symbol(start: number, end: number): DraftLine {
    const bytes = this.bytes;
    const nameEnd = tabAtOrAfter(bytes, start, end);
    const place = skipTabs(bytes, nameEnd, end);
    let plus = nameEnd;
    while (plus > start && bytes[plus] !== 0x2b) plus--;
    const name = decodeText(bytes, start, plus > start ? plus : nameEnd);
    let colon = end - 1;
    while (colon > place && bytes[colon] !== 0x3a) colon--;
    const hasLine = colon > place && colon + 1 < end && skipDigits(bytes, colon + 1, end) === end;
    const filename = decodeText(bytes, place, hasLine ? colon : end);
    const line = hasLine ? (parseDecimal(bytes, colon + 1, end) ?? 0) : 0;
    const key = `${name}\0${filename}`;
    let fn = this.fnIndex.get(key);
    if (fn === undefined) {
      fn = this.draft.functions.length;
      this.draft.functions.push({ name, filename });
      this.fnIndex.set(key, fn);
    }
    return { fn, line };
  }
}

/** Says on the mappings that their locations have symbols, as Go's protobuf does. */
function markSymbolized(draft: Draft): void {
  if (draft.lines.size === 0) return;
  draft.mappings = draft.mappings.map(mapping => ({
    ...mapping,
    hasFunctions: true,
    hasFilenames: true,
    hasLineNumbers: true,
    hasInlineFrames: true,
  }));
}

function skipTabs(bytes: Uint8Array, i: number, end: number): number {
  while (i < end && bytes[i] === 0x09) i++;
  return i;
}

function tabAtOrAfter(bytes: Uint8Array, i: number, end: number): number {
  while (i < end && bytes[i] !== 0x09) i++;
  return i;
}
