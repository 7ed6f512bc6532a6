/**
 * Growth of a process's resources from its metrics: a robust slope per hour with its interval.
 *
 *     metricGrowth(snapshot.series)  ->  live heap +41.7 MiB/h over 34 min, steady
 *
 * One life at a time: split series that span a restart first.
 */
import type { MetricSeries } from '../../evidence/snapshots/snapshot.ts';
import { factsOf, nativeSeriesIn, type Resource, type ResourceUnit } from '../../evidence/resource.ts';
import { NATIVE_MEMORY } from '../../evidence/metric-names.ts';
import { lifeBeginnings } from '../../evidence/process-life.ts';
import { amountIn, formatAge, hourly, signed } from '../../base/say.ts';
import { type Density, densityOf } from './density.ts';
import { quantile, theilSen, median } from './theil-sen.ts';
import { lifeSigns } from '../../evidence/snapshots/process-series.ts';
import { assert } from '../../base/errors.ts';

const MIN_POD_CHANGE = 5;

const MIN_POD_SHARE = 0.2;

/** Waves have hardly a trend of their own: this much of their variance at most. */
const MAX_TREND_SHARE = 0.25;

/** Pods that explain less of the scatter are left in. */
const MIN_EXPLAINED = 0.2;

/** Resident memory is measured, although it is not a resource of its own: live heap, stacks and unreturned memory. */
export type MetricResource = Resource | 'resident memory';

export interface MetricGrowth {
  readonly resource: MetricResource;
  readonly metric: string;
  readonly unit: ResourceUnit;
  readonly hours: number;
  /** The level at both ends: medians of the first and the last tenth. */
  readonly from: number;
  readonly to: number;
  readonly perHour: number;
  readonly lowPerHour: number;
  readonly highPerHour: number;
  /** 'steady' if both halves rise alike, 'rising' if not. */
  readonly trend: 'steady' | 'rising' | 'falling' | 'flat' | 'unknown';
  readonly density: Density | undefined;
  /** Where pods come in waves: everything here is at equal pods. */
  readonly equalPods: Omit<EqualPods, 'values'> | undefined;
  /** A sentence with numbers. */
  readonly sentence: string;
}

interface Source {
  readonly resource: MetricResource;
  readonly unit: ResourceUnit;
  /** The first one with a value is used. */
  readonly metrics: readonly string[];
}

/** In the order that readers want. */
const SOURCES: readonly Source[] = [
  sourceOf('live heap'),
  sourceOf('goroutines'),
  sourceOf('memory outside the Go heap'),
  { resource: 'resident memory', unit: 'bytes', metrics: ['process_resident_memory_bytes'] },
  sourceOf('stacks'),
  sourceOf('threads'),
  sourceOf('file descriptors'),
  sourceOf('metric series'),
];

function sourceOf(resource: Resource): Source {
  const { unit, metrics } = factsOf(resource);
  // Spans in use depend on the collector's pace: over minutes, the floor of the objects tells more.
  return { resource, unit, metrics: metrics.filter(metric => metric !== 'go_memstats_heap_inuse_bytes') };
}

/** Metrics with a sawtooth between collections; only their floor shows what is live. */
const SAWTOOTH = /^go_memstats_(?:heap_)?alloc_bytes$/;

const MIN_POINTS = 6;
/** Over less time, warming up and one burst of load look like a trend. */
const MIN_HOURS = 10 / 60;
/** Less than this share of the level is not growth, however certain it is. */
const MIN_CHANGE = 0.02;
/** Nor is less than this: one more idle stack or buffer. */
const MIN_AMOUNT = { bytes: 1024 * 1024, count: 3 } as const;

/** Whether there is enough data to judge a resource. */
export function isMeasured(resource: MetricResource, series: ReadonlyMap<string, MetricSeries> | undefined): boolean {
  const source = SOURCES.find(one => one.resource === resource);
  return source !== undefined && series !== undefined && seriesFor(source, series) !== undefined;
}

export function metricGrowth(series: ReadonlyMap<string, MetricSeries>): MetricGrowth[] {
  assert(lifeBeginnings(lifeSigns(series)).length <= 1, 'metric growth across a restart');
  const pods = series.get('kubelet_running_pods');
  return SOURCES.flatMap(source => {
    const found = seriesFor(source, series);
    return found === undefined ? [] : growthOfSeries(source, found, pods);
  });
}

