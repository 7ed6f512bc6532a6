/** The values of an attribute, compared: which of them a table shows, and their rates on its scale. */
import type { RecordedCohort } from '../../src/judge/detect/recorded-detection.ts';
import { NO_VALUE, slopeText } from '../widgets/value-text.ts';
import { compareVerdicts, mayLeak, type Verdict } from '../../src/judge/verdict.ts';

interface RateBarProps {
  readonly cohort: Pick<RecordedCohort, 'ratePerHour' | 'unit'>;
  /** The largest amount of the table. */
  readonly most: number;
}

/** A rate with its interval. */
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

/**
 * The values of an attribute, worst first: every resource that grows with a value, or else one row about it, which is
 * about the live heap if that was compared.
 */
export function comparedValues<Cohort extends RecordedCohort>(cohorts: readonly Cohort[], attribute: string): Cohort[] {
  const ofValue = new Map<string, Cohort[]>();
  for (const cohort of cohorts) {
    if (cohort.attribute !== attribute) continue;
    ofValue.set(cohort.value, [...(ofValue.get(cohort.value) ?? []), cohort]);
  }
  const rows = [...ofValue.values()].flatMap(of => {
    const found = of.filter(({ verdict }) => mayLeak(verdict));
    if (found.length > 0) return found;
    return of.toSorted((a, b) => order(a) - order(b)).slice(0, 1);
  });
  return rows.sort(
    (a, b) =>
      compareVerdicts(a.verdict, b.verdict) ||
      b.targets - a.targets ||
      a.value.localeCompare(b.value, 'en', { numeric: true }),
  );
}

/** What was compared comes before what was not, the live heap before other resources. */
function order({ ratePerHour, resource }: RecordedCohort): number {
  return (ratePerHour === null ? 2 : 0) + (resource === 'live heap' ? 0 : 1);
}

/** The worst verdict on each value. */
export function verdictsOf(rows: readonly RecordedCohort[]): ReadonlyMap<string, Verdict> {
  const worst = new Map<string, Verdict>();
  for (const { value, verdict } of rows) {
    const known = worst.get(value);
    if (known === undefined || compareVerdicts(verdict, known) < 0) worst.set(value, verdict);
  }
  return worst;
}
