/**
 * Every format that Oakum reads, and the one recogniser: what a file is by its content, whatever its name.
 *
 *     const file = new FileContent(bytes);              // decompressed
 *     const format = recogniseFormat(file);             // 'debug2', ...; undefined when no format claims it
 *     if (format === 'exposition') FORMATS.exposition.read(file, { select });
 *
 * Formats are tried in the order in which they stand here. What redaction does with each is in src/evidence/redaction.
 */
import { FormatError } from '../../base/errors.ts';
import { type BundleIndex, readBundleManifest } from '../bundle.ts';
import type { CaptureManifest } from '../capture.ts';
import { type GoroutineDump, dumpNotes } from '../../profile/goroutine-dump.ts';
import { readCaptureManifest } from './capture-manifest.ts';
import type { FileContent } from './file-content.ts';
import {
  readContentionText,
  readHeapText,
  sniffContentionText,
  sniffHeapText,
} from '../../profile/formats/heap-text.ts';
import { type Exposition, sniffExposition } from './exposition.ts';
import { type ExpositionOptions, readExposition } from './read-exposition.ts';
import { readOtlp, sniffOtlp } from '../../profile/formats/otlp.ts';
import { readFolded, sniffFolded } from '../../profile/formats/read-folded.ts';
import { readDebug1 } from '../../profile/formats/goroutine-text/debug1.ts';
import { readDebug2 } from '../../profile/formats/goroutine-text/debug2.ts';
import { sniffDebug1, sniffDebug2 } from '../../profile/formats/goroutine-text/sniff.ts';
import { goroutineDumpToProfile } from '../../profile/formats/goroutine-text/to-profile.ts';
import { type KubeObjects, readKubeObjects, sniffKubeJson } from './kube-objects.ts';
import { readLegacy, sniffLegacy } from '../../profile/formats/legacy/legacy.ts';
import { type NodeLogRecord, readNodeLog } from './node-log.ts';
import { decodeProfile, sniffPprof } from '../../profile/formats/pprof/decode.ts';
import { readRangeQuery, type RangeQueryOptions, sniffPromtoolText } from './range-query.ts';
import type { RangeQuery } from './series-columns.ts';
import { decodeText } from '../../base/text.ts';
import { parseJson } from '../../base/json.ts';
import { parseLogEntry } from './log-line.ts';
import type { Stacks } from '../../profile/formats/unrecognized.ts';