/** The first metric with a value; memory outside the Go heap is computed of several. */
function seriesFor({ resource, metrics }: Source, all: ReadonlyMap<string, MetricSeries>): MetricSeries | undefined {
  if (resource === 'memory outside the Go heap') return nativeSeries(all);
  const metric = metrics.find(name => all.get(name)?.values.some(Number.isFinite));
  if (resource === 'live heap' && metric !== undefined && metric !== metrics[0])
    return goalSeries(all) ?? all.get(metric);
  return metric === undefined ? undefined : all.get(metric);
}

/** With GOGC off there is no goal. */
const MAX_GOAL_BYTES = 2 ** 50;
const USUAL_GOGC = 100;

/**
 * What was live at the last collection, by the goal that the collector set then: GOGC percent above it. What is allocated
 * or in use rises to that goal between collections, so it grows up to twice as fast as what is live.
 */
function goalSeries(all: ReadonlyMap<string, MetricSeries>): MetricSeries | undefined {
  const goals = all.get('go_memstats_next_gc_bytes');
  const gogc = all.get('go_gc_gogc_percent')?.values.find(percent => percent > 0) ?? USUAL_GOGC;
  const isGoal = (goal: number): boolean => goal < MAX_GOAL_BYTES;
  if (goals === undefined || !goals.values.some(isGoal)) return undefined;
  return { ...goals, values: goals.values.map(goal => (isGoal(goal) ? goal / (1 + gogc / 100) : NaN)) };
}

function nativeSeries(all: ReadonlyMap<string, MetricSeries>): MetricSeries | undefined {
  const native = nativeSeriesIn(metric => all.get(metric));
  return native === undefined ? undefined : { name: NATIVE_MEMORY, labels: {}, ...native };
}

interface Points {
  readonly hours: number[];
  readonly values: readonly number[];
  readonly pods: number[];
}

/** Empty if nothing was measured. */
function growthOfSeries(source: Source, series: MetricSeries, pods: MetricSeries | undefined): MetricGrowth[] {
  const last = series.values.findLast(Number.isFinite);
  if (last === undefined) return [];
  const measured = SAWTOOTH.test(series.name) ? floor(pointsOf(series, pods)) : pointsOf(series, pods);
  const waves = atEqualPods(measured.hours, measured.values, measured.pods);
  const points = { ...measured, values: waves?.values ?? measured.values };
  const { hours, values } = points;
  const span = hours.length === 0 ? 0 : hours[hours.length - 1] - hours[0];
  const enough = values.length >= MIN_POINTS;
  const isLong = isLongEnough(span);
  const isTrendSought = enough && (isLong || (isToldSoon(source) && span >= MIN_SOON_HOURS));
  const trend = isTrendSought ? theilSen(hours, values) : undefined;
  const tenth = Math.max(1, Math.floor(values.length / 10));
  const from = level(values.slice(0, tenth)) ?? last;
  const to = level(values.slice(-tenth)) ?? last;
  const shape = trend === undefined ? 'unknown' : shapeIn(source, isLong, points, trend, Math.max(from, to));
  const rises = shape === 'steady' || shape === 'rising';
  const density = rises && waves === undefined ? densityOf(values, points.pods) : undefined;
  const growth = {
    resource: source.resource,
    metric: series.name,
    unit: source.unit,
    hours: span,
    from,
    to,
    perHour: trend?.slope ?? 0,
    lowPerHour: trend?.low ?? -Infinity,
    highPerHour: trend?.high ?? Infinity,
    trend: shape,
    density,
    equalPods: waves && { fewest: waves.fewest, most: waves.most, perPod: waves.perPod },
  } as const;
  return [{ ...growth, sentence: sentenceOf(growth, enough) }];
}

/** Nothing of it has a burst or a sawtooth: what rises steadily is told after minutes, never that it does not. */
function isToldSoon({ resource }: Source): boolean {
  return resource === 'memory outside the Go heap';
}

const MIN_SOON_HOURS = 4 / 60;

