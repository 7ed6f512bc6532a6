/** Redacts one member of a pile: each format has its own function, chosen by content and not by name. */
import { FormatError } from '../../base/errors.ts';
import { concatBytes, decodeText, encodeText } from '../../base/text.ts';
import { FileContent } from '../formats/file-content.ts';
import { UNRECOGNIZED_FILE, type Stacks } from '../../profile/formats/unrecognized.ts';
import { encodeProfile } from '../../profile/formats/pprof/encode.ts';
import {
  type FormatName,
  FORMATS,
  type ProfileFormatName,
  recogniseFormat,
  type StoredFormat,
} from '../formats/registry.ts';
import { datedDumps, logTimeOf } from '../snapshots/dated-dumps.ts';
import type { GoroutineDump } from '../../profile/goroutine-dump.ts';
import { redactCaptureManifest } from './redact-manifest.ts';
import { redactExposition } from './redact-exposition.ts';
import { redactGoroutineDump } from './redact-goroutine-dump.ts';
import { redactKubeJson } from './redact-kube-json.ts';
import { redactProfile } from './redact-profile.ts';
import { type Redactor, isHidden } from './redactor.ts';
import { redactVersion } from './versions.ts';
import { storedName } from './member-path.ts';
import { redactCall } from './code-paths.ts';
import { isSampleTime } from '../../base/say.ts';

/**
 * Heap, mutex and block profiles as text (debug=1): rows of numbers with symbols below them.
 *
 *     1: 1152 [3: 3456] @ 0x482cec 0x486ee7        kept: numbers and addresses
 *     #	0x482ceb	main.write+0xe7	/src/main.go:94    the path is redacted
 *     # HeapAlloc = 1234                           kept: MemStats
 *
 * Lines of any other shape, and the memory map at the end, are left out.
 */
const ROW = /^[ \t]*\d+:? \d+(?: \[\d+: \d+\])? @(?: 0x[0-9a-f]+)*$/;

const HEADER =
  /^(?:heap profile: \d+: \d+ \[\d+: \d+\] @ heap\/\d+|--- (?:mutex|contention):|cycles\/second=\d+|sampling period=\d+)$/;

const SYMBOL = /^#(\t+)(0x[0-9a-f]+)(?:(\t+)(.+?)(\+0x[0-9a-f]+)?(\t+)(.*?)(:\d+)?)?$/;

const STATISTIC =
  /^# (?:runtime\.MemStats|(?:Alloc|TotalAlloc|Sys|Lookups|Mallocs|Frees|HeapAlloc|HeapSys|HeapIdle|HeapInuse|HeapReleased|HeapObjects|Stack|MSpan|MCache|BuckHashSys|GCSys|OtherSys|NextGC|LastGC|PauseNs|PauseEnd|NumGC|NumForcedGC|GCCPUFraction|DebugGC|MaxRSS) = (?:[\d./ e+-]{1,60}|\[[\d ]*\]|true|false))$/;

export interface RedactedMember {
  readonly format: StoredFormat;
  /** Decompressed. */
  readonly bytes: Uint8Array;
}

type Redaction = (file: FileContent, redactor: Redactor, mtimeSeconds: number | undefined) => RedactedMember;

/** A format without an entry does not compile, so nothing leaves by default. */
const REDACTIONS: Readonly<Record<FormatName, Redaction>> = {
  exposition: (file, redactor) => stored('exposition', concatBytes(redactExposition(file.bytes, redactor))),
  'range-query': leftOut('range-query'),
  pprof: asProfile('pprof'),
  debug1: asDump('debug1'),
  'heap-text': asCountedText('heap-text'),
  'contention-text': asCountedText('contention-text'),
  // These formats are obsolete, or have no place for hidden names: the profile in them leaves instead.
  legacy: asProfile('legacy'),
  otlp: asProfile('otlp'),
  debug2: asDump('debug2'),
  folded: asProfile('folded'),
  'capture-manifest': (file, redactor) => {
    const name = (path: string): string => storedName(path, /\.pb(?:\.gz)?$/.test(path) ? 'pprof' : 'other');
    const manifest = FORMATS['capture-manifest'].read(file);
    return stored('capture-manifest', encodeText(redactCaptureManifest(manifest, redactor, name)));
  },
  'bundle-manifest': leftOut('bundle-manifest'),
  log: leftOut('log'),
  version: (file, redactor) =>
    stored('version', encodeText(`${redactVersion(FORMATS.version.read(file), redactor)}\n`)),
  'json-lines': leftOut('json-lines'),
  'kubectl-json': (file, redactor) => stored('kubectl-json', encodeText(redactKubeJson(textOf(file.bytes), redactor))),
  json: leftOut('json'),
};

