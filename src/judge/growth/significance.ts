/**
 * Whether a family's change is more than chance: sampling for heap, churn for goroutines. The answer includes the
 * reason.
 */
import { formatAge, formatBytes, formatCount, signed } from '../../base/say.ts';
import { median, theilSen } from './theil-sen.ts';
import { chanceChange, type Turnover } from './growth.ts';

/** Fewer may be absent by chance. */
const MIN_DUE_SAMPLES = 3;

export interface Judgement {
  readonly significant: boolean;
  readonly why: string;
  /** It rose, but by so little that coming and going may have done it. */
  readonly mayBeChurn?: boolean;
}

export interface HeapPoint extends AllocationPoint {
  readonly samples: number;
}

/** How many standard errors a change must exceed to be proved. */
const SIGMAS = 3;
/** How many a change of goroutines must exceed to be worth a look. */
const MIN_SIGMAS = SIGMAS / Math.SQRT2;
const MIN_SAMPLES = 20;
/** How many snapshots must rise in a row if samples are few. */
const MIN_RISES = 4;
const MIN_GOROUTINES = 5;
/** So many snapshots that rise one after another do so by chance once in 5,040 times. */
const MIN_TREND = 7;
/** A family of which so many leave comes and goes. */
const MAX_LEFT = 0.5;
/** The share of the whole change that must come at once to be a step. */
const STEP_SHARE = 0.8;
/** The share of the whole change that may come before the last interval and still count as nothing. */
const EARLY_SHARE = 0.05;

/** `deltaError` is the standard error of the change from the first point to the last. */
export function judgeHeap(points: readonly HeapPoint[], monotone: boolean, deltaError: number): Judgement {
  const first = points[0];
  const last = points[points.length - 1];
  const delta = last.bytes - first.bytes;
  if (points.length === 1) return no('one snapshot shows what is there, not whether it grows');
  if (delta <= 0)
    return no(
      fell(
        first.bytes,
        last.bytes,
        points.map(point => point.bytes),
        formatBytes,
      ),
    );
  const values = points.map(point => point.bytes);
  const step = stepOf(values, formatBytes, points.map(samplingError));
  if (step !== undefined) return no(step);
  const stopped = stoppedOf(points);
  if (stopped !== undefined) return no(stopped);
  const sigmas = delta / deltaError;
  const change = `${signed(formatBytes(delta))} is ${sigmas.toFixed(1)} standard errors of heap sampling`;
  if (sigmas > SIGMAS && last.samples >= MIN_SAMPLES) {
    return yes(`${change}, from ${formatCount(last.samples)} samples${lateNote(values)}`);
  }
  const trend = theilSen(
    values.map((_, i) => i),
    values,
  );
  if (monotone && points.length >= MIN_RISES && last.samples >= MIN_SAMPLES / 4 && (trend?.low ?? 0) > 0) {
    const rise = `${formatBytes(first.bytes)} -> ${formatBytes(last.bytes)}: ${riseText(values)}`;
    return yes(`${rise}; ${change}${lateNote(values)}`);
  }
  if (last.samples < MIN_SAMPLES) return no(`${change}, and only ${formatCount(last.samples)} samples stand behind it`);
  return no(`${change}: sampling alone may do that`);
}

/** Each sample stands for as many bytes as any other: the error falls with the root of their number. */
function samplingError({ bytes, samples }: HeapPoint): number {
  return bytes / Math.sqrt(Math.max(samples, 1));
}

/** `turnover` is that between the first count and the last. */
export function judgeGoroutines(counts: readonly number[], turnover: Turnover): Judgement {
  const first = counts[0];
  const last = counts[counts.length - 1];
  const delta = last - first;
  if (counts.length === 1) return no('one snapshot shows what is there, not whether it grows');
  if (delta <= 0) return no(fell(first, last, counts, formatCount));
  const peak = Math.max(...counts);
  if (peak - last > (peak - first) / 2) return no(cameBack(first, peak, last, formatCount));
  const step = stepOf(counts, formatCount);
  if (step !== undefined) return no(step);
  if (delta < MIN_GOROUTINES) return no(`${signed(formatCount(delta))} goroutines is churn`);
  const change = `${formatCount(first)} -> ${formatCount(last)}`;
  const chance = chanceChange(turnover);
  const mayBeChurn = delta <= SIGMAS * chance && !(counts.length >= MIN_TREND && risesOf(counts) === counts.length - 1);
  if (delta <= MIN_SIGMAS * chance) return no(`${change} may be churn; ${turnoverText(turnover, counts.length)}`);
  if (counts.length === 2) return yes(`${change}: more than churn of a family of this size explains`);
  const scatter = scatterOf(counts);
  if (delta <= SIGMAS * Math.SQRT2 * Math.max(scatter, 1)) {
    return no(`${signed(formatCount(delta))} is within the scatter of ±${formatCount(scatter)}`);
  }
  const how = riseText(counts) ?? `scatter is ±${formatCount(scatter)}`;
  // More load has more of them at a time; ages tell whether some of them stay.
  if (turnover.isSeen && turnover.left > first * MAX_LEFT) {
    const left = `${formatCount(turnover.left)} of the first ${formatCount(first)} have left`;
    return { ...yes(`${change}: ${how}, but ${left}: load may do that`), mayBeChurn: true };
  }
  if (!mayBeChurn) return yes(`${change}: ${how}${lateNote(counts)}`);
  return { ...yes(`${change}: ${how}, but ${turnoverText(turnover, counts.length)}`), mayBeChurn };
}

