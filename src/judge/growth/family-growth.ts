/**
 * Growth of families over the snapshots of one process.
 *
 *     familyGrowth([{ processKey, table, atSeconds }, ...])  ->  Growth[], significant first, largest first
 *
 * Never across a restart or between builds: callers pass snapshots of one process, which is asserted.
 */
import type { Family, FamilyCount, FamilyTable, HeapSite } from '../../profile/families/family.ts';
import { type Growth, type GrowthPoint, turnoverOf } from './growth.ts';
import { amountIn, formatCount } from '../../base/say.ts';
import { densityOf } from './density.ts';
import { judgeGoroutines, judgeHeap, type Judgement, risesOf } from './significance.ts';
import { theilSen } from './theil-sen.ts';
import { assert } from '../../base/errors.ts';

/** 95 %. */
const Z = 1.96;

/** What a process allocates between a collection and the reading of MemStats. */
const COUNTING_ERROR_BYTES = 256 * 1024;

/** Counted and sampled that differ by more standard errors than this are not of the same heap. */
const MAX_DEVIATION = 4;

/** A family must be this share of the gain before the total's count tells about it. */
const MIN_SHARE = 0.5;

/** Explains a whole number of goroutines per operation: a leak that follows operations exactly has one cause. */
const MIN_OPERATIONS = 10;

const LISTENER = /\bprocessorListener(?:\[\.\.\.\])?\)\.(?:run|pop)/;

/** Less does not give a rate: a heap profile may show a collection from minutes ago. */
const MIN_RATE_SECONDS = 5 * 60;
/** The same if the times are those of the collections. */
const MIN_EXACT_SECONDS = 10;
/** A rate over such a short time must exceed this many standard errors to mean something. */
const MIN_EXACT_SIGMAS = 2;

export interface GrowthInput {
  readonly processKey: string;
  readonly table: FamilyTable;
  readonly atSeconds: number | undefined;
  /** Heap only: whether that is the time at which the collection behind the profile ended. */
  readonly isTimeExact?: boolean | undefined;
  /** Heap only: the bytes that survived that collection, counted and not sampled. */
  readonly liveBytes?: number | undefined;
  /** kubelet_running_pods at that time, if known. */
  readonly pods?: number | undefined;
}

export interface GrowthOptions {
  /** How many operations there were between the first snapshot and the last. */
  readonly operations?: number | undefined;
}

export function familyGrowth(inputs: readonly GrowthInput[], options: GrowthOptions = {}): Growth[] {
  for (const input of inputs) {
    assert(input.processKey === inputs[0].processKey, 'growth between two processes');
    assert(input.table.kind === inputs[0].table.kind, 'growth between goroutines and heap');
  }
  const ordered = inTimeOrder(inputs);
  const families = new Map<string, { family: Family; counts: (FamilyCount | undefined)[] }>();
  ordered.forEach((input, at) => {
    for (const count of input.table.counts) {
      let row = families.get(count.family.id);
      if (row === undefined) {
        row = { family: count.family, counts: new Array<FamilyCount | undefined>(ordered.length).fill(undefined) };
        families.set(count.family.id, row);
      }
      row.counts[at] = count;
    }
  });
  const growths = Array.from(families.values(), row => growthOf(row.family, row.counts, ordered, options));
  const rated = ordered[0]?.table.kind === 'heap' ? withHeapRates(growths, gainOf(ordered)) : withoutMoves(growths);
  return rated.sort(
    (a, b) =>
      Number(b.significant) - Number(a.significant) ||
      b.delta - a.delta ||
      b.to - a.to ||
      (a.family.id < b.family.id ? -1 : 1),
  );
}

/** The share of a family's gain that its kin must have gained for it to count as growth. */
const MIN_KIN_SHARE = 0.5;

/**
 * A goroutine may wait in one place now and in another a moment later, but the function it was started with stays the
 * same. If there are no more goroutines with that start than before, one family rose because another fell.
 */
function withoutMoves(growths: readonly Growth[]): Growth[] {
  const kin = new Map<string, { from: number; to: number }>();
  for (const { family, from, to } of growths) {
    const sum = kin.get(startOf(family)) ?? { from: 0, to: 0 };
    kin.set(startOf(family), { from: sum.from + from, to: sum.to + to });
  }
  return growths.map(growth => {
    const { family, significant, delta } = growth;
    const all = kin.get(startOf(family));
    if (family.kind === 'heap' || !significant || delta <= 0 || all === undefined) return growth;
    if (all.to - all.from >= delta * MIN_KIN_SHARE) return growth;
    const counts = `${formatCount(all.from)} -> ${formatCount(all.to)}`;
    return { ...growth, significant: false, why: `came from other stacks: of all with the same start ${counts}` };
  });
}

