import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ProfileBuilder } from '../profile-builder.ts';
import { sampleIndexByName } from './sample-index.ts';

const of = (types: readonly string[], defaultSampleType = '') => ({
  ...new ProfileBuilder(types.map(type => ({ type, unit: 'count' }))).finish(),
  defaultSampleType,
});
const HEAP = ['alloc_objects', 'alloc_space', 'inuse_objects', 'inuse_space'];

it('finds a sample type by number, by name, or by default', () => {
  assert.equal(sampleIndexByName(of(HEAP), ''), 3);
  assert.equal(sampleIndexByName(of(HEAP, 'alloc_space'), ''), 1);
  assert.equal(sampleIndexByName(of(HEAP, 'gone'), ''), 3);
  assert.equal(sampleIndexByName(of(HEAP), '0'), 0);
  assert.equal(sampleIndexByName(of(HEAP), '+2'), 2);
  assert.equal(sampleIndexByName(of(HEAP), 'inuse_objects'), 2);
  assert.equal(sampleIndexByName(of(['objects', 'space']), 'inuse_space'), 1);
});

it('fails with the messages of pprof', () => {
  for (const [wanted, message] of [
    ['9', 'sample_index 9 is outside the range [0..3]'],
    ['-1', 'sample_index -1 is outside the range [0..3]'],
    ['nope', `sample_index "nope" must be one of: [${HEAP.join(' ')}]`],
  ]) {
    assert.throws(() => sampleIndexByName(of(HEAP), wanted), { message });
  }
  assert.throws(() => sampleIndexByName(of([]), ''), { message: 'profile has no samples' });
});
