import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { assertSound, smallProfile, sums } from '../../../../test/fuzz/sound-profile.ts';
import { profileOf, stacksOf } from '../../../../test/fuzz/stack-profile.ts';
import { stringLabels, setLabel } from './sample-labels.ts';
import { addTagFrames } from './tag-frames.ts';

describe('labels as frames', () => {
  const profile = profileOf([
    [
      'a;main',
      1,
      [
        { key: 'k', str: 'v' },
        { key: 'k', str: 'w' },
        { key: 'size', num: 2048, unit: 'bytes' },
      ],
    ],
    ['b;main', 2],
  ]);

  it('are at the root and at the leaf', () => {
    const { profile: framed, rootMatched, leafMatched } = addTagFrames(profile, ['k', 'none'], ['size'], 'auto');
    assertSound(framed);
    assert.deepEqual(stacksOf(framed), ['2kB;a;main;;v,w', ';b;main;;']);
    assert.deepEqual([rootMatched, leafMatched], [true, true]);
    assert.deepEqual(sums(framed), sums(profile));
    assert.equal(new Set(framed.locations.id).size, framed.locations.length);
  });

  it('report that they matched nothing', () => {
    const { rootMatched, leafMatched } = addTagFrames(profile, ['zzz'], [], '');
    assert.deepEqual([rootMatched, leafMatched], [false, false]);
    assert.equal(addTagFrames(profile, [], [], '').profile, profile);
  });

  it('keep any profile valid', () => {
    fc.assert(
      fc.property(smallProfile, any => {
        const { profile: framed } = addTagFrames(any, ['a', 'bytes'], ['b'], 'auto');
        assertSound(framed);
        assert.deepEqual(sums(framed), sums(any));
        assert.equal(framed.samples.stackLocations.length, any.samples.stackLocations.length + 3 * any.samples.length);
      }),
    );
  });
});

it('setLabel replaces', () => {
  fc.assert(
    fc.property(smallProfile, any => {
      const set = setLabel(any, 'a', 'new');
      assertSound(set);
      for (let s = 0; s < set.samples.length; s++) assert.deepEqual(stringLabels(set, s).get('a'), ['new']);
      assert.deepEqual(sums(set), sums(any));
    }),
  );
});
