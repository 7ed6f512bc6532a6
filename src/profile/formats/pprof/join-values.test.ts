import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import type { Profile } from '../../profile.ts';
import { decodeProfile } from './decode.ts';
import { encodeProfile } from './encode.ts';
import { joinValues } from './join-values.ts';

const HEAP = new URL('../../../../demo/leak-a/heap-1794774072.pb.gz', import.meta.url);
const whole = decodeProfile(gunzipSync(readFileSync(HEAP)));

function only(type: string): Profile {
  const column = whole.sampleTypes.findIndex(one => one.type === type);
  return {
    ...whole,
    sampleTypes: [whole.sampleTypes[column]],
    samples: { ...whole.samples, values: [whole.samples.values[column]] },
  };
}

const sum = ({ samples }: Profile, column: number): number =>
  Array.from(samples.values[column], Number).reduce((a, b) => a + b, 0);

it('two answers with one value each become the profile that they come from', () => {
  const joined = decodeProfile(joinValues(encodeProfile(only('inuse_objects')), encodeProfile(only('inuse_space'))));
  assert.deepEqual(
    joined.sampleTypes.map(({ type }) => type),
    ['inuse_objects', 'inuse_space'],
  );
  assert.equal(joined.samples.length, whole.samples.length);
  const at = (type: string) => whole.sampleTypes.findIndex(one => one.type === type);
  assert.equal(sum(joined, 0), sum(whole, at('inuse_objects')));
  assert.equal(sum(joined, 1), sum(whole, at('inuse_space')));
  // Stack by stack: bytes without objects are no heap.
  const torn = Array.from(joined.samples.values[1], Number).filter(
    (bytes, i) => (bytes === 0) !== (Number(joined.samples.values[0][i]) === 0),
  );
  assert.equal(torn.length, 0);
});

it('a stack that the other answer lacks has none of its value', () => {
  const none = { ...only('inuse_objects'), samples: { ...whole.samples, length: 0, values: [new Float64Array(0)] } };
  const empty = {
    ...none,
    samples: { ...none.samples, stackStart: new Uint32Array(1), labelStart: new Uint32Array(1) },
  };
  const joined = decodeProfile(joinValues(encodeProfile(empty), encodeProfile(only('inuse_space'))));
  assert.equal(sum(joined, 0), 0);
  assert.ok(sum(joined, 1) > 0);
});