/** The function that the goroutine was started with, and which of its closures. */
function startOf({ frames, closures, id }: Family): string {
  const start = frames.at(-1);
  // A goroutine may now wait in a closure within the one that it was started with: `func2.1` in `func2`.
  const [closure = ''] = closures.at(-1)?.split('.') ?? [];
  return start === undefined ? id : `${start} ${closure === 'func1' ? '' : closure}`;
}

/** By time if every snapshot has one, else as given. */
function inTimeOrder(inputs: readonly GrowthInput[]): GrowthInput[] {
  const timed = inputs.every(input => input.atSeconds !== undefined);
  return timed ? [...inputs].sort((a, b) => (a.atSeconds ?? 0) - (b.atSeconds ?? 0)) : [...inputs];
}

function growthOf(
  family: Family,
  counts: readonly (FamilyCount | undefined)[],
  inputs: readonly GrowthInput[],
  options: GrowthOptions,
): Growth {
  const isHeap = family.kind === 'heap';
  const points: GrowthPoint[] = counts.map((count, i) => ({
    atSeconds: inputs[i].atSeconds,
    count: count?.count ?? 0,
    bytes: count?.bytes ?? 0,
  }));
  const values = points.map(point => (isHeap ? point.bytes : point.count));
  const from = values[0];
  const to = values[values.length - 1];
  const delta = to - from;
  const monotone = isMonotone(values);
  const heapPoints = counts.map((count, i) => ({
    atSeconds: inputs[i].atSeconds,
    bytes: count?.bytes ?? 0,
    allocatedSamples: count?.sites.reduce((sum, { allocated }) => sum + allocated.samples, 0) ?? 0,
    samples: count?.samples ?? 0,
  }));
  const perOperation =
    options.operations === undefined || options.operations <= 0 ? undefined : delta / options.operations;
  const deltaError = isHeap && points.length > 1 ? deltaErrorOf(counts[0], counts.at(-1)) : 0;
  const chance = isHeap
    ? judgeHeap(heapPoints, monotone, deltaError)
    : judgeGoroutines(values, turnoverOf(counts[0], counts.at(-1)));
  const { significant, why, mayBeChurn = false } = withDensity(chance, values, inputs, isHeap);
  const note =
    isHeap || perOperation === undefined
      ? undefined
      : wholeNumberNote(perOperation, options.operations ?? 0, family.frames);
  return {
    family,
    points,
    from,
    to,
    delta,
    perHour: slopePerHour(points, values, leastSeconds(inputs, delta, deltaError)),
    perHourRange: undefined,
    perOperation,
    monotone,
    isNew: points.length > 1 && from === 0 && to > 0,
    isGone: points.length > 1 && from > 0 && to === 0,
    deltaError,
    significant,
    mayBeChurn,
    why: note === undefined ? why : `${why}; ${note}`,
  };
}

function isMonotone(values: readonly number[]): boolean {
  // A single rise among several intervals may be one event.
  const enough = risesOf(values) >= (values.length > 2 ? 2 : 1);
  return enough && values.every((value, i) => i === 0 || value >= values[i - 1]);
}

function leastSeconds(inputs: readonly GrowthInput[], delta: number, deltaError: number): number {
  const isExact = inputs.every(({ isTimeExact }) => isTimeExact === true);
  return isExact && delta >= MIN_EXACT_SIGMAS * deltaError ? MIN_EXACT_SECONDS : MIN_RATE_SECONDS;
}

function gainOf(inputs: readonly GrowthInput[]): HeapGain {
  const [first, last] = [inputs[0], inputs[inputs.length - 1]];
  const isCounted = first.liveBytes !== undefined && last.liveBytes !== undefined;
  return {
    hours: ((last.atSeconds ?? NaN) - (first.atSeconds ?? NaN)) / 3600,
    sampledBytes: last.table.total - first.table.total,
    countedBytes: isCounted ? (last.liveBytes ?? 0) - (first.liveBytes ?? 0) : undefined,
  };
}

function slopePerHour(
  points: readonly GrowthPoint[],
  values: readonly number[],
  minSeconds: number,
): number | undefined {
  const timed = points.flatMap(({ atSeconds }, i) =>
    atSeconds === undefined ? [] : [{ atSeconds, value: values[i] }],
  );
  const times = timed.map(({ atSeconds }) => atSeconds);
  if (times.length === 0 || Math.max(...times) - Math.min(...times) < minSeconds) return undefined;
  // Hours since the first: a Unix time in hours would leave few digits for seconds.
  return theilSen(
    times.map(time => (time - times[0]) / 3600),
    timed.map(({ value }) => value),
  )?.slope;
}

/** Growth in step with the pods does not count. */
function withDensity(
  chance: Judgement,
  values: readonly number[],
  inputs: readonly GrowthInput[],
  isHeap: boolean,
): Judgement {
  if (!chance.significant) return chance;
  const density = densityOf(
    values,
    inputs.map(input => input.pods ?? NaN),
  );
  if (density === undefined) return chance;
  const text = amountIn(isHeap ? 'bytes' : 'count');
  const pods = `pods ${density.fromPods} -> ${density.toPods}`;
  if (!density.follows) return { ...chance, why: `${chance.why}; ${pods} do not explain it` };
  return { significant: false, why: `follows the pods: ${pods}, ${text(density.perPod)} per pod` };
}

