/**
 * Series as uPlot needs them: one column of times and one column of values per series, null where the line breaks.
 *
 *     times   0   30   60  | restart |   240   270
 *     heap   92   93   93      null       61    62
 */
import type { ChartSeries } from '../../src/watch/watch-model.ts';

/** The time between two restarts of a process; `to` is null while it lives. */
export interface Epoch {
  readonly from: number;
  readonly to: number | null;
}

export interface ChartData {
  readonly times: readonly number[];
  readonly columns: readonly (readonly (number | null)[])[];
}

/** Samples this many times further apart than usual have a gap between them; closer ones are only late. */
const GAP_FACTOR = 3.5;

/** All series on one time axis. Lines break at restarts and at gaps, where a point without a value is added. */
export function aligned(series: readonly ChartSeries[], epochs: readonly Epoch[]): ChartData {
  const breaks = [...series.flatMap(({ times }) => gaps(times)), ...restarts(epochs)];
  const times = [...new Set([...series.flatMap(one => one.times), ...breaks])].sort((a, b) => a - b);
  const isBreak = new Set(breaks);
  const columns = series.map(one => {
    const values = new Map(one.times.map((at, i) => [at, one.values[i]]));
    const breaking = new Set([...gaps(one.times), ...restarts(epochs)]);
    let last: number | null = null;
    return times.map(at => {
      const value = values.get(at);
      if (value !== undefined) return (last = Number.isFinite(value) ? value : null);
      if (breaking.has(at)) return (last = null);
      // A time from another series is no break in this one: undefined, to be interpolated.
      return isBreak.has(at) || last === null ? null : undefined;
    });
  });
  return { times, columns: columns.map(column => interpolated(times, column)) };
}

/** Replaces undefined between two values by a point on the straight line between them. */
function interpolated(times: readonly number[], column: readonly (number | null | undefined)[]): (number | null)[] {
  const out: (number | null)[] = [];
  for (let i = 0; i < column.length; i++) {
    const value = column[i];
    if (value !== undefined) {
      out.push(value);
      continue;
    }
    let next = i;
    while (next < column.length && column[next] === undefined) next++;
    const [before, after] = [out[i - 1], column[next]];
    const isBetween = typeof before === 'number' && typeof after === 'number';
    const slope = isBetween ? (after - before) / (times[next] - times[i - 1]) : 0;
    const start = times[i - 1];
    for (; i < next; i++) out.push(isBetween ? before + slope * (times[i] - start) : null);
    i--;
  }
  return out;
}

/** The times between two lives. */
export function restarts(epochs: readonly Epoch[]): number[] {
  const ordered = epochs.toSorted((a, b) => a.from - b.from);
  return ordered.slice(1).map((epoch, i) => {
    const end = ordered[i].to ?? epoch.from;
    return Math.min(epoch.from, end) + Math.abs(epoch.from - end) / 2;
  });
}

function gaps(times: readonly number[]): number[] {
  if (times.length < 3) return [];
  const steps = times.slice(1).map((at, i) => at - times[i]);
  const usual = steps.toSorted((a, b) => a - b)[Math.floor(steps.length / 2)];
  return steps.flatMap((step, i) => (step > GAP_FACTOR * usual ? [times[i] + step / 2] : []));
}

/** The hourly rate of a counter. A fall means that the counter was reset, and yields no point. */
export function ratePerHour(series: ChartSeries): ChartSeries {
  const times: number[] = [];
  const values: number[] = [];
  for (let i = 1; i < series.times.length; i++) {
    const hours = (series.times[i] - series.times[i - 1]) / 3600;
    const rise = series.values[i] - series.values[i - 1];
    if (hours <= 0 || rise < 0) continue;
    times.push(series.times[i]);
    values.push(rise / hours);
  }
  return { ...series, times, values };
}

/** Values that vary by less than this share of their size are drawn flat. */
const MIN_SPAN_SHARE = 0.15;

/** Starts at zero if the values are near it; otherwise fits the values, but not so tightly that noise looks like a slope. */
export function valueRange(values: Iterable<number | null>, fromZero = false): readonly [number, number] {
  let low = Infinity;
  let high = -Infinity;
  for (const value of values) {
    if (value === null || !Number.isFinite(value)) continue;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  if (low > high) return [0, 1];
  // Practically zero: there is no range to divide.
  if (low >= 0 && high < 1e-9) return [0, 1];
  if (low >= 0 && (fromZero || low < 0.25 * high)) return [0, high * 1.05];
  const span = Math.max(high - low, MIN_SPAN_SHARE * Math.max(Math.abs(high), Math.abs(low)));
  const middle = (high + low) / 2;
  const bottom = Math.min(low, middle - span / 2) - span * 0.05;
  return [low >= 0 ? Math.max(0, bottom) : bottom, Math.max(high, middle + span / 2) + span * 0.05];
}
