/**
 * The dumps and text profiles in a log, with the times of their lines.
 *
 *     2026-11-16T06:00:00Z stderr F goroutine 9 [running]:     06:00:00
 *     2026-11-16T06:05:00Z stderr F goroutine 9 [running]:     06:05:00, another dump
 */
import { decodeText } from '../../base/text.ts';
import { FileContent } from '../formats/file-content.ts';
import { firstHeaderAt, splitDumps } from '../../profile/formats/goroutine-text/split-dumps.ts';
import { parseLogLine } from '../formats/node-log/log-line.ts';
import { parseStamp, resolveStamp } from '../formats/node-log/stamp.ts';

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
