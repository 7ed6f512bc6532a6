/**
 * How long each goroutine of a family has waited, and what that means.
 *
 * steady       ▂▇▆▆▆▇▇▆▇▇▇▇   arrive at one rate and never leave
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
