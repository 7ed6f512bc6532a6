/**
 * Goroutines read from text, in columns: one row per goroutine (debug=2), or per distinct stack and label set with a
 * count (debug=1).
 *
 *     goroutines   id  count  state  waitMinutes  flags ...        one row each
 *                  stack ----------> stacks      frameStart -> frames, leaf first
 *                  labels ---------> labelSets   start -> key, value          set 0 is empty
 *                  creator --------> frames      fn, file, line               -1 when not printed
 *                  ancestorStart --> ancestors   nearest first, each with its own stack
 *
 *     stacks       pcStart -> pcs                the row's program counters; debug=1 only
 *     sections     firstRow                      several dumps in one file: no goroutine id repeats within a section
 *
 * Stacks, frames, label sets and strings are interned: equal ones have equal indexes, so grouping goroutines is
 * counting by index. `strings[0]` is always ''.
 */

/** Bits of `GoroutineTable.flags`. */
export const goroutineFlags = {
  /** Found unreachable by the runtime's leak detector. */
  leaked: 1,
  /** The garbage collector was scanning its stack. */
  scan: 2,
  /** Blocked in a synctest bubble on something only the bubble can wake; Go 1.24 prints it as `(synctest)`. */
  durable: 4,
  lockedToThread: 8,
  stackUnavailable: 16,
  framesElided: 32,
  /** One of its lines could not be read, see `problems`; the others are here. */
  damaged: 64,
  /** The input ended inside it. */
  cut: 128,
} as const;

interface ThreadColumns {
  readonly gp: BigUint64Array;
  /** -1 for `m=nil`. */
  readonly m: Int32Array;
  readonly mp: BigUint64Array;
}

export interface GoroutineTable {
  readonly length: number;
  /** Always 1 in a debug=2 dump. */
  readonly count: Uint32Array;
  /** -1 if not printed (debug=1). A double, since ids pass 2^32 in long-lived processes. */
  readonly id: Float64Array;
  /** String index, without the suffixes that are flags; '' when not printed. */
  readonly state: Uint32Array;
  /** -1 if not printed. Too low by design: the clock starts at the first GC that sees the goroutine blocked. */
  readonly waitMinutes: Int32Array;
  readonly flags: Uint8Array;
  /** Synctest bubble (group in Go 1.24), 0 when none. */
  readonly bubble: Uint32Array;
  readonly labels: Uint32Array;
  readonly stack: Uint32Array;
  /** Frame index of the go statement that started it, -1 when not printed. */
  readonly creator: Int32Array;
  /** Goroutine that executed that statement, -1 if not printed. It may have ended long ago. */
  readonly creatorGoroutine: Float64Array;
  readonly ancestorStart: Uint32Array;
  /** Only if the dump prints `gp= m= mp=`. */
  readonly threads: ThreadColumns | undefined;
}

export interface StackTable {
  readonly length: number;
  readonly frameStart: Uint32Array;
  /** Frame indexes, leaf first. */
  readonly frames: Uint32Array;
  /** How many frames come before the elided ones, -1 when none were elided. */
  readonly elidedAt: Int32Array;
  /** How many frames were elided, 0 if not printed. */
  readonly elidedFrames: Uint32Array;
  readonly pcStart: Uint32Array;
  readonly pcs: BigUint64Array;
}

export interface FrameTable {
  readonly length: number;
  /** String index of the function; '' when unknown. */
  readonly fn: Uint32Array;
  readonly file: Uint32Array;
  readonly line: Uint32Array;
  /** 1 when the arguments were printed as `(...)`: inlined into the next frame. Never set in debug=1. */
  readonly inlined: Uint8Array;
  /** The pc of a debug=1 or cgo frame, else 0. */
  readonly pc: BigUint64Array;
  /** The pc's distance from the function's entry, debug=1 only. */
  readonly offset: Uint32Array;
}

/** Set `i` has the pairs start[i] .. start[i + 1], sorted by key. */
interface LabelSetTable {
  readonly length: number;
  readonly start: Uint32Array;
  readonly key: Uint32Array;
  readonly value: Uint32Array;
}

/** The goroutines that led to a goroutine, as GODEBUG=tracebackancestors prints them. */
export interface AncestorTable {
  readonly length: number;
  readonly id: Float64Array;
  readonly stack: Uint32Array;
  readonly creator: Int32Array;
  readonly creatorGoroutine: Float64Array;
}

export interface DumpSection {
  readonly firstRow: number;
  /** debug=1: the profile's name, e.g. `goroutine`, `threadcreate`; debug=2: `goroutine`. */
  readonly name: string;
  /** The total that the header states; debug=1 only. */
  readonly declaredTotal: number | undefined;
}

type TruncationReason =
  /** Exactly 64 MiB, which is where net/http/pprof stops. */
  | 'size-limit'
  | 'mid-line'
  /** It ends at the end of a line, but inside a goroutine. */
  | 'mid-goroutine'
  /** The counts add up to less than the header says. */
  | 'short-total'
  | 'empty';

export interface Truncation {
  readonly reason: TruncationReason;
  /** Where the last complete goroutine ends. */
  readonly offset: number;
  /** 1-based number of the line at which the input ended. */
  readonly line: number;
  /** What should have come next. */
  readonly expected: ProblemKind;
  /** How many goroutines are missing, when a total is known. */
  readonly lostGoroutines?: number;
}

export type ProblemKind =
  | 'goroutine header'
  | 'header attribute'
  | 'function call'
  | 'file:line ref'
  | 'profile header'
  | 'profile row'
  | 'profile frame'
  | 'labels'
  | 'total'
  | 'anything';

/** A line that could not be read. */
export interface DumpProblem {
  readonly line: number;
  readonly kind: ProblemKind;
  /** The line's text, shortened. */
  readonly text: string;
}

export interface GoroutineDump {
  readonly format: 'debug1' | 'debug2';
  readonly sections: readonly DumpSection[];
  readonly goroutines: GoroutineTable;
  readonly stacks: StackTable;
  readonly frames: FrameTable;
  readonly labelSets: LabelSetTable;
  readonly ancestors: AncestorTable;
  readonly strings: readonly string[];
  readonly truncated: Truncation | undefined;
  /** The first problems; `problemCount` counts them all. */
  readonly problems: readonly DumpProblem[];
  readonly problemCount: number;
}

/** How many goroutines the rows represent. */
export function goroutineCount(dump: GoroutineDump): number {
  const { count, length } = dump.goroutines;
  return count.subarray(0, length).reduce((total, one) => total + one, 0);
}

/** What a user should know about a dump that is cut or partly unreadable, a sentence each. */
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
