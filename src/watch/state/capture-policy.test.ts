import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CAPTURE_POLICY, CaptureBudget, captureWish, type LastCapture, type TriggerState } from './capture-policy.ts';

const MIB = 1024 * 1024;
const NOW = 1_000_000;

const QUIET: TriggerState = {
  now: NOW,
  lifeSeconds: 86_400,
  goroutines: 300,
  liveHeapBytes: 40 * MIB,
  memoryBytes: 100 * MIB,
  memoryLimitBytes: undefined,
  cpuCores: 0.2,
  verdict: 'healthy',
  hoursToLimit: undefined,
  captures: [],
};

const earlier = (part: Partial<LastCapture> = {}): LastCapture => ({
  at: NOW - 3600,
  goroutines: 300,
  liveHeapBytes: 40 * MIB,
  memoryBytes: 100 * MIB,
  trigger: 'first of life',
  ...part,
});

const wish = (part: Partial<TriggerState>): string | undefined =>
  captureWish({ ...QUIET, ...part }, CAPTURE_POLICY)?.trigger;

describe('evidence is taken', () => {
  it('once in the life of a process after its warm-up, and not again while nothing happens', () => {
    assert.equal(wish({}), 'first of life');
    assert.equal(wish({ lifeSeconds: 60 }), undefined);
    assert.equal(wish({ captures: [earlier()] }), undefined);
  });

  it('when goroutines double, above a thousand', () => {
    assert.equal(wish({ goroutines: 1200, captures: [earlier()] }), 'doubling');
    assert.equal(wish({ goroutines: 900, captures: [earlier()] }), undefined);
    assert.equal(wish({ goroutines: 1200, captures: [earlier({ goroutines: 700 })] }), undefined);
    assert.match(
      captureWish({ ...QUIET, goroutines: 1200, captures: [earlier()] }, CAPTURE_POLICY)?.reason ?? '',
      /1,200 goroutines, 300 at the last/,
    );
  });

  it('when something is suspected: at once, once more later, and again when the heap has grown by a quarter', () => {
    const captures = [earlier()];
    for (const verdict of ['watch', 'leak'] as const) {
      assert.equal(wish({ verdict, captures }), 'slope');
      assert.equal(wish({ verdict, captures: [earlier({ at: NOW - 61 })] }), 'slope', 'it does not wait');
      assert.equal(wish({ verdict, captures: [earlier({ at: NOW - 59 })] }), undefined);
      assert.equal(wish({ verdict, lifeSeconds: 300 }), 'slope', 'however young the process is');
      assert.equal(wish({ verdict, lifeSeconds: 5 }), undefined, 'right after a restart it is about the one before');
      const first = earlier({ trigger: 'slope' });
      assert.equal(wish({ verdict, captures: [...captures, first] }), 'slope');
      assert.equal(wish({ verdict, captures: [...captures, { ...first, at: NOW - 300 }] }), undefined);
      assert.equal(wish({ verdict, captures: [...captures, first, first] }), undefined);
      assert.equal(wish({ verdict, liveHeapBytes: 51 * MIB, captures: [first, first] }), 'heap ramp');
      const ramps = new Array<LastCapture>(5).fill(earlier({ trigger: 'heap ramp' }));
      assert.equal(wish({ verdict, liveHeapBytes: 51 * MIB, captures: [first, first, ...ramps] }), undefined);
    }
  });

  it('before the limit, and at each tenth above, whatever else would prevent it', () => {
    const near = { memoryBytes: 850 * MIB, memoryLimitBytes: 1000 * MIB };
    assert.equal(wish(near), 'pre-OOM');
    assert.equal(wish({ ...near, memoryBytes: 790 * MIB, captures: [earlier()] }), undefined);
    const recent = earlier({ at: NOW - 120, memoryBytes: 300 * MIB });
    assert.equal(wish({ ...near, cpuCores: 8, captures: [recent] }), 'pre-OOM', 'neither cooldown nor CPU');
    const taken = earlier({ at: NOW - 120, trigger: 'pre-OOM', memoryBytes: 820 * MIB });
    assert.equal(wish({ ...near, captures: [taken] }), undefined);
    assert.equal(wish({ ...near, memoryBytes: 930 * MIB, captures: [taken] }), 'pre-OOM');
    assert.equal(wish({ ...near, memoryBytes: 930 * MIB, captures: [{ ...taken, at: NOW - 30 }] }), undefined);
  });

  it('not while the process is busy, and not twice within the cooldown', () => {
    assert.equal(wish({ verdict: 'leak', cpuCores: 3 }), undefined);
    const doubled = { goroutines: 1200 };
    assert.equal(wish({ ...doubled, captures: [earlier({ at: NOW - 300 })] }), undefined);
    assert.equal(wish({ ...doubled, captures: [earlier({ at: NOW - 601 })] }), 'doubling');
  });
});

describe('the budget', () => {
  it('allows a number of captures per hour, half of them where nothing grows', () => {
    const budget = new CaptureBudget({ ...CAPTURE_POLICY, perHour: 4 });
    assert.deepEqual(
      [1, 2, 3].map(at => budget.spend(at, 'first of life')),
      [true, true, false],
    );
    assert.deepEqual(
      [4, 5, 6].map(at => budget.spend(at, 'slope')),
      [true, true, false],
    );
    assert.equal(budget.spend(7, 'asked for'), true, 'a user always gets it');
    assert.equal(budget.spend(3700, 'slope'), true);
  });

  it('does not stay spent when the clock goes back', () => {
    const budget = new CaptureBudget({ ...CAPTURE_POLICY, perHour: 1 });
    assert.equal(budget.spend(10_000, 'slope'), true);
    assert.equal(budget.spend(500, 'slope'), true);
  });
});
