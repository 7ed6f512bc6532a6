/**
 * Any profile or dump, by its content: the name of a file says nothing.
 *
 *     log prefixes off -> goroutine text -> profile.proto -> legacy formats -> folded stacks
 *
 * Input is uncompressed: gunzipping is the adapters' work.
 */
import { FormatError } from '../base/errors.ts';
import type { GoroutineDump } from '../model/goroutine-dump.ts';
import type { MemStats } from '../model/mem-stats.ts';
import type { Profile } from '../model/profile.ts';
import { readContentionText, sniffContentionText } from './contention-text/contention-text.ts';
import { readFolded, sniffFolded } from './folded/read.ts';
import { readDebug1 } from './goroutine-text/debug1.ts';
import { readDebug2 } from './goroutine-text/debug2.ts';
import { sniffDebug1, sniffDebug2 } from './goroutine-text/sniff.ts';
import { goroutineDumpToProfile } from './goroutine-text/to-profile.ts';
import { readHeapText, sniffHeapText } from './heap-text/heap-text.ts';
import { readLegacy } from './legacy/legacy.ts';
import { stripLogPrefix } from './log-prefix/strip.ts';
import { decodeProfile } from './pprof/decode.ts';
import { ConcatenatedProfilesError, MalformedProfileError } from './pprof/malformed.ts';
import { looksLikeProto } from './pprof/sniff.ts';

export type FormatName = 'pprof' | 'debug1' | 'debug2' | 'heap-text' | 'contention-text' | 'legacy' | 'folded';

/**
 * Which text formats keep the symbols in their `#` lines. `go tool pprof` throws all of them away; 'goroutines' keeps
 * those of goroutine profiles only, so that every other report has pprof's bytes.
 */
export type TextSymbols = 'all' | 'goroutines' | 'none';

export interface ReadOptions {
  readonly textSymbols?: TextSymbols;
  /** Whether the labels of a profile.proto are wanted; text formats keep theirs. */
  readonly labels?: boolean;
}

export interface Reading {
  readonly format: FormatName;
  readonly profile: Profile;
  readonly dump?: GoroutineDump;
  readonly memStats?: MemStats;
  /** What the reader noticed and a user should know, a sentence each. */
  readonly notes: readonly string[];
}

/** How much of the input formats are recognised by. */
const HEAD_BYTES = 64 * 1024;

/** What the legacy readers say of input that may be another format: only they have a limit to their lines. */
const OTHER_FORMATS: ReadonlySet<string> = new Set(['unrecognized profile format', 'bufio.Scanner: token too long']);

export function readAny(input: Uint8Array, options: ReadOptions = {}): Reading {
  if (input.length === 0) throw new FormatError('empty input file', { offset: 0 });
  const symbols = options.textSymbols ?? 'all';
  let protoError: FormatError | undefined;
  if (looksLikeProto(input)) {
    try {
      return { format: 'pprof', profile: decodeProfile(input), notes: [] };
    } catch (error) {
      if (!mayBeOtherFormat(error)) throw error;
      protoError = error;
    }
  }

  const stripped = stripLogPrefix(input);
  const bytes = stripped?.bytes ?? input;
  const head = bytes.subarray(0, HEAD_BYTES);
  const notes = stripped === undefined ? [] : [`read through ${stripped.style} log prefixes`];

  if (symbols !== 'none' && sniffDebug1(head)) return fromDump(readDebug1(bytes), notes);
  if (symbols === 'all' && sniffHeapText(head)) return { format: 'heap-text', ...readHeapText(bytes), notes };
  if (symbols === 'all' && sniffContentionText(head)) {
    return { format: 'contention-text', ...readContentionText(bytes), notes };
  }
  try {
    return { format: 'legacy', profile: readLegacy(bytes), notes };
  } catch (error) {
    if (!(error instanceof FormatError) || !OTHER_FORMATS.has(error.message)) throw error;
    if (sniffDebug2(head)) return fromDump(readDebug2(bytes), notes);
    if (sniffFolded(head)) return { format: 'folded', profile: readFolded(bytes), notes };
    if (error.message !== 'unrecognized profile format') throw error;
    if (input[0] === 0x1f && input[1] === 0x8b)
      throw new FormatError('unrecognized profile format: it is gzip; decompress it first', { cause: error });
    throw protoError === undefined ? error : new FormatError('unrecognized profile format', { cause: protoError });
  }
}

/** Whether a failure to read profile.proto leaves room for another format. */
export function mayBeOtherFormat(error: unknown): error is FormatError {
  return (
    error instanceof FormatError &&
    !(error instanceof MalformedProfileError) &&
    !(error instanceof ConcatenatedProfilesError)
  );
}

function fromDump(dump: GoroutineDump, notes: readonly string[]): Reading {
  return { format: dump.format, profile: goroutineDumpToProfile(dump), dump, notes: [...notes, ...dumpNotes(dump)] };
}

function dumpNotes(dump: GoroutineDump): string[] {
  const notes: string[] = [];
  const { truncated, problemCount, problems } = dump;
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
