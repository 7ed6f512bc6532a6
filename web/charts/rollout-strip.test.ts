import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { RolloutView } from '../../src/watch/watch-model.ts';
import { rolloutShapes } from './rollout-strip.tsx';

const VIEW: RolloutView = {
  schema: 'oakum.rollout/v1',
  at: 0,
  attribute: 'version',
  resource: 'live heap',
  unit: 'bytes',
  bins: { from: 0, stepSeconds: 3600, count: 2 },
  values: [
    { value: 'new', targets: [0, 3], growth: [null, 8] },
    { value: 'old', targets: [4, 1], growth: [0, -2] },
  ],
  moreValues: 0,
};

describe('the shapes of a rollout', () => {
  it('stack the targets of each value, and draw growth on one scale', () => {
    const { areas, lines, least, most } = rolloutShapes(VIEW, 40, 100);
    assert.equal(areas[0], 'M0 40L500 40L500 10L1000 10L1000 40L500 40L500 40L0 40Z');
    assert.equal(areas[1], 'M0 0L500 0L500 0L1000 0L1000 10L500 10L500 40L0 40Z');
    assert.deepEqual(lines, ['M750 0', 'M250 80L750 100']);
    assert.deepEqual([least, most], [-2, 8]);
  });

  it('of nothing are flat', () => {
    const { lines, areas } = rolloutShapes(
      { ...VIEW, values: [{ value: 'a', targets: [0, 0], growth: [0, 0] }] },
      40,
      100,
    );
    assert.deepEqual(lines, ['M250 100L750 100']);
    assert.ok(!areas[0].includes('NaN'));
  });
});
