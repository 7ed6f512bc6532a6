/**
 * Reads one member of a pile: what it is, and everything its content says about process and time. Once all members are
 * read, assign-snapshots.ts decides which process each belongs to.
 */
import { elementAt, FormatError } from '../../base/errors.ts';
import { FileContent } from '../formats/file-content.ts';
import { EMPTY_FILE, UNRECOGNIZED_FILE } from '../../profile/formats/unrecognized.ts';
import { truncationOf, type GoroutineDump } from '../../profile/goroutine-dump.ts';
import type { Reading } from '../formats/read.ts';
import { type FormatName, FORMATS, isProfileFormat, recogniseFormat } from '../formats/registry.ts';
import { readPaste, type Paste, looksPasted } from '../formats/paste/paste.ts';
import { PART_PASTED } from '../formats/paste/stack-text.ts';
import { KILLED_BY_KERNEL, type Level } from '../formats/paste/level.ts';
import { decodeText, encodeText } from '../../base/text.ts';
import { groupBy } from '../../base/group-by.ts';
import { resolveStamp } from '../formats/log-stamp.ts';
import type { FamilyTable } from '../../profile/families/family.ts';
import type { MemStats } from '../../profile/formats/mem-stats.ts';
import type { Profile } from '../../profile/profile.ts';
import type { MetricSeries, Snapshot, SnapshotKind } from './snapshot.ts';
import type { PileMember } from '../pile.ts';
import { type DatedDump, datedDumps, logTimeOf } from './dated-dumps.ts';
import { type Context, readContext } from './read-context.ts';
import { livesOf, labelOf, type LifeMetrics, readMetrics } from './read-metrics.ts';
import { fileName, timeInPath, folderOf } from '../path-parts.ts';
import { goVersionInPath, type Origin, originOf } from './process-origin.ts';
import { nameInEvidence } from '../target.ts';
import type { CaptureRecord } from './capture-record.ts';

/** What families are built from. */
export interface FamilyInput {
  readonly kind: SnapshotKind;
  readonly profile: Profile | undefined;
  readonly dump: GoroutineDump | undefined;
}

/** A snapshot whose process is not known yet. */
export interface ReadSnapshot extends Omit<Snapshot, 'process' | 'takenAtSeconds' | 'takenAtFrom' | 'orderedBy'> {
  readonly origin: Origin;
  readonly times: SnapshotTimes;
  /** Which of the paths that the user gave it is in. */
  readonly argument: number;
  /** `v1.36.0`, from metrics; '' when unknown. */
  readonly version: string;
  /** The node's name, from the marks between scrapes or the log that a dump is in; '' when unknown. */
  readonly node: string;
  /** The target of the capture that it belongs to; '' when it belongs to none. */
  readonly capturedFrom: string;
  readonly startTimeSeconds: number | undefined;
  readonly context: Context | undefined;
  /** Of kind `text`: what was pasted. */
  readonly paste?: Paste;
}

/** Every time that may be that of the snapshot, in unix seconds; snapshot-time.ts chooses. */
interface SnapshotTimes {
  readonly content: number | undefined;
  /** When the first of several scrapes was taken. */
  readonly contentFrom: number | undefined;
  readonly name: number | undefined;
  /** When the last garbage collection ended, which is not long before. */
  readonly lastGc: number | undefined;
  readonly file: number | undefined;
}

export interface MemberOptions {
  /** Groups stacks into families; without it `families` stays undefined. */
  readonly families?: (input: FamilyInput) => FamilyTable | undefined;
  /** Whether to keep profiles and dumps beside their families; true by default. */
  readonly keepStacks?: boolean;
  /** What a paste is about, by its text: the name of the target. Without it the target has the name of its folder. */
  readonly subject?: (paste: Paste) => string | undefined;
}

const NO_ORIGIN: Origin = { binary: '', buildId: '', layout: '', program: '', goVersion: '' };