/** Undefined if the growth per operation is not a whole number. */
function wholeNumberNote(perOperation: number, operations: number, frames: readonly string[]): string | undefined {
  const whole = Math.round(perOperation);
  if (operations < MIN_OPERATIONS || whole < 1 || Math.abs(perOperation - whole) > 0.02 * whole) return undefined;
  const rate = `${perOperation.toFixed(2)} per operation`;
  if (!frames.some(frame => LISTENER.test(frame)))
    return `${rate}, a whole number: every operation leaves the same behind`;
  const handlers = whole === 1 ? 'one event handler is' : `${whole} event handlers are`;
  return `${rate} here and as many in its twin (run + pop): ${handlers} never removed`;
}

/**
 * The sampling error of a heap family's change between two profiles of one process.
 *
 * What is live in both was sampled once, and cancels out. Only samples that came or went in between add error:
 *
 *     first   64 live                            independent: 64 + 88 samples, error 12
 *     last    88 live, 24 allocated since        of one process: 24 + 0 samples, error 5
 *
 * The change of a family that turns over completely is known no better than from two independent profiles.
 *
 * In bytes; never 0.
 */
export function deltaErrorOf(first: FamilyCount | undefined, last: FamilyCount | undefined): number {
  const [before, after] = [varianceOf(first), varianceOf(last)];
  const came = sumOf(last?.sites, 'allocated') - sumOf(first?.sites, 'allocated');
  const went = freed(last?.sites) - freed(first?.sites);
  const hasSites = (last?.sites.length ?? 0) > 0 && (first === undefined || first.sites.length > 0);
  const variance = hasSites ? Math.min(after, Math.max(came, 0)) + Math.min(before, Math.max(went, 0)) : before + after;
  return Math.max(Math.sqrt(variance), 1);
}

/** A family without samples is somewhere between nothing and one sample's worth. */
function varianceOf(count: FamilyCount | undefined): number {
  if (count === undefined) return 1;
  return (count.bytesError > 0 ? count.bytesError : Math.max(count.bytes, 1)) ** 2;
}

function sumOf(sites: readonly HeapSite[] = [], which: 'live' | 'allocated'): number {
  return sites.reduce((sum, { [which]: amount }) => sum + amount.variance, 0);
}

function freed(sites: readonly HeapSite[] | undefined): number {
  return sumOf(sites, 'allocated') - sumOf(sites, 'live');
}

/**
 * Rates of heap families with their sampling error, made sharper by what is known exactly.
 *
 *     profiles    family +11.8 MiB of +11.9 MiB in 20 s     sampled: off by a fifth with 24 samples
 *     MemStats    live heap +12.5 MiB                       counted
 *     rate        11.8 / 11.9 x 12.5 MiB in 20 s            off by what the rest of the heap may hide
 *
 * What a process's heap gained between the first profile and the last, sampled and counted.
 */
interface HeapGain {
  readonly hours: number;
  readonly sampledBytes: number;
  /** What two collections left alive, counted; undefined where nothing tells. */
  readonly countedBytes: number | undefined;
}

/** Growths of one process, with rates and their intervals. */
function withHeapRates(growths: readonly Growth[], gain: HeapGain): Growth[] {
  const variance = growths.reduce((sum, { deltaError }) => sum + deltaError ** 2, 0);
  const factor = factorOf(gain, Math.sqrt(variance));
  return growths.map(growth => {
    const { perHour, delta, deltaError } = growth;
    if (perHour === undefined || gain.hours <= 0) return growth;
    const share = delta / gain.sampledBytes;
    if (factor === undefined || share < MIN_SHARE) return withRange(growth, perHour, deltaError / gain.hours);
    const part = Math.min(share, 1);
    const rest = Math.sqrt(Math.max(0, variance - deltaError ** 2));
    const error = Math.hypot((1 - part) * deltaError * factor, part * rest * factor, COUNTING_ERROR_BYTES);
    return withRange(growth, perHour * factor, error / gain.hours);
  });
}

function withRange(growth: Growth, perHour: number, errorPerHour: number): Growth {
  return { ...growth, perHour, perHourRange: [perHour - Z * errorPerHour, perHour + Z * errorPerHour] };
}

function factorOf({ sampledBytes, countedBytes }: HeapGain, sampledError: number): number | undefined {
  if (countedBytes === undefined || countedBytes <= 0 || sampledBytes <= 0) return undefined;
  const allowed = MAX_DEVIATION * Math.hypot(sampledError, COUNTING_ERROR_BYTES);
  return Math.abs(countedBytes - sampledBytes) <= allowed ? countedBytes / sampledBytes : undefined;
}