function leastOf({ resource, unit }: Source, level: number): number {
  if (resource !== 'memory outside the Go heap') return Math.max(MIN_AMOUNT[unit], MIN_CHANGE * level);
  const { amount, share } = factsOf(resource).leastGrowth;
  return Math.max(amount, share * level);
}

interface Slope {
  readonly slope: number;
  readonly low: number;
  readonly high: number;
}

function shapeIn(source: Source, isLong: boolean, points: Points, trend: Slope, level: number): MetricGrowth['trend'] {
  const least = leastOf(source, level);
  const found = shapeOf(points, trend, least, mattersOf(source, level));
  const burst = BURSTS.get(source.resource);
  const mayBeBursts = found === 'unknown' && burst !== undefined && trend.low <= 0;
  const shape = mayBeBursts ? shapeOfFloors(points.values, burst * least) : found;
  return isLong || shape === 'steady' ? shape : 'unknown';
}

/**
 * Connections, files and calls come and go, and what the runtime holds is not all resident: what they fall back to in
 * between is what may leak. The share of the least growth by which one half may be above the other: halves are half as
 * far apart as the ends are, but a count of a few is noise.
 */
const BURSTS: ReadonlyMap<MetricResource, number> = new Map<MetricResource, number>([
  ['threads', 1],
  ['file descriptors', 1],
  ['metric series', 1],
  ['memory outside the Go heap', 0.5],
]);

const STRETCHES = 6;

function shapeOfFloors(values: readonly number[], least: number): MetricGrowth['trend'] {
  const size = Math.ceil(values.length / STRETCHES);
  const floors = Array.from({ length: Math.floor(values.length / size) }, (_, i) =>
    Math.min(...values.slice(i * size, (i + 1) * size)),
  );
  const half = floors.length >> 1;
  const [before, after] = [floors.slice(0, half), floors.slice(-half)];
  if (half < 2 || Math.max(...after) > Math.max(...before) + least) return 'unknown';
  return Math.max(...after) < Math.min(...before) - least ? 'falling' : 'flat';
}

/** Times are whole seconds converted to hours, which do not add up exactly. */
export function isLongEnough(hours: number): boolean {
  return hours > MIN_HOURS - 0.1 / 3600;
}

function pointsOf(series: MetricSeries, pods: MetricSeries | undefined): Points {
  const podsAt = new Map<number, number>();
  pods?.times.forEach((time, i) => podsAt.set(time, pods.values[i]));
  const points = { hours: [] as number[], values: [] as number[], pods: [] as number[] };
  for (let i = 0; i < series.times.length; i++) {
    const time = series.times[i];
    if (!Number.isFinite(time) || !Number.isFinite(series.values[i])) continue;
    points.hours.push(time / 3600);
    points.values.push(series.values[i]);
    points.pods.push(podsAt.get(time) ?? NaN);
  }
  return points;
}

/** The lowest point of each of forty stretches. */
function floor(points: Points): Points {
  const size = Math.max(1, Math.ceil(points.values.length / 40));
  const out = { hours: [] as number[], values: [] as number[], pods: [] as number[] };
  for (let start = 0; start < points.values.length; start += size) {
    let lowest = start;
    for (let i = start; i < Math.min(start + size, points.values.length); i++) {
      if (points.values[i] < points.values[lowest]) lowest = i;
    }
    out.hours.push(points.hours[lowest]);
    out.values.push(points.values[lowest]);
    out.pods.push(points.pods[lowest]);
  }
  return out;
}

function level(values: readonly number[]): number | undefined {
  return values.length === 0 ? undefined : quantile(Float64Array.from(values).sort(), 0.5);
}

function shapeOf(points: Points, trend: Slope, least: number, matters: Matters): MetricGrowth['trend'] {
  const { hours, values } = points;
  const change = trend.slope * (hours[hours.length - 1] - hours[0]);
  const isSmall = Math.abs(change) < least || (trend.low <= 0 && trend.high >= 0);
  const mayMatter = change >= matters.amount && trend.low * HOURS_TO_MATTER >= matters.rise;
  if (isSmall && !mayMatter) return isFlat(points, trend, matters, least) ? 'flat' : 'unknown';
  if (trend.slope < 0) return 'falling';
  const half = Math.floor(values.length / 2);
  const halves = [
    theilSen(hours.slice(0, half), values.slice(0, half)),
    theilSen(hours.slice(half), values.slice(half)),
  ];
  const alike = halves.every(
    part => part !== undefined && part.slope > trend.slope / 3 && part.slope < trend.slope * 3,
  );
  // Less than a share of a high level that took long to reach: a line, or nothing that can be told.
  if (isSmall) return alike && trend.high - trend.low <= 2 * NARROW * trend.slope ? 'steady' : 'unknown';
  return alike ? 'steady' : 'rising';
}

