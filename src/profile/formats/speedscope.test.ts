import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ProfileBuilder } from '../profile-builder.ts';
import { writeSpeedscope } from './speedscope.ts';

test('writes one sampled profile per sample type', () => {
  const b = new ProfileBuilder([
    { type: 'contentions', unit: 'count' },
    { type: 'delay', unit: 'nanoseconds' },
    { type: 'cycles', unit: 'cycles' },
  ]);
  const main = b.addLocation({ lines: [{ fn: b.internFunction('main.main', 'main.go', 'main.main', 7), line: 9 }] });
  const inlined = b.addLocation({
    lines: [{ fn: b.internFunction('inner', 'a.go') }, { fn: b.internFunction('outer', 'a.go') }],
  });
  b.addSample([inlined, main], [2, 2n ** 60n, -4]);
  b.addSample([main], [0, 5, 6]);
  const file = JSON.parse(writeSpeedscope(b.finish({ defaultSampleType: 'delay' }), { name: 'mutex.pb.gz' }));
  assert.equal(file.activeProfileIndex, 1);
  assert.equal(file.name, 'mutex.pb.gz');
  assert.deepEqual(file.shared.frames, [
    { name: 'main.main', file: 'main.go', line: 7 },
    { name: 'outer', file: 'a.go' },
    { name: 'inner', file: 'a.go' },
  ]);
  assert.deepEqual(file.profiles, [
    {
      type: 'sampled',
      name: 'contentions',
      unit: 'none',
      startValue: 0,
      endValue: 2,
      samples: [[0, 1, 2]],
      weights: [2],
    },
    {
      type: 'sampled',
      name: 'delay (1 beyond 2^53 rounded)',
      unit: 'nanoseconds',
      startValue: 0,
      endValue: 2 ** 60,
      samples: [[0, 1, 2], [0]],
      weights: [2 ** 60, 5],
    },
    {
      type: 'sampled',
      name: 'cycles (in cycles, 1 negative left out)',
      unit: 'none',
      startValue: 0,
      endValue: 6,
      samples: [[0]],
      weights: [6],
    },
  ]);
});
