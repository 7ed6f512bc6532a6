/**
 * The state of one target: hourly columns, and where its epochs (process lives, once settled) begin.
 *
 * observe -> columns of the current hour -> rings of 14 days
 */
import { finite, firstFinite } from '../../base/finite.ts';
import type { ResourceVerdict } from './detection.ts';
import { NATIVE_MEMORY } from '../../evidence/metric-names.ts';
import { isRestart, type LifeSigns } from '../../evidence/process-life.ts';
import { isLimit, memoryLimitIn, nativeBytesIn } from '../../evidence/resource.ts';
import type { FastProof } from './fast-proof.ts';
import { FINE_MINUTES, FineColumn } from './fine-column.ts';
import { type DetectorOptions, type Effects, usualEffects } from './options.ts';
import { RateColumn } from './rate-column.ts';
import { TUNING } from './options.ts';
import { BinColumn, CounterColumn, RING_BINS } from './bin-column.ts';
import {
  type Aggregate,
  ALLOC_METRICS,
  GOAL_METRIC,
  POD_METRICS,
  RESOURCE_RULES,
  type ResourceRule,
} from '../../evidence/resource-rules.ts';

/**
 * The live heap of a process that exposes only `go_memstats_*`, from the goal of its collector.
 *
 *     goal   ‾‾‾‾|____|‾‾‾‾‾   next_gc: (1 + GOGC) times what the last collection found
 *     alloc  _/|_/|_/|_/|_/|   between the live heap and the goal: a sawtooth
 *
 * The lowest alloc of this life, as a share of the goal, is the share that is live: a half at GOGC=100. GOGC does not
 * change, so the goal times this one share follows the live heap without a sawtooth. The share is found step by step;
 * each time it is corrected, the levels kept so far are corrected with it.
 *
 * A memory limit, or GOGC=off, holds the goal while the live heap grows: then the lowest share of the last samples is
 * far above that of the life, and counts instead.
 */
const SAMPLES = 32;

/** A scrape that always meets a collection at the same phase sees a third more than is live. */
const HELD_GOAL = 1.4;

const USUAL_SHARE = 0.5;

/** The goal is never below 4 MiB times GOGC, however little is live; so small a goal says nothing at GOGC=400 or less. */
const FLOOR_GOAL_BYTES = 16 * 1024 * 1024;

/** A level over the last two hours, in bins of eight minutes. */
const BINS = 16;

const BIN_MINUTES = 8;

export type Values = Readonly<Record<string, number>>;

export interface ResourceState {
  readonly rule: ResourceRule;
  column: BinColumn;
  /** Index of the source in use; a better one replaces it when it appears. */
  source: number;
  metric: string;
  /** When it was last judged a leak; NaN if never. */
  leakEarnedBin: number;
  /** Minutes to two days of this life; undefined if the fast scale does not judge the resource: stacks. */
  fine: FineColumn | undefined;
  /** What the fast scale said last, and when in fine bins. */
  lastFast: { readonly fineBin: number; readonly verdict: ResourceVerdict | undefined };
  /** The effect of pods, as last learned from the fleet. */
  effects: Effects;
  /** Lives that were judged leaks: their levels are no measure for the next life. */
  readonly leakyEpochs: Set<number>;
  /** The last proof on the fast scale. */
  fastProof: FastProof | undefined;
}

/** Counters that may drive a leak, and the name of one unit. */
export const CLOCKS = [
  { metric: 'kubelet_started_pods_total', per: 'pod start' },
  { metric: 'kubelet_started_containers_total', per: 'container start' },
  { metric: 'prober_probe_total', per: 'probe' },
  { metric: 'rest_client_transport_create_calls_total', per: 'API reconnect' },
  { metric: 'rest_client_requests_total', per: 'API request' },
] as const;

const START_METRICS = CLOCKS.filter(({ per }) => per === 'pod start' || per === 'container start').map(
  one => one.metric,
);

