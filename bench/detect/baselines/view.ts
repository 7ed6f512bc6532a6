/** A target's history at one time, as the rules use it; values that several rules use are computed once. */
import type { Scrape, SeriesName, TargetHistory } from './target-history.ts';

export interface Line {
  readonly slopePerHour: number;
  readonly r2: number;
  readonly mean: number;
  readonly points: number;
  /** The value of the line in the last hour. */
  readonly last: number;
}

export interface Monotony {
  /** Mann-Kendall's statistic. */
  readonly z: number;
  /** From the mean of the first third of the window to that of the last, as a share of the first. */
  readonly growth: number;
}

/** How many hours back; optionally not beyond the last restart. */
export interface Window {
  readonly hours: number;
  readonly sinceRestart: boolean;
}

const MONOTONY_STEP_HOURS = 6;

export class View {
  readonly #history: TargetHistory;
  readonly #memo = new Map<string, unknown>();
  /** The hour after the last. */
  readonly endHour: number;

  constructor(history: TargetHistory, endHour: number) {
    this.#history = history;
    this.endHour = endHour;
  }

  get limitBytes(): number | undefined {
    return this.#history.limitBytes;
  }

  get latest(): readonly Scrape[] {
    return this.#history.latest;
  }

  /** The mean of one hour, counted back from the last; NaN in a hole. */
  hoursAgo(series: SeriesName, hours: number): number {
    return this.#history.series[series][this.endHour - 1 - hours] ?? NaN;
  }

  /** The median of the first day. */
  firstDay(series: SeriesName): number {
    return this.#once(`first ${series}`, () => {
      const day = this.#history.series[series].slice(0, 24).filter(value => !Number.isNaN(value));
      return day.sort((a, b) => a - b)[Math.floor(day.length / 2)] ?? NaN;
    });
  }

  /** Undefined if less than half of the window is filled, or if there is only noise to fit. */
  line(series: SeriesName, window: Window): Line | undefined {
    return this.#once(`line ${series} ${window.hours} ${window.sinceRestart}`, () => {
      const from = this.#from(window);
      const line = fitLine(this.#history.series[series], from, this.endHour);
      return line !== undefined && line.points >= window.hours / 2 ? line : undefined;
    });
  }

  /** The steepest sufficiently straight line of this length that began and ended before the hour. */
  steepestBefore(series: SeriesName, endHour: number, hours: number, r2: number): number {
    return this.#once(`steepest ${series} ${endHour} ${hours} ${r2}`, () => {
      let steepest = 0;
      for (let end = hours; end <= endHour; end += 12) {
        const line = fitLine(this.#history.series[series], end - hours, end);
        if (line !== undefined && line.r2 >= r2) steepest = Math.max(steepest, line.slopePerHour);
      }
      return steepest;
    });
  }

  monotony(series: SeriesName, window: Window): Monotony | undefined {
    return this.#once(`monotony ${series} ${window.hours} ${window.sinceRestart}`, () =>
      mannKendall(this.#history.series[series], this.#from(window), this.endHour, window.hours),
    );
  }

  #from({ hours, sinceRestart }: Window): number {
    return Math.max(0, this.endHour - hours, sinceRestart ? this.#history.epochHour + 1 : 0);
  }

  #once<T>(key: string, compute: () => T): T {
    if (!this.#memo.has(key)) this.#memo.set(key, compute());
    return this.#memo.get(key) as T;
  }
}

export function fitLine(values: readonly number[], from: number, to: number): Line | undefined {
  let n = 0;
  let sumX = 0;
  let sumY = 0;
  for (let x = from; x < to; x++) {
    const y = values[x];
    if (!(y > -Infinity)) continue;
    n++;
    sumX += x;
    sumY += y;
  }
  if (n < 3) return undefined;
  const meanX = sumX / n;
  const meanY = sumY / n;
  let xx = 0;
  let xy = 0;
  let yy = 0;
  for (let x = from; x < to; x++) {
    const y = values[x];
    if (!(y > -Infinity)) continue;
    xx += (x - meanX) * (x - meanX);
    xy += (x - meanX) * (y - meanY);
    yy += (y - meanY) * (y - meanY);
  }
  const slopePerHour = xy / xx;
  const r2 = yy > 0 ? (xy * xy) / (xx * yy) : 0;
  return { slopePerHour, r2, mean: meanY, points: n, last: meanY + slopePerHour * (to - 1 - meanX) };
}

function mannKendall(values: readonly number[], from: number, to: number, hours: number): Monotony | undefined {
  const points: number[] = [];
  for (let start = from; start + MONOTONY_STEP_HOURS <= to; start += MONOTONY_STEP_HOURS) {
    const filled = values.slice(start, start + MONOTONY_STEP_HOURS).filter(value => value > -Infinity);
    if (filled.length > 0) points.push(filled.reduce((sum, value) => sum + value, 0) / filled.length);
  }
  const n = points.length;
  if (n < hours / MONOTONY_STEP_HOURS / 2) return undefined;
  let score = 0;
  for (let i = 0; i < n; i++) for (let j = i + 1; j < n; j++) score += Math.sign(points[j] - points[i]);
  const deviation = Math.sqrt((n * (n - 1) * (2 * n + 5)) / 18);
  const third = Math.max(1, Math.floor(n / 3));
  const average = (part: readonly number[]): number => part.reduce((sum, value) => sum + value, 0) / part.length;
  const first = average(points.slice(0, third));
  return { z: (score - Math.sign(score)) / deviation, growth: average(points.slice(-third)) / first - 1 };
}
