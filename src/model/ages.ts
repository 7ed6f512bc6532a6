/**
 * Ages: how long each goroutine of a family has waited, and what follows from it.
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
  /** Goroutines by age, the youngest first; the first bin has those without printed minutes, too. */
  readonly bins: readonly number[];
}

export interface Ages extends AgeHistogram {
  readonly shape: AgeShape;
  /** Arrivals that stay, per hour: the middle and the ends of a 95 % interval; undefined unless they arrive and stay. */
  readonly perHour: readonly [low: number, middle: number, high: number] | undefined;
  /** When arrivals began, or when most came; undefined where they come and go. */
  readonly sinceMinutes: number | undefined;
}
