/**
 * The dumps and text profiles in a log, with the times of their lines.
 *
 *     2026-11-16T06:00:00Z stderr F goroutine 9 [running]:     06:00:00
 *     2026-11-16T06:05:00Z stderr F goroutine 9 [running]:     06:05:00, another dump
 */
import { decodeText } from '../../base/text.ts';
import { FileContent } from '../formats/file-content.ts';
import { parseLogLine } from '../formats/log-line.ts';
import { parseStamp, resolveStamp } from '../formats/log-stamp.ts';
import { decimal, digitsEnd, startsWith } from '../../base/byte-scan.ts';

export interface DatedDump {
  readonly file: FileContent;
  /** Undefined if no log line dates it. */
  readonly atSeconds: number | undefined;
}

/** The file's own time gives the year, which many logs leave out. One if there is a single dump. */
export function datedDumps(file: FileContent, mtimeSeconds: number | undefined): DatedDump[] {
  const parts = splitDumps(file.bytes);
  return parts.map(bytes => {
    const at = bytes.byteOffset - file.bytes.byteOffset + firstHeaderAt(bytes);
    const atSeconds = timeBefore(file.bytes, at, mtimeSeconds);
    return { file: parts.length === 1 ? file : new FileContent(bytes), atSeconds };
  });
}

/** When the text profile in a log was written; undefined if it is in none. */
export function logTimeOf(file: FileContent, mtimeSeconds: number | undefined): number | undefined {
  return file.unprefixed.style === undefined ? undefined : timeBefore(file.bytes, 0, mtimeSeconds);
}

/** A message of several lines has one time, above its first line. */
const MAX_LINES_ABOVE = 20;
const NEWLINE = 10;

function timeBefore(bytes: Uint8Array, at: number, mtimeSeconds: number | undefined): number | undefined {
  let begin = at;
  for (let lines = 0; lines <= MAX_LINES_ABOVE; lines++) {
    const newline = bytes.indexOf(NEWLINE, begin);
    const seconds = timeOfLine(bytes, begin, newline < 0 ? bytes.length : newline, mtimeSeconds);
    if (seconds !== undefined || begin === 0) return seconds;
    begin = begin < 2 ? 0 : bytes.lastIndexOf(NEWLINE, begin - 2) + 1;
  }
  return undefined;
}

function timeOfLine(bytes: Uint8Array, at: number, end: number, mtimeSeconds: number | undefined): number | undefined {
  const docker = /"time":"([^"]{10,40})"\}?\s*$/.exec(decodeText(bytes, at, Math.min(end, at + 4096)));
  const stamp = docker?.[1] === undefined ? parseLogLine(bytes, at, end).stamp : parseStamp(docker[1]);
  return resolveStamp(stamp, { referenceSeconds: mtimeSeconds, bootSeconds: undefined, utcOffsetSeconds: 0 });
}

/**
 * Splits a file that holds several goroutine dumps, such as a journal in which a process was asked for its stacks
 * three times, into one part for each.
 *
 *     SIGQUIT: quit                  no goroutine id occurs twice in one dump, so an id that was seen before begins
 *     goroutine 9 [running]:   <-    another. The goroutines that were running come first, and may be new: the part
 *     goroutine 1 [select]:          begins at the first of them.
 */
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
function firstHeaderAt(bytes: Uint8Array): number {
  const { value } = headers(bytes).next();
  return value?.at ?? 0;
}

interface Header {
  /** Where its line begins. */
  readonly at: number;
  readonly id: number;
  readonly isRunning: boolean;
}

/** The first of the running goroutines at the end of the list; undefined if the last one was not running. */
function firstRunning(fresh: readonly Header[]): Header | undefined {
  let first: Header | undefined;
  for (let i = fresh.length - 1; fresh[i]?.isRunning === true; i--) first = fresh[i];
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
