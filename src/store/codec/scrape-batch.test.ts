import assert from 'node:assert/strict';
import { it } from 'node:test';
import { offsetOf } from '../../watch/sampling/sampler.ts';
import { inSamplingOrder } from './scrape-batch.ts';

it('targets get their numbers in the order in which a watch samples them', () => {
  const names = Array.from({ length: 500 }, (_, i) => `node/worker-${i}`);
  const places = inSamplingOrder(names, name => name).map(offsetOf);
  assert.deepEqual(
    places,
    [...places].sort((a, b) => a - b),
  );
});