/** A rise that adds what counts within a day is not flat, however little of its level it is over minutes. */
const HOURS_TO_MATTER = 24;
/** Of the slope, half the width of its interval. */
const NARROW = 0.25;

interface Matters {
  /** Less is one more idle stack or buffer. */
  readonly amount: number;
  /** What counts over days. */
  readonly rise: number;
}

function mattersOf({ resource, unit }: Source, level: number): Matters {
  if (resource === 'resident memory') return { amount: Infinity, rise: Infinity };
  const { amount, share } = factsOf(resource).leastGrowth;
  const least = resource === 'memory outside the Go heap' ? amount : MIN_AMOUNT[unit];
  return { amount: least, rise: Math.max(amount, share * level) };
}

/** The scatter may hide growth by this share of the level. */
const MAX_HIDDEN = 0.1;

/** A wider interval whose upper end is low is so by luck. */
const MAX_WIDTHS = 4;

/**
 * Whether it is known to have hardly grown: a wide interval would hide growth. Under a large working set, what ten
 * minutes hide may be several times as much within the hour.
 */
function isFlat({ hours, values }: Points, { low, high }: Slope, { rise }: Matters, least: number): boolean {
  const share = MAX_HIDDEN * Math.abs(level(values) ?? 0);
  const span = (hours.at(-1) ?? 0) - (hours[0] ?? 0);
  const inAnHour = Math.max(rise, share);
  return high * span <= Math.max(least, share) && high <= inAnHour && high - low <= MAX_WIDTHS * inAnHour;
}

function sentenceOf(growth: Omit<MetricGrowth, 'sentence'>, enough: boolean): string {
  const text = amountIn(growth.unit);
  const { resource, trend, density, equalPods, perHour, hours, lowPerHour, highPerHour } = growth;
  const time = formatAge(hours * 3600);
  const interval = `between ${hourly(text(lowPerHour))} and ${hourly(text(highPerHour))}`;
  if (trend === 'unknown') {
    const now = `${resource} ${text(growth.to)}`;
    if (!enough) return `${now}: too few scrapes with a time to tell a trend`;
    if (isLongEnough(hours) && lowPerHour > 0)
      return `${now}: it rises, too little to judge over ${time} (${interval})`;
    if (isLongEnough(hours)) return `${now}: it varies too much to tell a trend over ${time} (${interval})`;
    return `${now}: ${time} of scrapes tell no trend, ${formatAge(MIN_HOURS * 3600)} are needed`;
  }
  const pods = equalPods && `, at equal pods: ${equalPods.fewest} to ${equalPods.most}, ${text(equalPods.perPod)} each`;
  if (trend === 'flat') {
    const within = lowPerHour === 0 && highPerHour === 0 ? '' : ` (${interval})`;
    return `${resource} flat at ${text(growth.to)} over ${time}${within}${pods ?? ''}`;
  }
  const rate = `${resource} ${hourly(signed(text(perHour)))} over ${time}`;
  if (density?.follows === true) {
    return `${rate}, which follows the pods: ${density.fromPods} -> ${density.toPods}, ${text(density.perPod)} per pod`;
  }
  return `${rate}, ${trend} (${interval})${pods ?? ''}`;
}

/**
 * A series as it would be with the same number of pods all the time, where pods come and go in waves:
 *
 *     pods      15  70  15  70  15  70
 *     values    32  38  33  39  34  40     ->   35  35  36  36  37  37     +1 per wave at 43 pods
 *
 * Size per pod and slope are fitted together. Pods that only rise or fall cannot be told from time: see density.ts.
 */
interface EqualPods {
  readonly values: readonly number[];
  readonly fewest: number;
  readonly most: number;
  readonly perPod: number;
}

