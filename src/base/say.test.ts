import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  formatAge,
  formatAmount,
  formatBytes,
  formatCertainty,
  formatCount,
  formatHours,
  formatRate,
  formatShare,
  limitIn,
  signed,
} from './say.ts';

describe('limits and rates', () => {
  it('give the time to a limit as an interval, open or closed', () => {
    assert.equal(formatHours([15, 26]), '15h to 1d2h');
    assert.equal(formatHours([15, null]), '15h or more');
    assert.equal(formatHours([15, Infinity]), '15h or more');
    assert.equal(formatHours([2, 2.001]), '2h', 'not "2h to 2h"');
    assert.equal(limitIn([15, 26]), 'limit in 15h to 1d2h');
    assert.equal(limitIn([0, 0]), 'at its limit');
    assert.equal(limitIn([Infinity, null]), undefined);
    assert.equal(limitIn(undefined), undefined);
  });

  it('count hundreds in whole ones, and have no negative zero', () => {
    assert.equal(formatRate('count', 1240.4), '1,240/h');
    assert.equal(formatRate('bytes', 41_838_182), '39.9 MiB/h');
    assert.equal(formatAmount('count', 12.34), '12.3');
    assert.equal(formatAmount('bytes', -0.001), '0 B');
  });
});

describe('quantities', () => {
  it('nothing is quite certain', () => {
    const cases: readonly [number, string][] = [
      [1, '99.9 %'],
      [0.9933, '99.3 %'],
      [0.622, '62 %'],
      [0, '0.1 %'],
    ];
    for (const [probability, text] of cases) assert.equal(formatCertainty(probability), text);
  });

  it('a small negative number is 0, not -0', () => {
    assert.deepEqual([formatCount(-0.001), formatBytes(-0.001), signed(formatCount(-0.001))], ['0', '0 B', '0']);
  });

  it('memory has binary units', () => {
    const cases: readonly [number, string][] = [
      [0, '0 B'],
      [486, '486 B'],
      [0.25, '0.25 B'],
      [1024, '1 KiB'],
      [1536, '1.5 KiB'],
      [432_013_312, '412 MiB'],
      [1_048_300, '1 MiB'], // not 1023 KiB and something
      [1_567_000_000, '1.46 GiB'],
      [-22_334_218, '-21.3 MiB'],
      [2 ** 70, '1024 EiB'],
      [NaN, 'NaN'],
    ];
    for (const [bytes, text] of cases) assert.equal(formatBytes(bytes), text);
  });

  it('counts are grouped, small ones keep three digits', () => {
    const cases: readonly [number, string][] = [
      [44_310, '44,310'],
      [1_234_567, '1,234,567'],
      [-1_234, '-1,234'],
      [2, '2'],
      [2.004, '2'],
      [0.0512, '0.05'],
      [340.4, '340'],
      [1_234.5, '1,235'],
      [12.34, '12.3'],
    ];
    for (const [count, text] of cases) assert.equal(formatCount(count), text);
  });

  it('ages show their two largest units', () => {
    const cases: readonly [number, string][] = [
      [0, '0s'],
      [45, '45s'],
      [61, '1m1s'],
      [31 * 60, '31m'],
      [3_600, '1h'],
      [273_600, '3d4h'],
      [5_352 * 60, '3d17h'],
      [100 * 86_400 + 4_000, '100d'],
    ];
    for (const [seconds, text] of cases) assert.equal(formatAge(seconds), text);
  });

  it('shares never round to nothing or to everything', () => {
    assert.deepEqual([0, 0.004, 0.614, 0.996, 1].map(formatShare), ['0%', '<1%', '61%', '>99%', '100%']);
  });

  it('signs', () => {
    assert.deepEqual(['5', '-5', '0', '0 B', '0.5 B'].map(signed), ['+5', '-5', '0', '0 B', '+0.5 B']);
  });
});
