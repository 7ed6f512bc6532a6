import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { newHours, type Hours } from '../detect/slow/hours.ts';
import { HourSums } from './slopes.ts';

function laid(values: readonly number[], epochOf: (hour: number) => number = () => 0): HourSums {
  const hours: Hours = newHours();
  hours.count = values.length;
  hours.firstBin = 1000;
  values.forEach((value, i) => {
    hours.values[i] = value;
    hours.epoch[i] = epochOf(i);
  });
  const sums = new HourSums();
  sums.lay(hours, -Infinity);
  return sums;
}

const near = (value: number, expected: number): void => assert.ok(Math.abs(value - expected) < 1e-6, `${value}`);

describe('slopes over any hours', () => {
  it('finds the slope of a line in every window and both halves', () => {
    const sums = laid(Array.from({ length: 60 }, (_, i) => 5e8 + 3 * i));
    for (const length of [6, 17, 60]) {
      const { slope, early, late, hours } = sums.over(1060 - length, 1060);
      near(slope, 3);
      near(early, 3);
      near(late, 3);
      assert.equal(hours, length);
    }
  });

  it('is not moved by a burst of two hours', () => {
    const values = Array.from({ length: 40 }, (_, i) => 100 + i);
    values[33] += 1e6;
    values[34] += 1e6;
    const { slope } = laid(values).over(1000, 1040);
    assert.ok(Math.abs(slope - 1) < 0.1, `${slope}`);
  });

  it('gives each life its own level, and leaves out the hours after a restart', () => {
    const sawtooth = Array.from({ length: 48 }, (_, i) => 100 + 2 * (i % 12) + (i % 12 < 2 ? 1e4 : 0));
    const { slope, hours } = laid(sawtooth, hour => Math.floor(hour / 12)).over(1000, 1048);
    // Only the first life began before the record.
    assert.equal(hours, 12 + 3 * 10);
    const settled = laid(sawtooth, hour => Math.floor(hour / 12)).over(1012, 1048);
    near(settled.slope, 2);
    assert.ok(slope < settled.slope);
  });

  it('sees that growth slows down', () => {
    const { early, late } = laid(Array.from({ length: 24 }, (_, i) => 100 * (1 - Math.exp(-i / 8)))).over(1000, 1024);
    assert.ok(late < 0.4 * early);
  });

  it('is unknown where nothing was seen', () => {
    const { slope, hours } = laid([1, 2, NaN, NaN, NaN, NaN]).over(1002, 1006);
    assert.ok(Number.isNaN(slope));
    assert.equal(hours, 0);
  });
});