/** Gauges that explain a rise that is not a leak. */
const CONTEXT_GAUGES = {
  heapInUse: ['go_memstats_heap_inuse_bytes'],
  heapFree: ['go_memory_classes_heap_free_bytes'],
  heapIdle: ['go_memstats_heap_idle_bytes'],
  heapReleased: ['go_memory_classes_heap_released_bytes', 'go_memstats_heap_released_bytes'],
  profilerBuckets: ['go_memory_classes_profiling_buckets_bytes', 'go_memstats_buck_hash_sys_bytes'],
  podsWorkingSet: ['pod_memory_working_set_bytes'],
  nodeWorkingSet: ['node_memory_working_set_bytes'],
} as const;

const CONTEXT_COUNTERS = {
  runtimeErrors: 'kubelet_runtime_operations_errors_total',
  runtimeCalls: 'kubelet_runtime_operations_total',
} as const;

const COARSE_HOURS = 6;

export class TargetState {
  readonly name: string;
  readonly resources: ResourceState[] = [];
  readonly #binSeconds: number;
  /** The current hour, counted from 1970; -1 before the first sample. */
  currentBin: number = -1;
  firstBin: number = -1;
  lastSampleSeconds: number = -Infinity;
  /** Seconds between samples, a running average. */
  cadenceSeconds: number = NaN;
  /** The epoch of each hour. */
  readonly #epochs = new Uint16Array(RING_BINS);
  readonly #settled = new Uint8Array(RING_BINS);
  epoch: number = 0;
  epochBins: number[] = [];
  /** The last known value of each. */
  #signs: LifeSigns = { atSeconds: NaN, startSeconds: NaN, cpuSeconds: NaN };
  #epochBeganSeconds = -Infinity;
  #level = NaN;
  pods: BinColumn | undefined;
  finePods: FineColumn | undefined;
  /** File descriptors: sessions and clients come with them. */
  descriptors: RecentLevels | undefined;
  /** The share of calls to the container runtime that failed since the last sample. */
  runtimeErrors: RateColumn | undefined;
  #calls = { errors: NaN, all: NaN };
  /** Pod starts per minute since the last sample. */
  podStarts: RateColumn | undefined;
  #starts = { atSeconds: NaN, count: NaN };
  #goalHeap: GoalHeap | undefined;
  resident: BinColumn | undefined;
  readonly counters: (CounterColumn | undefined)[] = [];
  readonly gauges: Partial<Record<keyof typeof CONTEXT_GAUGES, BinColumn>> = {};
  readonly contextCounters: Partial<Record<keyof typeof CONTEXT_COUNTERS, CounterColumn>> = {};
  /** As last sampled. */
  lastResident: number = NaN;
  memoryLimit: number = NaN;
  fileLimit: number = NaN;

  constructor(name: string, binSeconds: number) {
    this.name = name;
    this.#binSeconds = binSeconds;
  }