/** Throws a FormatError when no format can read the member. */
export function readMember(member: PileMember, options: MemberOptions = {}): ReadSnapshot[] {
  if (member.bytes.length === 0) throw new FormatError(EMPTY_FILE);
  const file = new FileContent(member.bytes);
  const format = recogniseFormat(file);
  if (mayBePasted(file, format)) {
    const paste = readPaste(decodeText(file.bytes));
    // Logs are read for kills in any case.
    const tells = format !== 'log' || paste.pieces.some(piece => piece.kind !== 'level' || !isOfKernel(piece));
    if ((paste.pieces.length > 0 && tells) || (format === undefined && isAboutMemory(paste))) {
      const context =
        format === 'log' ? [fromContext(member, format, readContext(format, file, member.mtimeSeconds))] : [];
      return [...fromPaste(member, paste, options), ...context];
    }
  }
  if (format === undefined) return [unrecognized(member, file)];
  if (format === 'exposition') return [...fromMetrics(member), ...fromPastedMetrics(member, file, options)];
  if (isProfileFormat(format)) {
    const reading = { format, ...FORMATS[format].read(file) };
    if (format === 'debug2' && (reading.dump?.sections.length ?? 0) > 1) {
      const parts = datedDumps(file, member.mtimeSeconds);
      if (parts.length > 1) return fromDumps(member, parts, options);
    }
    return [inLog(fromReading(reading, member, options), file, member)];
  }
  return [fromContext(member, format, readContext(format, file, member.mtimeSeconds))];
}

function fromReading(reading: Reading, member: PileMember, options: MemberOptions): ReadSnapshot {
  const { path, damage } = member;
  const kind = kindOf(reading, path);
  const origin = originOf(reading.profile, reading.dump);
  const input: FamilyInput = { kind, profile: reading.profile, dump: reading.dump };
  const keep = options.keepStacks !== false;
  const { timeNanos } = reading.profile;
  return {
    ...base(member),
    kind,
    format: reading.format,
    origin: origin.goVersion === '' ? { ...origin, goVersion: goVersionInPath(path) } : origin,
    isDelta: isDeltaProfile(kind, reading.profile),
    truncated: truncationOf(reading.dump) ?? damage,
    notes: reading.notes,
    families: options.families?.(input),
    profile: keep ? reading.profile : undefined,
    dump: keep ? reading.dump : undefined,
    memStats: reading.memStats,
    collection: isForcedByName(kind, path) ? { number: undefined, atSeconds: undefined, isForced: true } : undefined,
    times: {
      ...pathTimes(member),
      content: timeNanos > 0n ? Number(timeNanos / 1000n) / 1e6 : undefined,
      contentFrom: undefined,
      lastGc: gcSeconds(reading.memStats),
    },
  };
}

/** A dump that went through a log has the time of its line, and is of the host that logged it. */
function inLog(read: ReadSnapshot, file: FileContent, { mtimeSeconds }: PileMember): ReadSnapshot {
  if (file.unprefixed.style === undefined) return read;
  const snapshot = { ...read, node: file.unprefixed.host };
  if (read.times.content !== undefined) return snapshot;
  const content =
    snapshot.format === 'debug2' ? datedDumps(file, mtimeSeconds).at(0)?.atSeconds : logTimeOf(file, mtimeSeconds);
  return content === undefined ? snapshot : { ...snapshot, times: { ...snapshot.times, content } };
}

/** Several dumps of one file are snapshots of their own, each with the time of the log line that it begins with. */
function fromDumps(member: PileMember, parts: readonly DatedDump[], options: MemberOptions): ReadSnapshot[] {
  return parts.map(({ file, atSeconds }, index) => {
    const reading: Reading = { format: 'debug2', ...FORMATS.debug2.read(file) };
    const snapshot = fromReading(reading, { ...member, bytes: file.bytes }, options);
    return {
      ...snapshot,
      node: file.unprefixed.host,
      notes: [...snapshot.notes, `dump ${index + 1} of ${parts.length} in this file`],
      // The file's own time, and the time in its name, are those of one of them at most.
      times: { ...snapshot.times, content: atSeconds, name: undefined, file: undefined },
    };
  });
}

function fromMetrics(member: PileMember): ReadSnapshot[] {
  const { lives, node, notes, cut } = readMetrics(member.bytes);
  return fromLives({ ...member, damage: member.damage ?? cut }, lives, node, notes);
}

/** Samples that are already in columns: one snapshot for each life of the process. */
export function fromSamples(path: string, series: ReadonlyMap<string, MetricSeries>, node: string): ReadSnapshot[] {
  return fromLives({ path, mtimeSeconds: undefined, damage: undefined }, livesOf(series), node, []);
}

/** Where evidence comes from, without its bytes. */
type Provenance = Pick<PileMember, 'path' | 'mtimeSeconds' | 'damage' | 'argument'>;