const NEWLINE = 10;
const NOTHING_LEFT = 'nothing that can be read is left of it';
export const NOT_READ = 'could not be read';
/** After redaction: it was torn, or mixed with other text. */
export const UNREADABLE = 'cannot be read once it is redacted';
export const NAME_LEFT = 'a name would be left in it';

/** A list of fixed words: a message of a reader may quote the file. */
export function isLeftOutReason(reason: string): boolean {
  return LEFT_OUT.includes(reason) || new RegExp(`^${tooLarge('\\d{1,12}')}$`).test(reason);
}

const UNREDACTED = {
  'range-query': 'a Prometheus response, which cannot be redacted yet',
  'bundle-manifest': 'the manifest of an earlier bundle',
  log: 'a log: free text cannot be redacted',
  'json-lines': 'JSON of an unknown kind',
  json: 'JSON of an unknown kind',
} as const;

const LEFT_OUT: readonly string[] = [
  ...Object.values(UNREDACTED),
  'empty',
  UNRECOGNIZED_FILE,
  NOTHING_LEFT,
  NOT_READ,
  UNREADABLE,
  NAME_LEFT,
];

function tooLarge(bytes: number | string): string {
  return `larger than ${bytes} bytes, too large to redact`;
}

/** Throws a FormatError that says why nothing of the content may leave. */
export function redactMember(bytes: Uint8Array, redactor: Redactor, mtimeSeconds?: number): RedactedMember {
  if (bytes.length === 0) throw new FormatError('empty');
  const file = new FileContent(bytes);
  const format = recogniseFormat(file);
  if (format === undefined) throw new FormatError(UNRECOGNIZED_FILE);
  const redacted = REDACTIONS[format](file, redactor, mtimeSeconds);
  // A version of which nothing may be kept, for example, is none.
  const again = recogniseFormat(new FileContent(redacted.bytes));
  if (again === undefined || FORMATS[again].storedAs !== redacted.format) throw new FormatError(NOTHING_LEFT);
  return redacted;
}

function stored(format: FormatName, bytes: Uint8Array): RedactedMember {
  return { format: FORMATS[format].storedAs, bytes };
}

function leftOut(format: keyof typeof UNREDACTED): Redaction {
  return () => {
    throw new FormatError(UNREDACTED[format]);
  };
}

function asProfile(format: ProfileFormatName): Redaction {
  return (file, redactor) =>
    stored('pprof', encodeProfile(redactProfile(stacksOf(format, file).profile, redactor)).slice());
}

function asDump(format: 'debug1' | 'debug2'): Redaction {
  return (file, redactor, mtimeSeconds) => {
    redactor.count('argument', countArguments(file.bytes));
    if (file.unprefixed.style === undefined) return stored(format, redactedDump(format, file, redactor));
    const parts =
      format === 'debug2' ? datedDumps(file, mtimeSeconds) : [{ file, atSeconds: logTimeOf(file, mtimeSeconds) }];
    // Text of which only some lines have a time is not read as a log.
    const isDated = parts.every(({ atSeconds }) => isCalendarTime(atSeconds));
    const texts = (isDated ? parts : [{ file, atSeconds: undefined }]).map(part => {
      const text = redactedDump(format, part.file, redactor);
      const host = redactor.hide('name', part.file.unprefixed.host);
      return part.atSeconds === undefined ? text : withLogTime(text, part.atSeconds, host);
    });
    return stored(format, concatBytes(texts.flatMap(withNewline)));
  };
}

/** What follows a text that was cut begins on a line of its own. */
function withNewline(text: Uint8Array, index: number, all: readonly Uint8Array[]): Uint8Array[] {
  return index + 1 < all.length && text.at(-1) !== NEWLINE ? [text, Uint8Array.of(NEWLINE)] : [text];
}

function redactedDump(format: 'debug1' | 'debug2', file: FileContent, redactor: Redactor): Uint8Array {
  const { dump } = stacksOf(format, file);
  if (dump === undefined) throw new FormatError(NOT_READ);
  countDropped(dump, redactor);
  return concatBytes(redactGoroutineDump(dump, redactor));
}

/** Lines that are no part of a dump, such as those of a log, are left out of what is written. */
function countDropped({ problems, problemCount }: GoroutineDump, redactor: Redactor): void {
  // A call without its place is written again as it is; every other line that could not be read is not.
  const dropped = problems.filter(({ kind }) => kind !== 'file:line ref' && kind !== 'total');
  // What is written ends every call in `()`, so these say nothing: `main()` is in `runtime.main()`.
  for (const { text } of dropped) redactor.remove('text', text.replace(/\(\)$/, ''));
  if (dropped.length > 0) redactor.count('text', problemCount - problems.length);
}