  observe(atSeconds: number, values: Values): void {
    if (!Number.isFinite(atSeconds)) return;
    const bin = Math.floor(atSeconds / this.#binSeconds);
    // The clock went back: count the samples in the current hour.
    if (bin > this.currentBin) this.advance(bin);
    if (atSeconds > this.lastSampleSeconds) {
      const gap = atSeconds - this.lastSampleSeconds;
      if (Number.isFinite(gap)) {
        this.cadenceSeconds = Number.isNaN(this.cadenceSeconds)
          ? gap
          : this.cadenceSeconds + 0.05 * (Math.min(gap, 4 * this.cadenceSeconds) - this.cadenceSeconds);
      }
      this.lastSampleSeconds = atSeconds;
    }
    this.#followEpoch(atSeconds, values);
    const fineBin = Math.floor((atSeconds * 60) / (FINE_MINUTES * this.#binSeconds));
    for (const rule of RESOURCE_RULES) this.#addResource(rule, values, fineBin);
    const pods = firstFinite(values, POD_METRICS);
    if (pods !== undefined) {
      (this.pods ??= new BinColumn('mean')).add(pods);
      (this.finePods ??= new FineColumn('mean')).add(fineBin, pods);
    }
    const resident = finite(values.process_resident_memory_bytes);
    if (resident !== undefined) {
      (this.resident ??= new BinColumn('low')).add(resident);
      this.lastResident = resident;
    }
    CLOCKS.forEach((clock, i) => {
      const value = finite(values[clock.metric]);
      if (value !== undefined) (this.counters[i] ??= new CounterColumn(i < 2 ? 1 : COARSE_HOURS)).add(value);
    });
    this.#addContext(values);
    this.#addErrors(values, fineBin);
    this.#addStarts(values, atSeconds, fineBin);
    this.memoryLimit = memoryLimitIn(values) ?? this.memoryLimit;
    const files = values['process_max_fds'];
    if (isLimit(files)) this.fileLimit = files;
  }

  #addResource(rule: ResourceRule, values: Values, fineBin: number): void {
    const valueOf = (metric: string): number | undefined =>
      metric === NATIVE_MEMORY ? nativeBytesIn(values) : finite(values[metric]);
    const index = rule.sources.findIndex(({ metric }) => valueOf(metric) !== undefined);
    if (index < 0) return;
    const { metric, aggregate } = rule.sources[index];
    const value = metric === GOAL_METRIC ? this.#liveHeapFrom(values) : (valueOf(metric) ?? NaN);
    let state = this.resources.find(other => other.rule === rule);
    if (state === undefined) {
      state = {
        rule,
        column: new BinColumn(aggregate),
        fine: fineColumnFor(rule, aggregate),
        lastFast: { fineBin: -Infinity, verdict: undefined },
        source: index,
        metric,
        leakEarnedBin: NaN,
        effects: usualEffects(rule),
        leakyEpochs: new Set(),
        fastProof: undefined,
      };
      this.resources.push(state);
    } else if (index < state.source) {
      state.column = new BinColumn(aggregate);
      state.fine = fineColumnFor(rule, aggregate);
      state.source = index;
      state.metric = metric;
    } else if (index > state.source) {
      return; // The scrape lacks the better metric, so it says nothing.
    }
    if (metric === GOAL_METRIC) state.fine?.scale(this.#goalHeap?.correction ?? 1);
    state.column.add(value);
    state.fine?.add(fineBin, value);
    if (rule.resource === 'file descriptors') (this.descriptors ??= new RecentLevels()).add(fineBin, value);
  }

  #liveHeapFrom(values: Values): number {
    this.#goalHeap ??= new GoalHeap();
    return this.#goalHeap.liveBytes(values[GOAL_METRIC], firstFinite(values, ALLOC_METRICS) ?? NaN);
  }

  #addErrors(values: Values, fineBin: number): void {
    const errors = finite(values[CONTEXT_COUNTERS.runtimeErrors]);
    const all = finite(values[CONTEXT_COUNTERS.runtimeCalls]);
    if (errors === undefined || all === undefined) return;
    const calls = all - this.#calls.all;
    const failed = errors - this.#calls.errors;
    this.#calls = { errors, all };
    // NaN before the first, below 0 after a reset.
    if (calls > 0 && failed >= 0) (this.runtimeErrors ??= new RateColumn()).add(fineBin, failed / calls);
  }

  #addStarts(values: Values, atSeconds: number, fineBin: number): void {
    const count = firstFinite(values, START_METRICS);
    if (count === undefined) return;
    const minutes = ((atSeconds - this.#starts.atSeconds) * 60) / this.#binSeconds;
    const started = count - this.#starts.count;
    this.#starts = { atSeconds, count };
    if (minutes > 0 && started >= 0) (this.podStarts ??= new RateColumn()).add(fineBin, started / minutes);
  }

  #addContext(values: Values): void {
    for (const [key, metrics] of Object.entries(CONTEXT_GAUGES)) {
      const value = firstFinite(values, metrics);
      const name = key as keyof typeof CONTEXT_GAUGES;
      if (value !== undefined) (this.gauges[name] ??= new BinColumn('median', COARSE_HOURS)).add(value);
    }
    for (const [key, metric] of Object.entries(CONTEXT_COUNTERS)) {
      const value = finite(values[metric]);
      const name = key as keyof typeof CONTEXT_COUNTERS;
      if (value !== undefined) (this.contextCounters[name] ??= new CounterColumn(COARSE_HOURS)).add(value);
    }
  }

  /** Starts a new life at a restart. Without start times a counter may be reset alone, so the level must fall too. */
  #followEpoch(atSeconds: number, values: Values): void {
    const start = finite(values.process_start_time_seconds);
    const cpu = finite(values.process_cpu_seconds_total);
    const level = finite(values.process_resident_memory_bytes) ?? finite(values.go_goroutines) ?? NaN;
    const before = this.#signs;
    const wasRestarted = isRestart(before, { startSeconds: start, cpuSeconds: cpu });
    if (start !== undefined) {
      const first = this.epoch === 0 && Number.isNaN(before.startSeconds);
      if (wasRestarted) this.#begin(start);
      else if (first) this.#epochBeganSeconds = start;
    } else if (wasRestarted && !(level > 0.75 * this.#level)) {
      this.#begin(atSeconds);
    }
    this.#signs = { atSeconds, startSeconds: start ?? before.startSeconds, cpuSeconds: cpu ?? before.cpuSeconds };
    if (!Number.isNaN(level)) this.#level = level;
    const bin = this.currentBin;
    this.#epochs[bin % RING_BINS] = this.epoch;
    // An hour counts as settled only if all of it is.
    const settled = bin * this.#binSeconds - this.#epochBeganSeconds >= this.#warmUpHours() * this.#binSeconds;
    this.#settled[bin % RING_BINS] = settled ? 1 : 0;
  }

  /** For a process with short lives, a quarter of the last one; otherwise nothing of them would ever count. */
  #warmUpHours(): number {
    const [last, begin] = [this.epochBins.at(-2) ?? this.firstBin, this.epochBins.at(-1)];
    if (begin === undefined) return TUNING.warmUpHours;
    return Math.min(TUNING.warmUpHours, Math.max(1, (begin - last) / 4));
  }