function fromLives(
  member: Provenance,
  lives: readonly LifeMetrics[],
  node: string,
  notes: readonly string[],
): ReadSnapshot[] {
  return lives.map((life, index) => ({
    ...base(member),
    kind: 'metrics',
    format: 'exposition',
    origin: {
      ...NO_ORIGIN,
      goVersion:
        labelOf(life.series, 'kubernetes_build_info', 'go_version') || labelOf(life.series, 'go_info', 'version'),
    },
    truncated: member.damage,
    notes: lives.length === 1 ? notes : [...notes, `life ${index + 1} of ${lives.length} of the process`],
    series: life.series,
    times: {
      ...pathTimes(member),
      content: life.toSeconds,
      contentFrom: life.fromSeconds,
      lastGc: life.lastGcSeconds,
    },
    version: labelOf(life.series, 'kubernetes_build_info', 'git_version'),
    node,
    startTimeSeconds: life.startTimeSeconds,
  }));
}

function fromContext(member: PileMember, format: FormatName, context: Context): ReadSnapshot {
  return { ...base(member), kind: 'events', format, truncated: member.damage, notes: [context.what], context };
}

/** More text than that is no paste. */
const MAX_PASTED_BYTES = 64 * 1024 * 1024;
const WRITTEN_BY_TOOLS: ReadonlySet<FormatName> = new Set([
  'debug1',
  'debug2',
  'heap-text',
  'contention-text',
  'legacy',
  'folded',
]);

