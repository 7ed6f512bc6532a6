/**
 * Whether a family's change is more than chance: sampling for heap, churn for goroutines. The answer includes the
 * reason.
 */
import { formatBytes, formatCount, signed } from '../../base/quantities.ts';
import { type AllocationPoint, stoppedOf } from './stopped.ts';
import { median, theilSen } from './theil-sen.ts';

export interface Judgement {
  readonly significant: boolean;
  readonly why: string;
}

export interface HeapPoint extends AllocationPoint {
  readonly samples: number;
}

/** How many standard errors a heap change must exceed. */
const SIGMAS = 3;
const MIN_SAMPLES = 20;
/** How many snapshots must rise in a row if samples are few. */
const MIN_RISES = 4;
const MIN_GOROUTINES = 5;
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
  const step = stepOf(values, formatBytes);
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

export function judgeGoroutines(counts: readonly number[]): Judgement {
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
  if (counts.length === 2) {
    const churn = SIGMAS * Math.sqrt(first);
    return delta > churn
      ? yes(`${formatCount(first)} -> ${formatCount(last)}: more than churn of a family of this size explains`)
      : no(`${formatCount(first)} -> ${formatCount(last)} may be churn; a third snapshot would tell`);
  }
  const scatter = scatterOf(counts);
  if (delta > SIGMAS * Math.SQRT2 * Math.max(scatter, 1)) {
    const how = riseText(counts) ?? `scatter is ±${formatCount(scatter)}`;
    return yes(`${formatCount(first)} -> ${formatCount(last)}: ${how}${lateNote(counts)}`);
  }
  return no(`${signed(formatCount(delta))} is within the scatter of ±${formatCount(scatter)}`);
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

/** Rose once and stayed, as when a process warms up: not a leak so far. Undefined if it did not. */
function stepOf(values: readonly number[], text: (amount: number) => string): string | undefined {
  if (values.length < 4) return undefined;
  const delta = values[values.length - 1] - values[0];
  const jump = values.findIndex((value, i) => i > 0 && value - values[i - 1] >= STEP_SHARE * delta);
  if (jump < 1 || values.length - jump < 3) return undefined;
  const after = values.slice(jump);
  if (Math.max(...after) - Math.min(...after) > (1 - STEP_SHARE) * delta) return undefined;
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