function turnoverText({ arrived, left, isSeen }: Turnover, snapshots: number): string {
  if (isSeen) return `${formatCount(left)} left and ${formatCount(arrived)} came`;
  return snapshots === 2 ? 'a third snapshot would tell' : 'goroutines that come and go vary as much; more would tell';
}

/** In how many intervals it rose. Undefined if it fell in one. */
function riseText(values: readonly number[]): string | undefined {
  if (values.some((value, i) => i > 0 && value < values[i - 1])) return undefined;
  const intervals = values.length - 1;
  const rises = risesOf(values);
  return rises === intervals
    ? `rose in all ${intervals} intervals`
    : `rose in ${rises} of ${intervals} intervals and never fell`;
}

export function risesOf(values: readonly number[]): number {
  return values.filter((value, i) => i > 0 && value > values[i - 1]).length;
}

/** Added if only the last of three or more intervals shows growth: so far it is one event. */
function lateNote(values: readonly number[]): string {
  if (values.length < 4) return '';
  const early = Math.max(...values.slice(0, -1)) - values[0];
  const delta = values[values.length - 1] - values[0];
  if (early > EARLY_SHARE * delta) return '';
  const share = early > 0 ? 'nearly all of it' : 'all of it';
  return `; ${share} came in the last interval: load or a leak, another snapshot would tell`;
}

/** The typical distance from the trend, as a standard deviation. */
function scatterOf(values: readonly number[]): number {
  const steps = values.map((_, i) => i);
  const slope = theilSen(steps, values)?.slope ?? 0;
  const rest = values.map((value, i) => value - slope * i);
  const middle = median(rest);
  return 1.4826 * median(rest.map(value => Math.abs(value - middle)));
}

/** Sampling alone may set two values this many standard errors apart. */
const SAME_SIGMAS = 2;

/**
 * Rose once and stayed, as when a process warms up or a cache fills: not a leak so far. Undefined if it did not.
 * `errors` are those of sampled values.
 */
function stepOf(
  values: readonly number[],
  text: (amount: number) => string,
  errors: readonly number[] = values.map(() => 0),
): string | undefined {
  if (values.length < 4) return undefined;
  const delta = values[values.length - 1] - values[0];
  const jump = values.findIndex((value, i) => i > 0 && value - values[i - 1] >= STEP_SHARE * delta);
  if (jump < 1 || values.length - jump < 3) return undefined;
  const after = values.slice(jump);
  const [most, least] = [Math.max(...after), Math.min(...after)];
  const error = Math.hypot(errors[values.indexOf(most, jump)], errors[values.indexOf(least, jump)]);
  const isSampledAlike = values[values.length - 1] <= values[jump] && most - least <= SAME_SIGMAS * error;
  if (most - least > (1 - STEP_SHARE) * delta && !isSampledAlike) return undefined;
  return `rose once, from ${text(values[jump - 1])} to ${text(values[jump])}, and stayed for ${after.length} snapshots: a step, not a leak`;
}

function fell(first: number, last: number, values: readonly number[], text: (amount: number) => string): string {
  const peak = Math.max(...values);
  if (peak > first * 1.2 && peak > last * 1.2) return cameBack(first, peak, last, text);
  if (last === first) return `unchanged at ${text(last)}`;
  return `fell from ${text(first)} to ${text(last)}, which a leak does not do`;
}

function cameBack(first: number, peak: number, last: number, text: (amount: number) => string): string {
  return `rose from ${text(first)} to ${text(peak)} and fell back to ${text(last)}: load, not a leak`;
}

function yes(why: string): Judgement {
  return { significant: true, why };
}

function no(why: string): Judgement {
  return { significant: false, why };
}

/**
 * A heap family that rose and then allocated nothing more: a full cache, a complete table.
 *
 *     10:00   104 samples ever allocated
 *     10:06   113                            nine in six minutes
 *     10:14   113                            none in eight, where twelve were due
 */
interface AllocationPoint {
  readonly atSeconds: number | undefined;
  readonly bytes: number;
  /** Sampled allocations since the process started. */
  readonly allocatedSamples: number;
}

/** Why its one rise is over; undefined if it goes on, rose more than once, or if nothing shows it. */
export function stoppedOf(points: readonly AllocationPoint[]): string | undefined {
  const rises = points.flatMap(({ bytes }, i) => (i > 0 && bytes > points[i - 1].bytes ? [i] : []));
  if (points.length < 3 || rises.length !== 1) return undefined;
  const [before, after, last] = [points[rises[0] - 1], points[rises[0]], points[points.length - 1]];
  const came = after.allocatedSamples - before.allocatedSamples;
  const cameSince = last.allocatedSamples - after.allocatedSamples;
  if (came <= 0 || cameSince >= 0.5) return undefined;
  const [from, to, end] = [before.atSeconds, after.atSeconds, last.atSeconds];
  if (from === undefined || to === undefined || end === undefined || to <= from) return undefined;
  const due = (came * (end - to)) / (to - from);
  if (due < MIN_DUE_SAMPLES) return undefined;
  const rise = `rose once, from ${formatBytes(before.bytes)} to ${formatBytes(after.bytes)}`;
  return `${rise}, and allocated nothing in the ${formatAge(end - to)} since, where ${formatCount(Math.round(due))} samples were due: it stopped`;
}
