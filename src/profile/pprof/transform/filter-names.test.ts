import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { plainProfile } from '../../../../test/fuzz/plain-profile.ts';
import { assertSound, smallProfile } from '../../../../test/fuzz/sound-profile.ts';
import { profileOf, stacksOf } from '../../../../test/fuzz/stack-profile.ts';
import type { Profile } from '../../profile.ts';
import { buildNodes, printableName } from '../node-table.ts';
import { compileGoRegexp } from '../go-regexp.ts';
import { filterByName, showFrom } from './filter-names.ts';
import { compileTagFilter, filterByTag, filterTagsByName } from './filter-tags.ts';
import { pruneFrom, removeUninteresting, simplifyFunctionName } from './prune.ts';

const re = compileGoRegexp;

/** Stacks by name with the first value, sorted, so that numbering does not matter. */
function meaning(profile: Profile): string[] {
  const nodes = buildNodes(profile, { objectNames: false });
  const names = nodes.infos.map(printableName);
  const { samples } = profile;
  return Array.from({ length: samples.length }, (_, s) => {
    const stack = [...samples.stackLocations.subarray(samples.stackStart[s], samples.stackStart[s + 1])].map(location =>
      [...nodes.locationNodes.subarray(nodes.locationStart[location], nodes.locationStart[location + 1])]
        .map(node => names[node])
        .join('+'),
    );
    const { labels } = plainProfile(profile).samples[s];
    const tags = labels.map(({ key, str, num, unit }) => `${key}=${str}${num}${unit}`);
    return `${stack.join(';')} ${tags.join(',')} ${samples.values.map(column => column[s])}`;
  }).sort();
}

describe('filters on names', () => {
  const profile = profileOf([
    ['a;b;main', 1],
    ['c;b;main', 2],
    ['in+out;main', 4],
    ['rec;x;rec;main', 8],
  ]);

  it('focus and ignore choose samples', () => {
    assert.deepEqual(stacksOf(filterByName(profile, { focus: re('^b$') }).profile), ['a;b;main', 'c;b;main']);
    assert.deepEqual(stacksOf(filterByName(profile, { ignore: re('^b$') }).profile), ['in+out;main', 'rec;x;rec;main']);
    assert.deepEqual(stacksOf(filterByName(profile, { focus: re('b'), ignore: re('^c$') }).profile), ['a;b;main']);
    assert.deepEqual(
      stacksOf(filterByName(profile, { focus: re('out\\.go') }).profile),
      ['in+out;main'],
      'file names too',
    );
  });

  it('hide and show choose frames, inlined ones one by one', () => {
    assert.deepEqual(stacksOf(filterByName(profile, { hide: re('^(b|in|x)$') }).profile), [
      'a;main',
      'c;main',
      'out;main',
      'rec;rec;main',
    ]);
    assert.deepEqual(stacksOf(filterByName(profile, { show: re('^(b|in)$') }).profile), ['b', 'b', 'in']);
    assert.deepEqual(stacksOf(filterByName(profile, { hide: re('.') }).profile), []);
  });

  it('show_from drops the callers', () => {
    assert.deepEqual(stacksOf(showFrom(profile, re('^(b|rec|in)$')).profile), ['a;b', 'c;b', 'in', 'rec;x;rec']);
    assert.deepEqual(stacksOf(showFrom(profile, re('^zzz$')).profile), []);
  });

  it('prune_from drops the callees', () => {
    assert.deepEqual(stacksOf(pruneFrom(profile, re('^(b|out|rec)$'))), [
      'b;main',
      'b;main',
      'out;main',
      'rec;x;rec;main',
    ]);
  });

  it('drop_frames of the profile itself', () => {
    const own = { ...profile, dropFrames: 'b|in|rec', keepFrames: 'rec' };
    assert.deepEqual(stacksOf(removeUninteresting(own, re)), ['main', 'main', 'out;main', 'rec;x;rec;main']);
    const broken = { ...profile, dropFrames: '(' };
    assert.equal(removeUninteresting(broken, re), broken);
  });

  it('report which expressions matched nothing', () => {
    const { matched } = filterByName(profile, { focus: re('b'), ignore: re('zzz'), hide: re('zzz'), show: re('.') });
    assert.deepEqual(matched, { focus: true, ignore: false, hide: false, show: true });
  });

  it('keep any profile valid, and leave what they keep unchanged', () => {
    const expression = fc.constantFrom('main', 'a', 'runtime|b', '^$', '.', 'x\\.go').map(re);
    fc.assert(
      fc.property(smallProfile, expression, expression, fc.nat(6), (any, one, other, kind) => {
        const filtered = [
          () => filterByName(any, { focus: one }).profile,
          () => filterByName(any, { ignore: one }).profile,
          () => filterByName(any, { focus: one, ignore: other, hide: one, show: other }).profile,
          () => showFrom(any, one).profile,
          () => pruneFrom(any, one),
          () =>
            filterByTag(
              any,
              compileTagFilter('t', 'a', new Map(), re, () => undefined),
              undefined,
            ).profile,
          () => filterTagsByName(any, one, other).profile,
        ][kind]();
        assertSound(filtered);
        assert.ok(filtered.samples.length <= any.samples.length);
        if (kind < 2) for (const row of meaning(filtered)) assert.ok(meaning(any).includes(row));
      }),
    );
  });

  it('with the same expression for focus and ignore split a profile in two', () => {
    fc.assert(
      fc.property(smallProfile, profile => {
        const withStacks = filterByName(profile, { focus: re('') }).profile;
        const focused = filterByName(withStacks, { focus: re('a') }).profile;
        const ignored = filterByName(withStacks, { ignore: re('a') }).profile;
        assert.deepEqual([...meaning(focused), ...meaning(ignored)].sort(), meaning(withStacks));
      }),
    );
  });
});

it('simplifyFunctionName', () => {
  for (const [name, want] of [
    ['f(int)', 'f'],
    ['.f', 'f'],
    ['(anonymous namespace)::f(int)', '(anonymous namespace)::f'],
    ['a::operator()(int)', 'a::operator()'],
    ['main.(*T).f', 'main.'],
    ['plain', 'plain'],
  ]) {
    assert.equal(simplifyFunctionName(name), want, name);
  }
});