  #begin(startSeconds: number): void {
    this.#epochBeganSeconds = startSeconds;
    this.epoch = (this.epoch + 1) & 0xffff;
    this.epochBins.push(this.currentBin);
    if (this.epochBins.length > 64) this.epochBins.shift();
    // The hour spans two lives; the values of the earlier one are not comparable.
    for (const resource of this.resources) {
      resource.column.drop();
      resource.fine?.restart();
    }
    this.#goalHeap?.restart();
    this.runtimeErrors?.restart();
    this.podStarts?.restart();
    this.descriptors?.restart();
    this.resident?.drop();
  }

  /** Closes the hours before `bin`. */
  advance(bin: number): void {
    const from = this.currentBin;
    if (bin <= from) return;
    this.currentBin = bin;
    if (from < 0) {
      this.firstBin = bin;
      return;
    }
    for (const column of this.#columns()) {
      column.close(from);
      column.clear(from + 1, bin);
    }
    for (let gap = Math.max(from + 1, bin - RING_BINS); gap <= bin; gap++) {
      this.#epochs[gap % RING_BINS] = this.epoch;
      this.#settled[gap % RING_BINS] = this.#settled[from % RING_BINS];
    }
  }

  *#columns(): Generator<BinColumn | CounterColumn> {
    for (const resource of this.resources) yield resource.column;
    if (this.pods !== undefined) yield this.pods;
    if (this.resident !== undefined) yield this.resident;
    for (const counter of this.counters) if (counter !== undefined) yield counter;
    for (const gauge of Object.values(this.gauges)) yield gauge;
    for (const counter of Object.values(this.contextCounters)) yield counter;
  }

  /** When the present life began; -Infinity if unknown, since it began before the record. */
  get lifeBeganSeconds(): number {
    return this.#epochBeganSeconds;
  }

  /** When this life began, in hours as bins count them; -Infinity if nothing says so. */
  get lifeBeganHours(): number {
    return this.#epochBeganSeconds / this.#binSeconds;
  }

  epochAt(bin: number): number {
    return this.#epochs[bin % RING_BINS];
  }

  /** Whether the process had been up long enough in all of this hour. */
  isSettledAt(bin: number): boolean {
    return this.#settled[bin % RING_BINS] === 1;
  }

  /** The epochs from hour `fromBin` on; values of hours that are not settled become NaN. */
  copyEpochs(epochs: Uint16Array, values: Float64Array, fromBin: number, count: number): void {
    let at = fromBin % RING_BINS;
    for (let i = 0; i < count; i++) {
      epochs[i] = this.#epochs[at];
      if (this.#settled[at] === 0) values[i] = NaN;
      if (++at === RING_BINS) at = 0;
    }
  }
}

