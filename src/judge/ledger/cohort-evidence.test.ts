import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CohortVerdict } from '../cohorts/cohort-model.ts';
import { cohortEvidence, weighCohorts } from './cohort-evidence.ts';
import { weighDetected } from './metric-evidence.ts';

const COHORT: CohortVerdict = {
  attribute: 'version',
  value: 'v1.36.0',
  resource: 'live heap',
  unit: 'bytes',
  verdict: 'leak',
  ratePerHour: [1, 2, 3],
  spreadPerHour: 0,
  targets: 5,
  observed: 4,
  leaking: ['a', 'b', 'c'],
  against: [{ target: 'd', ratePerHour: 0, differs: [] }],
  controls: 60,
  controlsLeaking: 0,
  equalAges: false,
  sinceSeconds: 0,
  windowHours: 10,
  chance: 1e-9,
  leastChance: 1e-12,
  vetoes: [],
  alternatives: [],
  onset: [],
  hoursForOne: 14,
  sentence: 'version v1.36.0: live heap grows',
};

const unproved = weighDetected({
  resource: 'live heap',
  verdict: 'unknown',
  explanation: 'unproved',
  reasons: ['live heap rises, which chance may explain'],
});

const weighed = (target: string, cohort: CohortVerdict = COHORT, version = 'v1.36.0'): string =>
  weighCohorts(unproved, cohortEvidence(target, 'live heap', { version }, [cohort])).verdict;

describe('cohorts in the ledger', () => {
  it('prove a member that grows with them', () => {
    assert.equal(weighed('a'), 'leak');
    assert.equal(weighed('a', { ...COHORT, verdict: 'watch' }), 'watch');
  });

  it('make a member suspect that was not observed for long enough', () => {
    assert.equal(weighed('e'), 'watch');
  });

  it('speak against a leak of a member that does not grow', () => {
    const [entry] = cohortEvidence('d', 'live heap', { version: 'v1.36.0' }, [COHORT]);
    assert.ok(entry !== undefined && entry.logOdds < 0);
  });

  it('say nothing about other resources, other values, and cohorts without a verdict', () => {
    assert.deepEqual(cohortEvidence('a', 'goroutines', { version: 'v1.36.0' }, [COHORT]), []);
    assert.equal(weighed('a', COHORT, 'v1.35.7'), unproved.verdict);
    assert.deepEqual(cohortEvidence('a', 'live heap', { version: 'v1.36.0' }, [{ ...COHORT, verdict: 'healthy' }]), []);
  });
});
