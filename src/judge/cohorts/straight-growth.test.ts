import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { RESOURCE_RULES } from '../../evidence/resource-rules.ts';
import { TargetState } from '../detect/target-state.ts';
import type { GrowthBoard } from './growth-board.ts';
import { straightGrowth, type StraightGrowth } from './steady-growth.ts';

const HOUR = 3600;
const BEGIN_BIN = 500_000;
const AGE_HOURS = 14;
const MB = 1e6;
const [rule] = RESOURCE_RULES.filter(({ resource }) => resource === 'live heap');

/** Deterministic noise of about one unit, correlated over a few hours. */
function noiseOf(seed: number): () => number {
  let state = (seed * 2_654_435_761 + 12_345) >>> 0;
  let last = 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    last = 0.6 * last + (state / 2 ** 32 - 0.5) * 2.5;
    return last;
  };
}

/** Targets that restarted `AGE_HOURS` ago, and others; the first `changed` grow as `growth` says, by their age in hours. */
function growthOf(changed: number, growth: (ageHours: number, target: number) => number): StraightGrowth | undefined {
  const fleet = Array.from({ length: changed + 30 }, (_, target) => {
    const state = new TargetState(`node-${target}`, HOUR);
    const noise = noiseOf(target + 1);
    const isChanged = target < changed;
    for (let hour = -30; hour < AGE_HOURS; hour++) {
      const isOld = !isChanged || hour < 0;
      state.observe((BEGIN_BIN + hour) * HOUR + 1800, {
        go_gc_heap_live_bytes: (80 + noise() + (isOld ? 0 : growth(hour, target))) * MB,
        process_start_time_seconds: isOld ? 1e9 : BEGIN_BIN * HOUR,
      });
    }
    state.advance(BEGIN_BIN + AGE_HOURS);
    return state;
  });
  const rows = fleet.map((_, row) => row);
  return straightGrowth({
    fleet,
    board: { rule } as GrowthBoard,
    moment: { endBin: BEGIN_BIN + AGE_HOURS, binSeconds: HOUR, options: {} },
    windowHours: 12,
    rows: rows.slice(0, changed),
    originBins: rows.slice(0, changed).map(() => BEGIN_BIN),
    controls: rows.slice(changed),
  });
}

const warmUp = (hours: number, tau: number, amount: number): number => amount * (1 - Math.exp(-hours / tau));

describe('growth that goes straight on', () => {
  it('is found beside a warm-up of hours', () => {
    for (const tau of [1.5, 3, 5]) {
      const found = growthOf(20, (hours, target) => 2.4 * hours + warmUp(hours, tau, 20 + (target % 5)));
      assert.ok(found !== undefined && found.slope > 4 * found.error, `${tau} h: ${JSON.stringify(found)}`);
      assert.ok(Math.abs(found.slope / MB - 2.4) < 3.5 * (found.error / MB), `${tau} h: ${JSON.stringify(found)}`);
    }
  });

  it('is not found in a warm-up alone', () => {
    for (const tau of [1.5, 3, 6, 10, 14]) {
      const found = growthOf(20, (hours, target) => warmUp(hours, tau, 25 + (target % 5)));
      assert.ok(found !== undefined && found.slope < 3 * found.error, `${tau} h: ${JSON.stringify(found)}`);
    }
  });

  it('is unknown with too few targets', () => {
    assert.equal(
      growthOf(4, hours => 2.4 * hours),
      undefined,
    );
  });
});
