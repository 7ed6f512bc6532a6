import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { RecordedCohort } from '../../src/judge/detect/recorded-detection.ts';
import { comparedValues, verdictsOf } from './compared-values.tsx';

const cohort = (given: Partial<RecordedCohort>): RecordedCohort =>
  ({
    attribute: 'version',
    resource: 'live heap',
    verdict: 'healthy',
    ratePerHour: [0, 1, 2],
    targets: 1,
    ...given,
  }) as RecordedCohort;

const COHORTS = [
  cohort({ value: 'v3', resource: 'goroutines', verdict: 'watch' }),
  cohort({ value: 'v3', verdict: 'leak' }),
  cohort({ value: 'v3', resource: 'threads' }),
  cohort({ value: 'v1', resource: 'goroutines', targets: 9 }),
  cohort({ value: 'v1', targets: 9 }),
  cohort({ value: 'v2', ratePerHour: null }),
  cohort({ value: 'v2', resource: 'goroutines' }),
  cohort({ attribute: 'pool', value: 'a' }),
];

describe('values that were compared', () => {
  it('are shown with all that grows, or else once', () => {
    assert.deepEqual(
      comparedValues(COHORTS, 'version').map(({ value, resource }) => `${value} ${resource}`),
      ['v3 live heap', 'v3 goroutines', 'v1 live heap', 'v2 goroutines'],
    );
  });

  it('have the worst of their verdicts', () => {
    const rows = comparedValues(COHORTS, 'version');
    assert.deepEqual(
      [...verdictsOf(rows)],
      [
        ['v3', 'leak'],
        ['v1', 'healthy'],
        ['v2', 'healthy'],
      ],
    );
  });
});
