import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Waits } from '../../profile/families/family.ts';
import { survivors } from './ages-of.ts';

function waits(...rows: readonly (readonly [id: number, minutes: number])[]): Waits {
  return {
    id: Float64Array.from(rows, ([id]) => id),
    minutes: Int32Array.from(rows, ([, minutes]) => minutes),
    state: new Uint32Array(rows.length),
    states: ['select'],
    isCut: false,
  };
}

it('counts goroutines that stayed, woke and ended between two dumps', () => {
  const first = waits([11, 9], [12, 5], [13, 4], [14, 0]);
  const last = waits([11, 19], [12, 1], [14, 10], [15, 3]);
  assert.deepEqual(survivors(first, last, 0, 10), { first: 4, stayed: 2, woke: 1, apartMinutes: 10 });
  assert.deepEqual(survivors(first, last, 5, 10), { first: 2, stayed: 1, woke: 1, apartMinutes: 10 });
});

it('uses the waits if the time between the dumps is unknown', () => {
  const first = waits([11, 9], [12, 9], [13, 3]);
  const last = waits([11, 19], [12, 1], [13, 14]);
  assert.deepEqual(survivors(first, last, 0, undefined), { first: 3, stayed: 2, woke: 1, apartMinutes: 10 });
  assert.deepEqual(survivors(waits(), last, 0, undefined), { first: 0, stayed: 0, woke: 0, apartMinutes: 0 });
});