/** `pods[i]` belongs to `values[i]`. Undefined if pods do not come in waves, or explain nothing. */
export function atEqualPods(
  hours: readonly number[],
  values: readonly number[],
  pods: readonly number[],
): EqualPods | undefined {
  if (values.length < 6 || !pods.every(Number.isFinite)) return undefined;
  const fewest = pods.reduce((least, count) => Math.min(least, count), Infinity);
  const most = pods.reduce((greatest, count) => Math.max(greatest, count), -Infinity);
  if (most - fewest < MIN_POD_CHANGE || most - fewest < most * MIN_POD_SHARE) return undefined;
  const ones = hours.map(() => 1);
  const trendOfPods = leastSquares([ones, hours], pods);
  const flat = leastSquares([ones], pods);
  const alone = leastSquares([ones, hours], values);
  const together = leastSquares([ones, hours, pods], values);
  if (trendOfPods === undefined || flat === undefined || alone === undefined || together === undefined)
    return undefined;
  if (1 - trendOfPods.residual / flat.residual > MAX_TREND_SHARE) return undefined;
  const perPod = together.coefficients[2] ?? 0;
  if (perPod <= 0 || together.residual > alone.residual * (1 - MIN_EXPLAINED)) return undefined;
  const usual = median(pods);
  return { values: values.map((value, i) => value - perPod * ((pods[i] ?? usual) - usual)), fewest, most, perPod };
}

/** Least squares on a few columns, by the normal equations. */
interface Fit {
  /** One per column. */
  readonly coefficients: readonly number[];
  /** The sum of the squares that are left. */
  readonly residual: number;
}

/** Undefined if the columns depend on each other. */
export function leastSquares(columns: readonly (readonly number[])[], values: readonly number[]): Fit | undefined {
  // Centred and scaled, so that hours since 1970 beside bytes keep their digits.
  const [, ...rest] = columns;
  const scaled = rest.map(standardised);
  if (scaled.some(one => one === undefined)) return undefined;
  const known = scaled.filter(one => one !== undefined);
  const middle = mean(values);
  const target = values.map(value => value - middle);
  const slopes = solve(
    known.map(({ column: a }) => known.map(({ column: b }) => dot(a, b))),
    known.map(({ column }) => dot(column, target)),
  );
  if (slopes === undefined) return undefined;
  let residual = 0;
  for (const [i, value] of target.entries()) {
    const fitted = known.reduce((sum, { column }, k) => sum + (slopes[k] ?? 0) * (column[i] ?? 0), 0);
    residual += (value - fitted) ** 2;
  }
  const unscaled = known.map(({ scale }, k) => (slopes[k] ?? 0) / scale);
  const start = known.reduce((sum, { centre }, k) => sum - centre * (unscaled[k] ?? 0), middle);
  return { coefficients: [start, ...unscaled], residual };
}

interface Standardised {
  readonly column: readonly number[];
  readonly centre: number;
  readonly scale: number;
}

/** Undefined for a column that never changes. */
function standardised(column: readonly number[]): Standardised | undefined {
  const centre = mean(column);
  const scale = Math.sqrt(mean(column.map(value => (value - centre) ** 2)));
  return scale > 0 ? { column: column.map(value => (value - centre) / scale), centre, scale } : undefined;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function dot(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0);
}

/** Gauss with pivots; undefined if the matrix is singular. */
function solve(matrix: readonly (readonly number[])[], right: readonly number[]): number[] | undefined {
  const rows = matrix.map((row, i) => [...row, right[i] ?? 0]);
  const size = rows.length;
  for (let column = 0; column < size; column++) {
    const below = rows.slice(column).sort((a, b) => Math.abs(b[column] ?? 0) - Math.abs(a[column] ?? 0));
    rows.splice(column, size - column, ...below);
    const pivot = rows[column];
    const head = pivot?.[column] ?? 0;
    if (pivot === undefined || Math.abs(head) < 1e-9 * (matrix[0]?.[0] ?? 1)) return undefined;
    for (const [i, row] of rows.entries()) {
      if (i === column) continue;
      const factor = (row[column] ?? 0) / head;
      rows[i] = row.map((value, k) => value - factor * (pivot[k] ?? 0));
    }
  }
  return rows.map((row, i) => (row[size] ?? 0) / (row[i] ?? 1));
}
