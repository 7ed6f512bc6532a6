import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { plainProfile } from '../../../../test/fuzz/plain-profile.ts';
import { assertSound, smallProfile, sums } from '../../../../test/fuzz/sound-profile.ts';
import { ProfileBuilder, type LabelRow } from '../../profile-builder.ts';
import type { Profile } from '../../profile.ts';
import { checkCompatible, combine, merge } from './merge.ts';
import { divideValues, negate, normalizeBy, scaleValues } from './scale-values.ts';

describe('merge', () => {
  it('sums, in any order', () => {
    fc.assert(
      fc.property(smallProfile, smallProfile, (a, second) => {
        const b = { ...second, sampleTypes: a.sampleTypes, periodType: a.periodType, samples: sameTypes(second, a) };
        const ab = merge([a, b]);
        const ba = merge([b, a]);
        assertSound(ab);
        assert.deepEqual(
          sums(ab),
          sums(a).map((sum, t) => sum + sums(b)[t]),
        );
        assert.deepEqual(sums(ba), sums(ab));
        assert.equal(ba.samples.length, ab.samples.length);
      }),
    );
  });

  it('of a profile with itself doubles it', () => {
    fc.assert(
      fc.property(smallProfile, profile => {
        const once = merge([profile]);
        const twice = merge([profile, profile]);
        assertSound(twice);
        assert.deepEqual(
          sums(twice),
          sums(profile).map(sum => 2n * sum),
        );
        assert.equal(twice.samples.length, once.samples.length);
        assert.deepEqual(plainProfile(merge([once])), plainProfile(once), 'merging again changes nothing');
      }),
    );
  });

  it('with its negative is empty', () => {
    fc.assert(
      fc.property(smallProfile, profile => {
        assert.equal(merge([profile, negate(profile)]).samples.length, 0);
      }),
    );
  });

  it('wraps at 64 bits as Go does', () => {
    const of = (value: bigint): Profile => {
      const b = new ProfileBuilder([{ type: 'x', unit: 'count' }]);
      b.addSample([b.addLocation({ address: 1n })], [value]);
      return b.finish();
    };
    assert.deepEqual(sums(merge([of(2n ** 63n - 1n), of(2n)])), [-(2n ** 63n) + 1n]);
  });

  it('distinguishes labels, even crafted ones', () => {
    const of = (labels: readonly LabelRow[]): Profile => {
      const b = new ProfileBuilder([{ type: 'x', unit: 'count' }]);
      b.addSample([b.addLocation({ address: 1n })], [1], labels);
      return b.finish();
    };
    const different: readonly (readonly LabelRow[])[] = [
      [],
      [{ key: 'a', str: 'b' }],
      [{ key: 'a', num: 1 }],
      [{ key: 'a', num: 1, unit: 'kb' }],
      [{ key: 'a', str: '1' }],
      [
        { key: 'a', str: 'b' },
        { key: 'c', str: 'd' },
      ],
      [{ key: 'a', str: 'b\0\0c\0d' }],
      [{ key: 'a\0b', str: 'c' }],
      [{ key: 'a', str: 'b\0c' }],
    ];
    assert.equal(merge(different.map(of)).samples.length, different.length);
    const swapped = [
      { key: 'c', str: 'd' },
      { key: 'a', str: 'b' },
    ];
    assert.equal(merge([of(different[5]), of(swapped)]).samples.length, 1, 'the order of keys does not matter');
  });

  it('distinguishes functions, even crafted ones', () => {
    const of = (name: string, file: string): Profile => {
      const b = new ProfileBuilder([{ type: 'x', unit: 'count' }]);
      b.addSample([b.addLocation({ lines: [{ fn: b.internFunction(name, file, '') }] })], [1]);
      return b.finish();
    };
    assert.equal(merge([of('a\0b', 'c'), of('a', 'b\0c'), of('a', 'b')]).samples.length, 3);
  });

  it('moves addresses with their mapping', () => {
    const of = (start: bigint): Profile => {
      const b = new ProfileBuilder([{ type: 'x', unit: 'count' }]);
      const mapping = b.addMapping({ start, limit: start + 0x1000n, buildId: 'same' });
      b.addSample([b.addLocation({ mapping, address: start + 0x10n })], [1]);
      return b.finish();
    };
    const merged = merge([of(0x400000n), of(0x7f0000n)]);
    assert.deepEqual([merged.samples.length, merged.mappings.length, merged.locations.address[0]], [1, 1, 0x400010n]);
  });

  it('refuses incompatible profiles with the messages of pprof', () => {
    const of = (type: string, unit: string): Profile => new ProfileBuilder([{ type, unit }]).finish();
    assert.throws(() => checkCompatible(of('a', 'ns'), of('b', 'ns')), {
      message: 'incompatible sample types [{a ns 0 0}] and [{b ns 0 0}]',
    });
    assert.throws(() => combine([of('a', 'ns'), of('b', 'ns')]), {
      message: 'profiles have empty common sample type list',
    });
    assert.throws(() => combine([of('a', 'ns'), of('a', 'bytes')]), {
      message: 'sample types: incompatible types: {a ns 0 0} {a bytes 0 0}',
    });
    const cpu = { ...of('a', 'ns'), periodType: { type: 'cpu', unit: 'ns' } };
    assert.throws(() => checkCompatible(of('a', 'ns'), cpu), {
      message: 'incompatible period types &{  0 0} and &{cpu ns 0 0}',
    });
  });

  it('converts to the finest unit', () => {
    const of = (unit: string, value: number): Profile => {
      const b = new ProfileBuilder([{ type: 'delay', unit }]);
      b.addSample([b.addLocation({ address: 1n })], [value]);
      return b.finish();
    };
    const combined = combine([of('ms', 3), of('ns', 5)]);
    assert.deepEqual(combined.sampleTypes, [{ type: 'delay', unit: 'ns' }]);
    assert.deepEqual(sums(combined), [3_000_005n]);
  });
});

/** The samples of `profile` with as many values as `like` has. */
function sameTypes(profile: Profile, like: Profile): Profile['samples'] {
  const { samples } = profile;
  return { ...samples, values: like.sampleTypes.map((_, t) => samples.values[t % samples.values.length]) };
}

describe('values', () => {
  it('negate twice restores the profile, except for zeros', () => {
    fc.assert(
      fc.property(smallProfile, profile => {
        const twice = negate(negate(profile));
        assert.deepEqual(sums(twice), sums(profile));
        assertSound(twice);
      }),
    );
  });

  it('scale rounds half away from zero, divide truncates', () => {
    const b = new ProfileBuilder([{ type: 'x', unit: 'count' }]);
    const location = b.addLocation({ address: 1n });
    for (const value of [1, 3, -1, -3, 0]) b.addSample([location], [value]);
    const profile = b.finish();
    assert.deepEqual([...scaleValues(profile, [0.5]).samples.values[0]], [1, 2, -1, -2]);
    assert.deepEqual(Array.from(divideValues(profile, 0.5).samples.values[0], BigInt), [0n, 1n, 0n, -1n, 0n]);
  });

  it('normalize to the sum of the base', () => {
    const of = (...values: number[]): Profile => {
      const b = new ProfileBuilder([{ type: 'x', unit: 'count' }]);
      values.forEach((value, i) => b.addSample([b.addLocation({ address: BigInt(i) })], [value]));
      return b.finish();
    };
    assert.deepEqual(sums(normalizeBy(of(1, 3), of(100, 300))), [400n]);
    assert.deepEqual(sums(normalizeBy(of(1, -1), of(5))), [0n]);
  });
});
