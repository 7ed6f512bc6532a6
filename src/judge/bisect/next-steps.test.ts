import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { RecordedCohort } from '../detect/recorded-detection.ts';
import { nextSteps } from './next-steps.ts';

const COHORT = {
  attribute: 'version',
  value: 'v1.36.0',
  verdict: 'leak',
  targets: 6,
  observed: 6,
  controls: 35,
  leaking: ['node-1'],
  against: [],
  vetoes: [],
  alternatives: [],
  hoursForOne: 7.2,
  leastChance: 1e-7,
} as unknown as RecordedCohort;

describe('what to try next', () => {
  it('counts the whole fleet, not only what was compared', () => {
    const [stop] = nextSteps(COHORT, [], 120);
    assert.equal(stop, 'stop the rollout of v1.36.0: it is on 5 % of the targets');
  });

  it('says which target, which change and how many hours', () => {
    const alias = { attribute: 'kernel', value: '6.8', relation: 'alias' as const, sentence: '' };
    const [step] = nextSteps({ ...COHORT, alternatives: [alias] }, [], 120);
    assert.match(step, /^to tell version v1\.36\.0 from kernel 6\.8: .* on one target, such as node-1, .* after 8 h$/);
    const go = { ...alias, attribute: 'go', value: 'go1.25.3' };
    assert.deepEqual(nextSteps({ ...COHORT, alternatives: [go] }, [], 120), nextSteps(COHORT, [], 120), 'of one build');
  });

  it('says how many more targets are needed if so few prove nothing', () => {
    const few: RecordedCohort = { ...COHORT, verdict: 'unknown', observed: 3, controls: 5, targetsMissing: [6, 4] };
    const known = [{ id: 'x', ref: 'kubernetes#1', title: 'X', fixedIn: ['1.36.3'] }];
    assert.deepEqual(nextSteps(few, known, 8), [
      'give it to 6 more, and record 4 more without it, for 8 h: 9 against 9 can prove it, 3 against 5 cannot',
      'move node-1 alone to 1.36.3, which has the fix, and look after 8 h whether it still grows',
    ]);
  });

  it('names the gate and how to turn it off', () => {
    const [step] = nextSteps({ ...COHORT, attribute: 'gate/KubeletTracing', value: 'on' }, [], 120);
    assert.match(
      step,
      /^set featureGates: \{KubeletTracing: false\} .* of node-1 \(or --feature-gates=KubeletTracing=false\)/,
    );
  });
});
