import assert from 'node:assert/strict';
import { it } from 'node:test';
import { agePath } from './age-bars.tsx';

it('draws a bar for each age that somebody has, the youngest on the right', () => {
  assert.equal(agePath([2, 0, 4], 12, 10), 'M8.0 10v-5.0h3.0V10zM0.0 10v-10.0h3.0V10z');
  assert.equal(agePath([0], 12, 10), '');
  assert.match(agePath([1000, 1], 12, 10), /v-1\.0h/);
});
