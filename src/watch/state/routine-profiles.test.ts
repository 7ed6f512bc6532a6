import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CAPTURE_POLICY, isRoutineDue, RoutineBudget, type RoutineState } from './capture-policy.ts';

const NOW = 1_000_000;
const HOUR = 3600;
const QUIET: RoutineState = { now: NOW, lifeSeconds: 86_400, cpuCores: 0.2, lastHeapAt: undefined };

const isDue = (part: Partial<RoutineState>): boolean => isRoutineDue({ ...QUIET, ...part }, CAPTURE_POLICY);

describe('a routine heap profile', () => {
  it('is due six hours after the last one, and not of a young or busy process', () => {
    assert.ok(isDue({}));
    assert.ok(isDue({ lifeSeconds: undefined, cpuCores: undefined }));
    assert.ok(isDue({ lastHeapAt: NOW - 6 * HOUR }));
    assert.ok(!isDue({ lastHeapAt: NOW - 6 * HOUR + 1 }));
    assert.ok(!isDue({ lifeSeconds: 600 }));
    assert.ok(!isDue({ cpuCores: 3 }));
    assert.ok(!isRoutineDue(QUIET, { ...CAPTURE_POLICY, routineSeconds: Infinity }));
  });

  it('is taken of one target in a hundred within a minute', () => {
    const budget = new RoutineBudget(CAPTURE_POLICY);
    const spent = (now: number, targets: number): number =>
      Array.from({ length: 200 }, () => budget.spend(now, targets)).filter(Boolean).length;
    assert.equal(spent(NOW, 5000), 50);
    assert.equal(spent(NOW + 59, 5000), 0);
    assert.equal(spent(NOW + 60, 5000), 50);
    assert.equal(spent(NOW + 200, 3), 1, 'but at least one');
  });
});
