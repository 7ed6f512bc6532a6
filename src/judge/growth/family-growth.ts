/**
 * Growth of families over the snapshots of one process.
 *
 *     familyGrowth([{ processKey, table, atSeconds }, ...])  ->  Growth[], significant first, largest first
 *
 * Never across a restart or between builds: callers pass snapshots of one process, which is asserted.
 */
import { assert } from '../../base/assert.ts';
import type { Family, FamilyCount, FamilyTable } from '../../profile/families/family.ts';
import type { Growth, GrowthPoint } from './growth.ts';
import { formatBytes, formatCount } from '../../base/quantities.ts';
import { deltaErrorOf } from './heap-delta.ts';
import { type HeapGain, withHeapRates } from './heap-rate.ts';
import { densityOf } from './density.ts';
import { wholeNumberNote } from './operation-note.ts';
import { judgeGoroutines, judgeHeap, type Judgement, risesOf } from './significance.ts';
import { theilSen } from './theil-sen.ts';
import { turnoverOf } from './turnover.ts';

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
  const text = isHeap ? formatBytes : formatCount;
  const pods = `pods ${density.fromPods} -> ${density.toPods}`;
  if (!density.follows) return { ...chance, why: `${chance.why}; ${pods} do not explain it` };
  return { significant: false, why: `follows the pods: ${pods}, ${text(density.perPod)} per pod` };
}
