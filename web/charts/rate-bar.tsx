/** A rate with its interval, on the scale of its table. */
import type { RecordedCohort } from '../../src/judge/detect/recorded-detection.ts';
import { NO_VALUE, slopeText } from '../text/value-text.ts';

interface RateBarProps {
  readonly cohort: Pick<RecordedCohort, 'ratePerHour' | 'unit'>;
  /** The largest amount of the table. */
  readonly most: number;
}

export function RateBar({ cohort: { ratePerHour, unit }, most }: RateBarProps) {
  if (ratePerHour === null) return <>{NO_VALUE}</>;
  const [low, middle, high] = ratePerHour;
  const xOf = (rate: number): number => 100 * Math.max(0, Math.min(1, rate / most));
  return (
    <span class="rate" title={`90 % interval: ${slopeText(unit, low)} to ${slopeText(unit, high)}`}>
      <span>
        {slopeText(unit, middle)}{' '}
        <span class="muted">
          {slopeText(unit, low)} to {slopeText(unit, high)}
        </span>
      </span>
      <span class="rate-track" aria-hidden="true">
        <span class="rate-middle" style={{ width: `${xOf(middle)}%` }} />
        <span class="rate-interval" style={{ left: `${xOf(low)}%`, width: `${xOf(high) - xOf(low)}%` }} />
      </span>
    </span>
  );
}

/** The scale of several rates of one unit. */
export function mostOf(cohorts: readonly Pick<RecordedCohort, 'ratePerHour'>[]): number {
  return Math.max(Number.EPSILON, ...cohorts.map(({ ratePerHour }) => ratePerHour?.[2] ?? 0));
}