/** Stacks follow goroutines. */
function fineColumnFor({ resource }: ResourceRule, aggregate: Aggregate): FineColumn | undefined {
  return resource === 'stacks' ? undefined : new FineColumn(aggregate);
}

export function memoryLimitOf(target: TargetState, options: DetectorOptions): number {
  if (!Number.isNaN(target.memoryLimit)) return target.memoryLimit;
  const given = options.memoryLimitBytes;
  return (typeof given === 'function' ? given(target.name) : given) ?? NaN;
}

export class RecentLevels {
  /** So few that a typed array would cost more than it holds. */
  readonly #levels: number[] = new Array<number>(BINS).fill(NaN);
  /** The current bin; -1 before the first sample. */
  #bin = -1;

  /** `fineBin` counts minutes of the detector; the first sample in a bin counts. */
  add(fineBin: number, level: number): void {
    const bin = Math.floor(fineBin / BIN_MINUTES);
    if (bin <= this.#bin) return;
    for (let gap = Math.max(this.#bin + 1, bin - BINS + 1); gap < bin; gap++) this.#levels[gap % BINS] = NaN;
    this.#bin = bin;
    this.#levels[bin % BINS] = level;
  }

  /** Starts another life: nothing of the last one is comparable. */
  restart(): void {
    this.#levels.fill(NaN);
  }

  /** What it gained since a minute; NaN if unknown. */
  gainSince(fineBin: number): number {
    const from = Math.floor(fineBin / BIN_MINUTES);
    if (this.#bin < 0 || from <= this.#bin - BINS) return NaN;
    for (let bin = from; bin < this.#bin; bin++) {
      const level = this.#levels[bin % BINS];
      if (!Number.isNaN(level)) return this.#levels[this.#bin % BINS] - level;
    }
    return NaN;
  }
}

export class GoalHeap {
  readonly #shares = new Float32Array(SAMPLES).fill(Infinity);
  #count = 0;
  #lowest = NaN;
  #correction = 1;

  /** `allocBytes` is NaN where it is not exposed. */
  liveBytes(goalBytes: number, allocBytes: number): number {
    const share = Math.min(1, allocBytes / goalBytes);
    this.#correction = 1;
    if (share > 0 && goalBytes > FLOOR_GOAL_BYTES) {
      this.#shares[this.#count++ % SAMPLES] = share;
      if (!(share >= this.#lowest)) {
        this.#correction = share / (Number.isNaN(this.#lowest) ? USUAL_SHARE : this.#lowest);
        this.#lowest = share;
      }
    }
    if (Number.isNaN(this.#lowest)) return USUAL_SHARE * goalBytes;
    const recent = this.#count < SAMPLES ? this.#lowest : this.#shares.reduce((a, b) => Math.min(a, b));
    return goalBytes * (recent > HELD_GOAL * this.#lowest ? recent : this.#lowest);
  }

  /** What the last sample showed earlier levels to be, as a factor of what was said. */
  get correction(): number {
    return this.#correction;
  }

  restart(): void {
    this.#shares.fill(Infinity);
    this.#count = 0;
    this.#lowest = NaN;
    this.#correction = 1;
  }
}
