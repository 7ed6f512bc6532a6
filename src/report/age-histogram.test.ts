import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { FindingAges } from '../judge/analysis.ts';
import { ageHistogram } from './phrases.ts';

const AGES: FindingAges = { shape: 'steady', perHour: null, sinceMinutes: null, binMinutes: 2, bins: [1, 8, 0, 4, 16] };

it('draws how many there are at each age, from none up', () => {
  assert.equal(ageHistogram(AGES), 'now ▁▅_▃█ 10m');
  assert.equal(ageHistogram(AGES, true), 'now .+_-@ 10m');
  assert.equal(ageHistogram({ ...AGES, bins: [0] }), 'now _ 2m');
});
