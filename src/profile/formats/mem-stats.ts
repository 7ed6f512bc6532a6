/** The trailer of a heap profile at debug=1: `# runtime.MemStats`, then `# NAME = VALUE` lines. */

/** Memory of one runtime structure: in use, and obtained from the system. */
interface InuseOfSys {
  readonly inuseBytes: number;
  readonly sysBytes: number;
}

/**
 * `runtime.MemStats` from the end of a heap profile at debug=1: heap, stacks, garbage collector and memory from the
 * system, all at the same time. Every field may be missing: releases differ, and captures are cut short. Values that do
 * not fit a double (byte counters, nanoseconds since 1970, "never") are bigints.
 */
export interface MemStats {
  readonly allocBytes?: number;
  readonly totalAllocBytes?: bigint;
  readonly sysBytes?: number;
  readonly lookups?: number;
  readonly mallocs?: number;
  readonly frees?: number;
  readonly heapAllocBytes?: number;
  readonly heapSysBytes?: number;
  readonly heapIdleBytes?: number;
  readonly heapInuseBytes?: number;
  readonly heapReleasedBytes?: number;
  readonly heapObjects?: number;
  /** Goroutine stacks. They are not part of the heap, so goroutine growth can be told from heap growth. */
  readonly stack?: InuseOfSys;
  readonly mspan?: InuseOfSys;
  readonly mcache?: InuseOfSys;
  /** The profiler's own hash tables. */
  readonly buckHashSysBytes?: number;
  readonly gcSysBytes?: number;
  readonly otherSysBytes?: number;
  /** The heap size that starts the next collection; 2^64 - 1 when collection is off. */
  readonly nextGcBytes?: bigint;
  /** When the last collection ended, in nanoseconds since 1970; 0 when there was none. */
  readonly lastGcNanos?: bigint;
  /** The last 256 pauses, a ring: pause n is at (n + 255) % 256. */
  readonly pauseNanos?: readonly number[];
  readonly pauseEndNanos?: readonly bigint[];
  readonly numGc?: number;
  readonly numForcedGc?: number;
  readonly gcCpuFraction?: number;
  readonly debugGc?: boolean;
  readonly maxRssBytes?: number;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
type Field = (stats: Mutable<MemStats>, value: string) => void;

const field =
  <K extends keyof MemStats>(key: K, parse: (value: string) => NonNullable<MemStats[K]> | undefined): Field =>
  (stats, value) => {
    const parsed = parse(value);
    // A value that cannot be read, such as one cut short, counts as missing.
    if (parsed !== undefined) stats[key] = parsed as Mutable<MemStats>[K];
  };

const FIELDS: Readonly<Record<string, Field>> = {
  Alloc: field('allocBytes', parseCount),
  TotalAlloc: field('totalAllocBytes', parseWide),
  Sys: field('sysBytes', parseCount),
  Lookups: field('lookups', parseCount),
  Mallocs: field('mallocs', parseCount),
  Frees: field('frees', parseCount),
  HeapAlloc: field('heapAllocBytes', parseCount),
  HeapSys: field('heapSysBytes', parseCount),
  HeapIdle: field('heapIdleBytes', parseCount),
  HeapInuse: field('heapInuseBytes', parseCount),
  HeapReleased: field('heapReleasedBytes', parseCount),
  HeapObjects: field('heapObjects', parseCount),
  Stack: field('stack', parsePair),
  MSpan: field('mspan', parsePair),
  MCache: field('mcache', parsePair),
  BuckHashSys: field('buckHashSysBytes', parseCount),
  GCSys: field('gcSysBytes', parseCount),
  OtherSys: field('otherSysBytes', parseCount),
  NextGC: field('nextGcBytes', parseWide),
  LastGC: field('lastGcNanos', parseWide),
  PauseNs: field('pauseNanos', value => parseList(value)?.map(Number)),
  PauseEnd: field('pauseEndNanos', value => parseList(value)?.map(BigInt)),
  NumGC: field('numGc', parseCount),
  NumForcedGC: field('numForcedGc', parseCount),
  GCCPUFraction: field('gcCpuFraction', parseFraction),
  DebugGC: field('debugGc', value => (value === 'true' ? true : value === 'false' ? false : undefined)),
  MaxRSS: field('maxRssBytes', parseCount),
};

export const MEM_STATS_TITLE = '# runtime.MemStats';

export class MemStatsReader {
  readonly stats: MemStats = {};

  /** Takes one line; other lines than fields are ignored. */
  add(line: string): void {
    const match = /^# (\w{1,20}) = (.*)$/.exec(line);
    if (match !== null && Object.hasOwn(FIELDS, match[1])) FIELDS[match[1]](this.stats, match[2].trimEnd());
  }
}

function parseCount(value: string): number | undefined {
  return /^\d{1,20}$/.test(value) ? Number(value) : undefined;
}

function parseWide(value: string): bigint | undefined {
  return /^\d{1,20}$/.test(value) ? BigInt(value) : undefined;
}

function parsePair(value: string): InuseOfSys | undefined {
  const match = /^(\d{1,20}) \/ (\d{1,20})$/.exec(value);
  return match === null ? undefined : { inuseBytes: Number(match[1]), sysBytes: Number(match[2]) };
}

function parseList(value: string): string[] | undefined {
  return /^\[[\d ]*\]$/.test(value) ? (value.match(/\d{1,20}/g) ?? []) : undefined;
}

function parseFraction(value: string): number | undefined {
  return /^-?\d+(\.\d+)?(e[+-]\d+)?$/.test(value) ? Number(value) : undefined;
}
