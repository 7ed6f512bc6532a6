import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Analysis } from '../analysis.ts';
import type { KnownLeak } from '../../knowledge/known-leak.ts';
import type { RecordedCohort } from '../detect/recorded-detection.ts';
import { bisectCohorts } from './bisect.ts';
import { isProvedBy, ownProofs } from './own-proofs.ts';

const match = (grade: string, affected: string) => ({ id: 'context', grade, affected });
const finding = (target: string, verdict: string, matches: readonly object[]) => ({
  target,
  verdict,
  resource: 'heap',
  matches,
});

const ANALYSIS = {
  findings: [
    finding('a', 'leak', [match('probable', 'unknown')]),
    finding('b', 'leak', [match('possible', 'unknown')]),
    finding('c', 'watch', [match('confirmed', 'affected')]),
    finding('d', 'leak', [match('confirmed', 'fixed')]),
  ],
} as unknown as Analysis;

const COHORT = {
  attribute: 'version',
  value: 'v1.36.0',
  resource: 'live heap',
  verdict: 'unknown',
  sentence: 'version v1.36.0: live heap grows, but 3 targets against 5 cannot prove it',
  ratePerHour: [1, 2, 3],
  targets: 3,
  observed: 3,
  controls: 5,
  leaking: ['a'],
  against: [],
  vetoes: [],
  alternatives: [],
  onset: [],
  chance: 0.4,
  leastChance: 0.02,
  targetsMissing: [6, 4],
  windowHours: 10,
  hoursForOne: 9,
} as unknown as RecordedCohort;

const LEAK = {
  id: 'context',
  refs: ['kubernetes#139823'],
  title: 'A context stays behind',
  component: 'kubelet',
  resources: ['heap'],
  affected: [{ from: '1.36.0', fixed: '1.36.3' }],
  fixedIn: ['1.36.3'],
} as unknown as KnownLeak;

const bisect = (versions: Readonly<Record<string, string>>, cohorts: readonly RecordedCohort[] = [COHORT]) =>
  bisectCohorts({
    atSeconds: 0,
    targetCount: 8,
    cohorts,
    changes: [],
    catalogue: [LEAK],
    component: 'kubelet',
    notes: [],
    proofs: ownProofs(ANALYSIS),
    versionOf: target => versions[target],
    targetNames: Object.keys(versions),
  });

describe('leaks that captures prove', () => {
  it('are those of findings, with the known leaks that stacks show', () => {
    assert.deepEqual(ownProofs(ANALYSIS), [
      { target: 'a', resource: 'live heap', knownIds: ['context'] },
      { target: 'b', resource: 'live heap', knownIds: [] },
      { target: 'd', resource: 'live heap', knownIds: [] },
    ]);
    const isProved = isProvedBy(ownProofs(ANALYSIS));
    assert.deepEqual(
      ['a', 'b', 'c'].map(target => isProved(target, 'live heap')),
      [true, true, false],
    );
    assert.equal(isProved('a', 'goroutines'), false);
  });

  it('prove a version by its known cause, however few targets have it', () => {
    const { verdict, sentence, culprits, unproved } = bisect({ a: 'v1.36.0', b: 'v1.36.0' });
    assert.equal(verdict, 'leak');
    assert.equal(sentence, 'version v1.36.0 comes with a leak: kubernetes#139823, found on a');
    assert.deepEqual(unproved, []);
    const [{ confirmed, next, sentence: why }] = culprits;
    assert.deepEqual(
      confirmed.map(({ ref, targets, notSeenOn, fixedIn }) => [ref, targets, notSeenOn, fixedIn]),
      [['kubernetes#139823', ['a'], ['b'], ['1.36.3']]],
    );
    assert.match(why, /by a known cause, kubernetes#139823, .* by comparison alone: .* cannot prove it$/);
    assert.ok(next.includes('move to a version that has the fix: 1.36.3'), next.join('\n'));
  });

  it('say nothing about a version that their targets do not run', () => {
    const { culprits, unproved } = bisect({ a: 'v1.36.3' });
    assert.deepEqual(culprits, []);
    assert.equal(unproved.length, 1);
  });

  it('are told once, where programs of other kinds have the version, too', () => {
    const other = { ...COHORT, observed: 0, controls: 0, ratePerHour: null } as RecordedCohort;
    assert.equal(bisect({ a: 'v1.36.0' }, [other, COHORT]).culprits.length, 1);
  });
});