/** Whether a text is to be read as a paste: what no format claims, logs, and dumps with the marks of a paste. */
function mayBePasted(file: FileContent, format: FormatName | undefined): boolean {
  if (!file.isText || file.bytes.length > MAX_PASTED_BYTES) return false;
  if (format === undefined || format === 'log') return true;
  const isJson = format === 'json' || format === 'json-lines';
  if (isJson) return /goroutine \d+ \[| profile: total |HeapAlloc|flat%|Showing nodes/.test(decodeText(file.head));
  return WRITTEN_BY_TOOLS.has(format) && looksPasted(decodeText(file.head));
}

function isOfKernel({ from }: Level): boolean {
  return from === KILLED_BY_KERNEL;
}

const MAX_QUESTION = 8 * 1024;

/** A few samples without their help, with labels that only a Prometheus adds, are numbers that somebody has picked. */
function fromPastedMetrics(member: PileMember, file: FileContent, options: MemberOptions): ReadSnapshot[] {
  if (file.bytes.length > MAX_QUESTION) return [];
  const text = decodeText(file.bytes);
  if (/^# (?:HELP|TYPE|OAKUM|EOF)/m.test(text) || !/[{,](?:pod|container|namespace|instance|job)="/.test(text))
    return [];
  const paste = readPaste(text);
  return fromPaste(member, paste, options).filter(({ kind }) => kind === 'text' && paste.pieces.length > 0);
}

/** Prose without a number may still ask the question that Oakum answers. */
function isAboutMemory({ prose }: Paste): boolean {
  // Source code and recorded answers lie beside evidence.
  if (prose.length > MAX_QUESTION || /^(?:package \w+$|import |#!|[<>]? ?HTTP\/|<\?xml|<!DOCTYPE|[{[]")/m.test(prose))
    return false;
  return /\b(?:goroutines?|pprof|heap|OOM(?:Killed)?|RSS|memory)\b/i.test(prose);
}

/** Blocks of one paste are snapshots in their order; numbers that were logged with times are samples. */
function fromPaste(member: PileMember, paste: Paste, options: MemberOptions): ReadSnapshot[] {
  const node = options.subject?.(paste) ?? '';
  const stacks = paste.pieces.filter(piece => piece.kind === 'stacks');
  const read = stacks.flatMap(({ format, text, line, notes }, index): ReadSnapshot[] => {
    const path = stacks.length === 1 ? member.path : `${member.path}, line ${line}`;
    try {
      const reading: Reading = { format, ...FORMATS[format].read(new FileContent(encodeText(text))) };
      const snapshot = fromReading(
        reading,
        { ...member, path, argument: (member.argument ?? 0) + index / 1e4 },
        options,
      );
      return [
        {
          ...snapshot,
          families: withTotal(snapshot.families, reading.dump),
          // A stack without its creator is no cut dump, and lines are counted in the paste.
          truncated: notes.find(note => note.endsWith(PART_PASTED)),
          node,
          notes: [...notes, ...snapshot.notes],
        },
      ];
    } catch (error) {
      if (!(error instanceof FormatError)) throw error;
      return [
        { ...base({ ...member, path }), kind: 'unknown', format, truncated: undefined, notes: [error.describe()] },
      ];
    }
  });
  const text: ReadSnapshot = {
    ...base(member),
    kind: 'text',
    format: 'paste',
    truncated: member.damage,
    notes: paste.notes,
    paste,
    node,
  };
  return [...read, ...timedLevels(member, paste, node), text];
}

/** The total in the title of a profile counts the whole, of which a part was pasted. */
function withTotal(families: FamilyTable | undefined, dump: GoroutineDump | undefined): FamilyTable | undefined {
  const declared = dump?.sections[0]?.declaredTotal ?? 0;
  return families === undefined || declared <= families.total ? families : { ...families, total: declared };
}

/** The metrics that levels are samples of. */
const LEVEL_METRICS: Partial<Record<Level['of'], string>> = {
  goroutines: 'go_goroutines',
  resident: 'process_resident_memory_bytes',
  'live heap': 'go_memstats_alloc_bytes',
  'file descriptors': 'process_open_fds',
};
const MIN_SAMPLES = 3;

function timedLevels(member: PileMember, { pieces }: Paste, node: string): ReadSnapshot[] {
  const levels = pieces.filter(piece => piece.kind === 'level');
  return [...groupBy(levels, ({ subject }) => subject)].flatMap(([subject, own]) => {
    const series = new Map<string, MetricSeries>();
    for (const [of, samples] of groupBy(own, level => level.of)) {
      const name = LEVEL_METRICS[of];
      const clock = { referenceSeconds: member.mtimeSeconds, bootSeconds: undefined, utcOffsetSeconds: 0 };
      const timed = new Map(
        samples.flatMap(({ stamp, value }): [number, number][] => {
          const at = resolveStamp(stamp, clock);
          return at === undefined ? [] : [[at, value]];
        }),
      );
      if (name === undefined || timed.size < MIN_SAMPLES) continue;
      const times = [...timed.keys()].sort((a, b) => a - b);
      series.set(name, {
        name,
        labels: {},
        times: Float64Array.from(times),
        values: Float64Array.from(times, at => timed.get(at) ?? NaN),
      });
    }
    return series.size === 0 ? [] : fromSamples(member.path, series, node === '' ? subject : node);
  });
}

/** Text that no format claims may still be evidence for a person; unclaimed bytes are damaged. */
function unrecognized(member: PileMember, file: FileContent): ReadSnapshot {
  if (!file.isText) throw new FormatError(UNRECOGNIZED_FILE);
  return { ...base(member), kind: 'unknown', format: 'unknown', truncated: member.damage, notes: [UNRECOGNIZED_FILE] };
}

function base(member: Provenance): Omit<ReadSnapshot, 'kind' | 'format' | 'truncated' | 'notes'> {
  return {
    path: member.path,
    argument: member.argument ?? 0,
    origin: NO_ORIGIN,
    isDelta: false,
    families: undefined,
    profile: undefined,
    dump: undefined,
    memStats: undefined,
    collection: undefined,
    series: undefined,
    times: { ...pathTimes(member), content: undefined, contentFrom: undefined, lastGc: undefined },
    version: '',
    node: '',
    capturedFrom: '',
    startTimeSeconds: undefined,
    context: undefined,
  };
}

function pathTimes(member: Provenance): { name: number | undefined; file: number | undefined } {
  // Archives made to be reproducible date everything 1970 or 1980.
  const file = (member.mtimeSeconds ?? 0) > 1e9 ? member.mtimeSeconds : undefined;
  return { name: timeInPath(member.path), file };
}

/** `heap.gc1.pb.gz`, `worker-17-heap-gc.pb.gz`, `heapgc-1794774072.pb.gz`: asked for with gc=1. */
function isForcedByName(kind: SnapshotKind, path: string): boolean {
  return kind === 'heap' && /(?:^|[-_.]|heap)(?<!no[-_.]?)gc(?:=?1)?(?=[-_.])/i.test(fileName(path));
}

function gcSeconds(memStats: MemStats | undefined): number | undefined {
  const nanos = memStats?.lastGcNanos ?? 0n;
  return nanos > 0n ? Number(nanos / 1000n) / 1e6 : undefined;
}

/** Files of a capture have the target, version and time of its manifest, whatever their paths say. */
export function withManifests(all: readonly ReadSnapshot[]): readonly ReadSnapshot[] {
  const byFolder = new Map<string, CaptureRecord>();
  for (const { context, path } of all) {
    if (context?.capture !== undefined) byFolder.set(folderOf(path), context.capture);
  }
  if (byFolder.size === 0) return all;
  return all.map(one => {
    const record = byFolder.get(folderOf(one.path));
    return record === undefined ? one : applyRecord(one, record);
  });
}

export function applyRecord(one: ReadSnapshot, record: CaptureRecord): ReadSnapshot {
  const name = fileName(one.path);
  // A file may lose its last extension in an archive or when it is decompressed.
  const file = record.files.get(name) ?? record.files.get(`${name}.gz`);
  const ofTarget = { ...one, capturedFrom: record.target, node: one.node || nameInEvidence(record.target) };
  if (file === undefined) return ofTarget;
  const { content } = one.times;
  return {
    ...ofTarget,
    version: one.version || record.version,
    startTimeSeconds: one.startTimeSeconds ?? file.startTimeSeconds,
    times: { ...one.times, content: content ?? file.takenAtSeconds },
    truncated: one.truncated ?? file.truncated,
    collection: one.collection ?? file.collection,
  };
}

/** Which kind of profile it is, by its content: sample types first, then what stacks of each kind always end in. */
export function kindOf(reading: Reading, path: string): SnapshotKind {
  const { profile, dump } = reading;
  if (dump !== undefined) return namedKind(dump.sections[0]?.name ?? 'goroutine');
  const types = new Set(profile.sampleTypes.map(type => type.type));
  // As text, a process that has freed nothing shows what is in use only, as pprof reads it.
  const isHeap = types.has('inuse_space') || (reading.format === 'heap-text' && types.has('space'));
  if (isHeap) {
    if (profile.defaultSampleType === 'alloc_space') return 'allocs';
    // The text of both is the same.
    return reading.format !== 'pprof' && /allocs/i.test(fileName(path)) ? 'allocs' : 'heap';
  }
  if (types.has('cpu') || profile.periodType.type === 'cpu') return 'cpu';
  if (types.has('contentions')) return reading.contention ?? contentionKind(profile, path);
  for (const type of types) {
    const kind = namedKind(type);
    if (kind !== 'profile') return kind;
  }
  return 'profile';
}

function namedKind(name: string): SnapshotKind {
  return name === 'goroutine' || name === 'goroutineleak' || name === 'threadcreate' ? name : 'profile';
}

/** A mutex profile is sampled where a lock is given up, a block profile where something is waited for. */
const UNLOCKS = /^(?:internal\/)?sync\.\(\*(?:RW)?Mutex\)\.R?Unlock|^runtime\.(?:unlock|_LostContendedRuntimeLock)/;
const WAITS = /\.(?:Lock|RLock|Wait|lockSlow)$|^runtime\.(?:chanrecv|chansend|selectgo|block|semacquire|gopark)/;

function contentionKind(profile: Profile, path: string): SnapshotKind {
  let unlocks = 0;
  let waits = 0;
  const { samples } = profile;
  for (let i = 0; i < samples.length; i++) {
    if (samples.stackStart[i] === samples.stackStart[i + 1]) continue;
    const leaf = leafName(profile, elementAt(samples.stackLocations, elementAt(samples.stackStart, i)));
    if (UNLOCKS.test(leaf)) unlocks++;
    else if (WAITS.test(leaf)) waits++;
  }
  if (unlocks !== waits) return unlocks > waits ? 'mutex' : 'block';
  const name = fileName(path);
  return /mutex/i.test(name) ? 'mutex' : /block/i.test(name) ? 'block' : 'profile';
}

function leafName(profile: Profile, location: number): string {
  const { lineStart, lines } = profile.locations;
  const line = elementAt(lineStart, location);
  if (line === lineStart[location + 1]) return '';
  const fn = elementAt(lines.fn, line);
  return fn < 0 ? '' : elementAt(profile.strings, elementAt(profile.functions.name, fn));
}

/** Kinds of which a `?seconds=` request gives the difference. A CPU profile always has a duration. */
const SNAPSHOT_KINDS: ReadonlySet<SnapshotKind> = new Set([
  'goroutine',
  'goroutineleak',
  'heap',
  'allocs',
  'threadcreate',
  'block',
  'mutex',
]);

export function isDeltaProfile(kind: SnapshotKind, profile: Profile): boolean {
  if (!SNAPSHOT_KINDS.has(kind)) return false;
  return profile.durationNanos > 0n || profile.samples.values.some(column => column.some(value => value < 0));
}
