/** Which verdicts on cohorts a table by one attribute shows. */
import type { RecordedCohort } from '../../src/judge/detect/recorded-detection.ts';
import { compareVerdicts, mayLeak, type Verdict } from '../../src/judge/verdict.ts';

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