/** Whether a file is a log: lines with a time or a level before them, or the JSON of journald and Docker. */
const LOG_LINE =
  /^(?:[IWEF]\d{4} \d\d:\d\d:\d\d|\w{3} +\d{1,2} \d\d:\d\d:\d\d |\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d|time=["\d]|level=|\[ *\d+\.\d+\] |-- (?:Logs|Journal) begin)/;

/** A file that holds nothing but a version of Kubernetes, as `kubelet --version` or a shell script leaves it. */
const KUBE_VERSION = /^v\d+\.\d+\.\d+[\w.+-]*$/;

const MAX_BYTES = 200;

/** Lines, each of which is a JSON object or list. */
const MAX_LINE_BYTES = 100_000;

/** Whether a file is an answer of the Prometheus HTTP API, or promtool's print of one, by how it begins. */
const ANSWER =
  /^\ufeff?\s*(?:\{\s*"status"\s*:\s*"(?:success|error)"|\{\s*(?:"data"\s*:\s*\{\s*)?"resultType"\s*:|\[\s*\{\s*"metric"\s*:\s*\{)/;

export interface Format<Content, Options = never> {
  /** Whether a file has this format; yes only if sure. */
  readonly sniff: (file: FileContent) => boolean;
  /** Throws a FormatError that says where the content is wrong. */
  readonly read: (file: FileContent, options?: Options) => Content;
  /** What it is called in the manifest of a bundle. The names of files stored as `pprof` end in `.pb.gz`. */
  readonly storedAs: StoredFormat;
}

export type StoredFormat =
  | 'pprof'
  | 'debug1'
  | 'debug2'
  | 'heap-text'
  | 'contention-text'
  | 'metrics'
  | 'kubernetes-json'
  | 'capture-manifest'
  | 'version'
  | 'other';

/** Profiles and dumps: what `oakum pprof` and the flame graph take. */
export interface ProfileFormats {
  readonly otlp: Format<Stacks>;
  readonly pprof: Format<Stacks>;
  readonly debug1: Format<Stacks>;
  readonly 'heap-text': Format<Stacks>;
  readonly 'contention-text': Format<Stacks>;
  readonly legacy: Format<Stacks>;
  readonly debug2: Format<Stacks>;
  readonly folded: Format<Stacks>;
}

export interface Formats extends ProfileFormats {
  readonly exposition: Format<Exposition, ExpositionOptions>;
  readonly 'range-query': Format<RangeQuery, RangeQueryOptions>;
  readonly 'capture-manifest': Format<CaptureManifest>;
  readonly 'bundle-manifest': Format<BundleIndex>;
  readonly log: Format<Iterable<NodeLogRecord>>;
  readonly version: Format<string>;
  readonly 'json-lines': Format<KubeObjects>;
  readonly 'kubectl-json': Format<KubeObjects>;
  readonly json: Format<KubeObjects>;
}

export type ProfileFormatName = keyof ProfileFormats;
export type FormatName = keyof Formats;

const PROFILE_FORMATS: ProfileFormats = {
  // Before profile.proto, which begins alike.
  otlp: {
    sniff: file => sniffOtlp(file.bytes, () => file.json),
    read: file => ({ profile: readOtlp(file.bytes), notes: [] }),
    storedAs: 'other',
  },
  pprof: {
    sniff: file => sniffPprof(file.head),
    read: file => ({ profile: decodeProfile(file.bytes), notes: [] }),
    storedAs: 'pprof',
  },
  debug1: {
    sniff: file => sniffDebug1(file.unprefixed.head),
    read: file => fromDump(readDebug1(file.unprefixed.bytes), file),
    storedAs: 'debug1',
  },
  'heap-text': {
    sniff: file => sniffHeapText(file.unprefixed.head),
    read: file => ({ ...readHeapText(file.unprefixed.bytes), notes: prefixNotes(file) }),
    storedAs: 'heap-text',
  },
  'contention-text': {
    sniff: file => sniffContentionText(file.unprefixed.head),
    read: file => ({ ...readContentionText(file.unprefixed.bytes), notes: prefixNotes(file) }),
    storedAs: 'contention-text',
  },
  legacy: {
    sniff: file => sniffLegacy(file.unprefixed.head),
    read: file => ({ profile: readLegacy(file.unprefixed.bytes), notes: prefixNotes(file) }),
    storedAs: 'other',
  },
  debug2: {
    sniff: file => sniffDebug2(file.unprefixed.head),
    read: file => fromDump(readDebug2(file.unprefixed.bytes), file),
    storedAs: 'debug2',
  },
  folded: {
    sniff: file => sniffFolded(file.unprefixed.head),
    read: file => ({ profile: readFolded(file.unprefixed.bytes), notes: prefixNotes(file) }),
    storedAs: 'other',
  },
};

/** Metrics come first: looking for log prefixes takes a pass over the whole file. */
export const FORMATS: Formats = {
  exposition: {
    sniff: file => sniffExposition(file.head),
    read: (file, options) => readExposition(file.bytes, options),
    storedAs: 'metrics',
  },
  'range-query': {
    sniff: file => sniffRangeQuery(file.head),
    read: (file, options) => readRangeQuery(file.bytes, options),
    storedAs: 'other',
  },
  ...PROFILE_FORMATS,
  'capture-manifest': {
    sniff: file => readCaptureManifest(file.json) !== undefined,
    read: file => orThrow(readCaptureManifest(file.json), 'not the manifest of a capture'),
    storedAs: 'capture-manifest',
  },
  'bundle-manifest': {
    sniff: file => readBundleManifest(file.json) !== undefined,
    read: file => orThrow(readBundleManifest(file.json), 'not the manifest of a bundle'),
    storedAs: 'other',
  },
  log: { sniff: sniffNodeLog, read: file => readNodeLog(file.bytes), storedAs: 'other' },
  version: { sniff: sniffVersion, read: readVersion, storedAs: 'version' },
  'json-lines': { sniff: sniffJsonLines, read: readObjects, storedAs: 'other' },
  'kubectl-json': { sniff: sniffKubeJson, read: readObjects, storedAs: 'kubernetes-json' },
  json: { sniff: file => file.json !== undefined, read: readObjects, storedAs: 'other' },
};

const FORMAT_NAMES = Object.keys(FORMATS) as readonly FormatName[];

/** In the order in which they are tried. */
export const PROFILE_FORMAT_NAMES: readonly ProfileFormatName[] = Object.keys(
  PROFILE_FORMATS,
) as readonly ProfileFormatName[];

/** The format that claims the file; undefined when none does. */
export function recogniseFormat(file: FileContent): FormatName | undefined {
  return FORMAT_NAMES.find(name => FORMATS[name].sniff(file));
}

export function isProfileFormat(name: FormatName): name is ProfileFormatName {
  return name in PROFILE_FORMATS;
}

function fromDump(dump: GoroutineDump, file: FileContent): Stacks {
  return { profile: goroutineDumpToProfile(dump), dump, notes: [...prefixNotes(file), ...dumpNotes(dump)] };
}

function prefixNotes({ unprefixed }: FileContent): string[] {
  return unprefixed.style === undefined ? [] : [`read through ${unprefixed.style} log prefixes`];
}

function readObjects(file: FileContent): KubeObjects {
  return readKubeObjects(file.bytes, file.json);
}

function orThrow<T>(value: T | undefined, problem: string): T {
  if (value === undefined) throw new FormatError(problem);
  return value;
}

export function sniffRangeQuery(head: Uint8Array): boolean {
  return ANSWER.test(decodeText(head.subarray(0, 400))) || sniffPromtoolText(head);
}

/** A file that is JSON as a whole is not JSON lines, even if it is a single line. */
function sniffJsonLines(file: FileContent): boolean {
  if (!file.isJsonLike || file.json !== undefined) return false;
  const newline = file.bytes.indexOf(10);
  if (newline < 0 || newline > MAX_LINE_BYTES) return false;
  return parseJson(decodeText(file.bytes, 0, newline).replace(/^\ufeff/, '')) !== undefined;
}

function sniffVersion(file: FileContent): boolean {
  return file.bytes.length < MAX_BYTES && KUBE_VERSION.test(readVersion(file));
}

/** `v1.36.0` */
function readVersion(file: FileContent): string {
  return file.start.split('\n', 1)[0].trim();
}

/** At least half of the first lines must be of a log. */
function sniffNodeLog(file: FileContent): boolean {
  if (!file.isText) return false;
  const text = decodeText(file.head, 0, 20_000).trimStart();
  if (file.isJsonLike) return parseLogEntry(firstLine(file)) !== undefined;
  const lines = text.split('\n', 50).filter(line => line.trim() !== '');
  const logged = lines.filter(line => LOG_LINE.test(line)).length;
  return logged > 0 && logged * 2 >= lines.length;
}

function firstLine({ head }: FileContent): string {
  const newline = head.indexOf(10);
  return decodeText(head, 0, newline < 0 ? head.length : newline);
}