/** Reads the redacted text again: text that cannot be read may hold anything. */
function asCountedText(format: 'heap-text' | 'contention-text'): Redaction {
  return (file, redactor, mtimeSeconds) => {
    stacksOf(format, file);
    const text = redactCountedText(textOf(file.unprefixed.bytes), redactor);
    const atSeconds = logTimeOf(file, mtimeSeconds);
    const host = redactor.hide('name', file.unprefixed.host);
    return stored(format, isCalendarTime(atSeconds) ? withLogTime(text, atSeconds, host) : text);
  };
}

/** A reader's message may quote the file, so it must not leave. */
function stacksOf(format: ProfileFormatName, file: FileContent): Stacks {
  try {
    return FORMATS[format].read(file);
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    throw new FormatError(NOT_READ, { cause: error });
  }
}

/** Text that is redacted in one piece must fit into a string. */
const MAX_TEXT_BYTES = 256 * 1024 * 1024;

function textOf(bytes: Uint8Array): string {
  if (bytes.length > MAX_TEXT_BYTES) throw new FormatError(tooLarge(MAX_TEXT_BYTES));
  return decodeText(bytes);
}

/** Calls that show arguments: `(0x` and `({0x`. */
export function countArguments(bytes: Uint8Array): number {
  let count = 0;
  for (let at = bytes.indexOf(0x28); at >= 0; at = bytes.indexOf(0x28, at + 1)) {
    const next = bytes[at + 1] === 0x7b ? at + 2 : at + 1;
    if (bytes[next] === 0x30 && bytes[next + 1] === 0x78) count++;
  }
  return count;
}

export function redactCountedText(text: string, redactor: Redactor): Uint8Array {
  const out: string[] = [];
  const symbols = new Map<string, string>();
  for (const raw of text.split('\n')) {
    const line = raw.endsWith('\r') ? raw.slice(0, -1) : raw;
    const known = symbols.get(line);
    if (known !== undefined) out.push(known);
    else if (line === '' || ROW.test(line) || HEADER.test(line) || STATISTIC.test(line)) out.push(line);
    else {
      const symbol = SYMBOL.exec(line);
      if (symbol === null) continue;
      const redacted = redactSymbol(symbol, redactor);
      symbols.set(line, redacted);
      out.push(redacted);
    }
  }
  return encodeText(out.join('\n'));
}

function redactSymbol(symbol: RegExpExecArray, redactor: Redactor): string {
  const [, first, pc, gap, name, offset = '', between, file = '', line = ''] = symbol;
  if (name === undefined) return `#${first}${pc}`;
  const call = redactCall(name, file, redactor);
  return `#${first}${pc}${gap}${call.fn}${offset}${between}${call.file}${line}`;
}

/**
 * Keeps the time that a log gave a dump, and its host, hidden: without the one growth between dumps has no rate, and
 * without the other dumps of two nodes would be one process.
 */
const PREFIX = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z (?:stderr F|(\S+) stderr:) /;
const MAX_BYTES = '2026-11-16T06:05:00.000Z redacted-kqzjxabcdef stderr: '.length;

/**
 * Every line as a container runtime or journald logs it; `host` is hidden, or '':
 *
 *     2026-11-16T06:05:00.000Z stderr F goroutine 1 [select]:
 *     2026-11-16T06:05:00.000Z redacted-kqzjxabcdef stderr: goroutine 1 [select]:
 */
function withLogTime(text: Uint8Array, atSeconds: number, host: string): Uint8Array {
  const writer = host === '' ? 'stderr F' : `${host} stderr:`;
  const prefix = encodeText(`${new Date(atSeconds * 1000).toISOString()} ${writer} `);
  const parts: Uint8Array[] = [];
  for (let at = 0; at < text.length;) {
    const newline = text.indexOf(NEWLINE, at);
    const end = newline < 0 ? text.length : newline + 1;
    parts.push(prefix, text.subarray(at, end));
    at = end;
  }
  return concatBytes(parts);
}

/** Whether every line has such a prefix; others may name a host. */
export function hasOnlyLogTimes(text: Uint8Array): boolean {
  for (let at = 0; at < text.length;) {
    const [prefix, host] = PREFIX.exec(decodeText(text, at, Math.min(text.length, at + MAX_BYTES))) ?? [];
    if (prefix === undefined || (host !== undefined && !isHidden(host))) return false;
    const newline = text.indexOf(NEWLINE, at);
    at = newline < 0 ? text.length : newline + 1;
  }
  return true;
}

/** Beyond the calendar there is no text for a time. */
function isCalendarTime(seconds: number | undefined): seconds is number {
  return seconds !== undefined && seconds > 0 && isSampleTime(seconds);
}
