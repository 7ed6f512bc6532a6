/**
 * Threads of a C++ program:
 *
 *     --- threadz 1 ---
 *
 *     --- Thread 7f794ab90940 (name: main/14748) stack: ---
 *       PC: 0xbc8f1c ...
 *     --- Thread 7f794964e700 (name: thread1/14751) stack: ---
 *       [same as previous thread]
 */
import { Draft, unrecognized, type Unrecognized } from './draft.ts';
import { hasAsciiAt, indexOfAscii, isBlankOrComment, skipDigits, trimEnd, trimStart } from './go-strings.ts';
import { forEachAddress, hexDigit, malformedSample, tooLargeAddress } from './hex-addresses.ts';
import { digitsBefore } from './contention.ts';
import { LineScanner } from './line-scanner.ts';
import { readAdditionalSections } from './memory-map.ts';

/** Whether a line begins a list of threads. */
export function isThreadsTitle(bytes: Uint8Array, start: number, end: number): boolean {
  return isThreadzTitle(bytes, { start, end }) || isThreadTitle(bytes, { start, end });
}

/** A line to come back to: pprof keeps looking at the last one a stack ended with. */
interface Line {
  start: number;
  end: number;
}

export function readThreadz(bytes: Uint8Array): Draft | Unrecognized {
  const lines = new LineScanner(bytes);
  while (lines.scan() && isBlankOrComment(bytes, lines.start, lines.end));
  let line: Line = { start: lines.start, end: lines.end };
  if (isThreadzTitle(bytes, line)) {
    while (lines.scan()) {
      line = { start: lines.start, end: lines.end };
      if (lines.isMemoryMapSentinel || bytes[line.start] === 0x2d) break;
    }
  } else if (!isThreadTitle(bytes, line)) {
    return unrecognized(lines.line);
  }
  const threads = { type: 'thread', unit: 'count' };
  const draft = new Draft([threads], threads, 1);
  let repeats = 0;
  while (!isSentinel(bytes, line)) {
    if (hasAsciiAt(bytes, '---- no stack trace for', line.start, line.end)) break;
    if (!isThreadTitle(bytes, line)) return unrecognized(lines.line);
    const before = draft.stack.length;
    line = readStack(lines, draft);
    if (draft.stack.length === before) {
      // The same as the thread before.
      if (draft.sampleCount > 0) repeats++;
      continue;
    }
    if (draft.sampleCount > 0) draft.values[0].push(repeats);
    repeats = 1;
    draft.endStack();
  }
  if (draft.sampleCount > 0) draft.values[0].push(repeats);
  readAdditionalSections(lines, draft);
  draft.removeDuplicateLeaves();
  return draft;
}

/** Adds one thread's frames to the draft (none if they are the same as before); returns the line after them. */
function readStack(lines: LineScanner, draft: Draft): Line {
  const { bytes } = lines;
  const before = draft.stack.length;
  let isSame = false;
  let line: Line = { start: 0, end: 0 };
  while (lines.scan()) {
    const start = trimStart(bytes, lines.start, lines.end);
    line = { start, end: trimEnd(bytes, start, lines.end) };
    if (line.start === line.end) continue;
    if (hasAsciiAt(bytes, '---', line.start, line.end)) break;
    if (indexOfAscii(bytes, 'same as previous thread', line.start, line.end) >= 0) {
      isSame = true;
      continue;
    }
    // The leaf was running; its callers are return addresses.
    const tooLarge = forEachAddress(bytes, line.start, line.end, (lo, hi) => {
      if (draft.stack.length === before) draft.pushFrame(lo, hi);
      else draft.pushCaller(lo, hi);
    });
    if (tooLarge >= 0) {
      throw malformedSample(lines, line.start, line.end, tooLargeAddress(bytes, tooLarge, line.end));
    }
  }
  lines.check();
  if (isSame) draft.stack.length = before;
  return line;
}

function isSentinel(bytes: Uint8Array, { start, end }: Line): boolean {
  return (
    indexOfAscii(bytes, '--- Memory map: ---', start, end) >= 0 ||
    indexOfAscii(bytes, 'MAPPED_LIBRARIES:', start, end) >= 0
  );
}

/** Whether the line has `--- threadz N ---` in it. */
function isThreadzTitle(bytes: Uint8Array, { start, end }: Line): boolean {
  const title = '--- threadz ';
  for (let at = indexOfAscii(bytes, title, start, end); at >= 0; at = indexOfAscii(bytes, title, at + 1, end)) {
    const digits = at + title.length;
    const stop = skipDigits(bytes, digits, end);
    if (stop > digits && hasAsciiAt(bytes, ' ---', stop, end)) return true;
  }
  return false;
}

/** Whether the line has `--- Thread HEX (name: NAME/ID) stack: ---` in it. */
function isThreadTitle(bytes: Uint8Array, { start, end }: Line): boolean {
  const nameStart = findNameStart(bytes, start, end);
  if (nameStart < 0) return false;
  const tail = ') stack: ---';
  for (let at = indexOfAscii(bytes, tail, nameStart, end); at >= 0; at = indexOfAscii(bytes, tail, at + 1, end)) {
    const digits = digitsBefore(bytes, nameStart, at);
    if (digits < at && digits > nameStart && bytes[digits - 1] === 0x2f) return true;
  }
  return false;
}

/** Past the first `--- Thread HEX (name: `, or -1. */
function findNameStart(bytes: Uint8Array, start: number, end: number): number {
  const title = '--- Thread ';
  const middle = ' (name: ';
  for (let at = indexOfAscii(bytes, title, start, end); at >= 0; at = indexOfAscii(bytes, title, at + 1, end)) {
    const digits = at + title.length;
    let stop = digits;
    while (stop < end && hexDigit(bytes[stop]) >= 0) stop++;
    if (stop > digits && hasAsciiAt(bytes, middle, stop, end)) return stop + middle.length;
  }
  return -1;
}
