/**
 * How long each goroutine of a family has waited, and what that means.
 *
 *     steady       ▂▇▆▆▆▇▇▆▇▇▇▇   arrive at one rate and never leave
 *     slowing      ▁▁▁▂▂▂▃▄▅▆▇█   arrive ever less often and stay: a pool that grows
 *     stopped      ________▆▇▆▇   arrived for a while, and stayed
 *     one-age      _______█____   came at once: a pool or a burst
 *     decaying     ▇█▆▃▂▁______   leave: the older, the fewer
 *     short        █▁__________   wake or leave within minutes
 *     irregular    _▃__█____▂__   none of these
 *                  now       old
 */
export type AgeShape = 'steady' | 'slowing' | 'stopped' | 'one-age' | 'decaying' | 'short' | 'irregular';

export interface AgeHistogram {
  /** How many minutes a bin spans. */
  readonly binMinutes: number;
  /** Goroutines by age, youngest first. Goroutines without printed minutes count in the first bin. */
  readonly bins: readonly number[];
}

export interface Ages extends AgeHistogram {
  readonly shape: AgeShape;
  /** Arrivals that stay, per hour: the estimate and its 95 % interval. Undefined unless goroutines arrive and stay. */
  readonly perHour: readonly [low: number, middle: number, high: number] | undefined;
  /** When arrivals began, or when most came. Undefined if goroutines come and go. */
  readonly sinceMinutes: number | undefined;
}

/** Goroutines by age, in bins of one minute, or wider ones if waits of many hours would need thousands. */
const MAX_BINS = 600;

export function histogramOf(minutes: Int32Array): AgeHistogram {
  let oldest = 0;
  for (const one of minutes) if (one > oldest) oldest = one;
  const binMinutes = Math.ceil((oldest + 1) / MAX_BINS);
  const bins = new Array<number>(Math.floor(oldest / binMinutes) + 1).fill(0);
  for (const one of minutes) bins[Math.floor(one / binMinutes)]++;
  return { binMinutes, bins };
}

export function total(bins: readonly number[], from = 0, to: number = bins.length): number {
  let sum = 0;
  for (let i = Math.max(0, from); i < Math.min(to, bins.length); i++) sum += bins[i];
  return sum;
}
