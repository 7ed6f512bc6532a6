/**
 * Splits a file that holds several goroutine dumps, such as a journal in which a process was asked for its stacks
 * three times, into one part for each.
 *
 *     SIGQUIT: quit                  no goroutine id occurs twice in one dump, so an id that was seen before begins
 *     goroutine 9 [running]:   <-    another. The goroutines that were running come first, and may be new: the part
 *     goroutine 1 [select]:          begins at the first of them.
 */
import { decimal, digitsEnd, startsWith } from '../../../base/byte-scan.ts';

const NEWLINE = 10;
const HEADER = 'goroutine ';
const RUNNING = '[running';
/** New goroutines at the head of a dump that are looked through for those that were running. */
const MAX_NEW = 64;

/** Parts of the text with all its prefixes; one if there is a single dump. */
export function splitDumps(bytes: Uint8Array): Uint8Array[] {
  const seen = new Set<number>();
  const parts: Uint8Array[] = [];
  let begin = 0;
  let fresh: Header[] = [];
  for (const header of headers(bytes)) {
    if (!seen.has(header.id)) {
      seen.add(header.id);
      // Goroutine 0 is one for each thread.
      if (header.id !== 0) fresh.push(header);
      if (fresh.length > MAX_NEW) fresh.shift();
      continue;
    }
    if (header.id === 0) continue;
    const first = firstRunning(fresh) ?? header;
    parts.push(bytes.subarray(begin, first.at));
    begin = first.at;
    seen.clear();
    fresh = fresh.filter(({ at }) => at >= begin);
    for (const { id } of [...fresh, header]) seen.add(id);
    fresh = [];
  }
  return [...parts, bytes.subarray(begin)];
}

/** Where the line of the first goroutine begins; 0 if there is none. */
export function firstHeaderAt(bytes: Uint8Array): number {
  const { value } = headers(bytes).next();
  return value?.at ?? 0;
}

interface Header {
  /** Where its line begins. */
  readonly at: number;
  readonly id: number;
  readonly isRunning: boolean;
}

/** The earliest of the last goroutines that ran, if nothing but running ones lies behind it. */
function firstRunning(fresh: readonly Header[]): Header | undefined {
  let first: Header | undefined;
  for (let i = fresh.length - 1; i >= 0 && fresh[i].isRunning; i--) first = fresh[i];
  return first;
}

function* headers(bytes: Uint8Array): Generator<Header, undefined> {
  let line = 0;
  while (line < bytes.length) {
    const newline = bytes.indexOf(NEWLINE, line);
    const end = newline < 0 ? bytes.length : newline;
    const header = headerIn(bytes, line, end);
    if (header !== undefined) yield header;
    line = end + 1;
  }
}

/** No log prefix is longer. */
const MAX_PREFIX = 700;

function headerIn(bytes: Uint8Array, line: number, end: number): Header | undefined {
  const last = Math.min(end, line + MAX_PREFIX);
  for (let at = line; at < last; at++) {
    if (bytes[at] !== 0x67 || !startsWith(bytes, HEADER, at, end)) continue;
    const idAt = at + HEADER.length;
    const idEnd = digitsEnd(bytes, idAt, end);
    if (idEnd === idAt || bytes[idEnd] !== 0x20) continue;
    if (bytes[idEnd + 1] !== 0x5b && !startsWith(bytes, 'gp=', idEnd + 1, end)) continue;
    const state = bytes.indexOf(0x5b, idEnd);
    const isRunning = state >= 0 && state < end && startsWith(bytes, RUNNING, state, end);
    return { at: line, id: decimal(bytes, idAt, idEnd), isRunning };
  }
  return undefined;
}
