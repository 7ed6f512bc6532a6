import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { arbitraryProfile } from '../../../test/fuzz/arbitrary-profile.ts';
import { plainProfile } from '../../../test/fuzz/plain-profile.ts';
import type { Profile } from '../../model/profile.ts';
import { ProfileBuilder, type LabelRow } from '../../model/profile-builder.ts';
import { compileGoRegexp } from '../go-regexp.ts';
import { buildNodes, printableName } from '../graph/node-table.ts';
import { aggregate } from './aggregate.ts';
import { filterByName, showFrom } from './filter-names.ts';
import { compileTagFilter, filterByTag, filterTagsByName } from './filter-tags.ts';
import { numericLabels, numericLabelUnits, stringLabels } from './labels.ts';
import { checkCompatible, combine, merge } from './merge.ts';
import { pruneFrom, removeUninteresting } from './prune.ts';
import { divideValues, negate, normalizeBy, scaleValues } from './scale-values.ts';
import { setLabel } from './set-label.ts';
import { addTagFrames } from './tag-frames.ts';

/** Values whose sums stay far from the edge of 64 bits. */
const small = arbitraryProfile({ value: fc.bigInt({ min: -1000n, max: 1000n }) });

const sums = ({ samples }: Profile): bigint[] =>
  samples.values.map(column => Array.from(column, BigInt).reduce((a, b) => a + b, 0n));

/** Every index points into its table, and every table has the length it says. */
function assertSound(profile: Profile): void {
  const { samples, locations, functions, strings, mappings } = profile;
  const below = (column: ArrayLike<number>, limit: number, from = 0): void => {
    for (let i = 0; i < column.length; i++)
      assert.ok(column[i] >= from && column[i] < limit, `${column[i]} of ${limit}`);
  };
  const ascending = (starts: Uint32Array, rows: number, end: number): void => {
    assert.equal(starts.length, rows + 1);
    assert.equal(starts[0], 0);
    assert.equal(starts[rows], end);
    for (let i = 0; i < rows; i++) assert.ok(starts[i] <= starts[i + 1]);
  };
  ascending(samples.stackStart, samples.length, samples.stackLocations.length);
  ascending(samples.labelStart, samples.length, samples.labels.length);
  ascending(locations.lineStart, locations.length, locations.lines.length);
  below(samples.stackLocations, locations.length);
  below(locations.mapping, mappings.length, -1);
  below(locations.lines.fn, functions.length, -1);
  for (const column of [samples.labels.key, samples.labels.str, samples.labels.unit]) below(column, strings.length);
  for (const column of [functions.name, functions.systemName, functions.filename]) below(column, strings.length);
  assert.equal(samples.values.length, profile.sampleTypes.length);
  for (const column of samples.values) assert.equal(column.length, samples.length);
  assert.equal(strings[0], '');
}

/** Stacks by name with the first value, sorted: what a profile says, whatever its numbering. */
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

describe('merge', () => {
  it('sums, whatever the order', () => {
    fc.assert(
      fc.property(small, small, (a, second) => {
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
      fc.property(small, profile => {
        const once = merge([profile]);
        const twice = merge([profile, profile]);
        assertSound(twice);
        assert.deepEqual(
          sums(twice),
          sums(profile).map(sum => 2n * sum),
        );
        assert.equal(twice.samples.length, once.samples.length);
        assert.deepEqual(plainProfile(merge([once])), plainProfile(once), 'once merged, nothing is left to merge');
      }),
    );
  });

  it('with its negative leaves nothing', () => {
    fc.assert(
      fc.property(small, profile => {
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

  it('tells labels apart, also those that try to look alike', () => {
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
    assert.equal(merge([of(different[5]), of(swapped)]).samples.length, 1, 'the order of keys says nothing');
  });

  it('tells functions apart, also those that try to look alike', () => {
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

  it('refuses what cannot be added, with the words of pprof', () => {
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

  it('brings units together at the finest', () => {
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
  it('negate twice is nothing but the zeros lost', () => {
    fc.assert(
      fc.property(small, profile => {
        const twice = negate(negate(profile));
        assert.deepEqual(sums(twice), sums(profile));
        assertSound(twice);
      }),
    );
  });

  it('scale with rounding half away, divide by cutting off', () => {
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

const profileOf = (
  stacks: readonly (readonly [stack: string, value: number, labels?: readonly LabelRow[]])[],
): Profile => {
  const b = new ProfileBuilder([{ type: 'x', unit: 'count' }]);
  const known = new Map<string, number>();
  const location = (text: string): number => {
    let at = known.get(text);
    if (at === undefined) {
      // `inner+outer`: inlined.
      const lines = text.split('+').map((name, i) => ({ fn: b.internFunction(name, `${name}.go`), line: i + 1 }));
      known.set(text, (at = b.addLocation({ address: BigInt(known.size + 1), lines })));
    }
    return at;
  };
  for (const [stack, value, labels] of stacks) b.addSample(stack.split(';').map(location), [value], labels);
  return b.finish();
};

/** Stacks as `profileOf` takes them. */
function stacksOf(profile: Profile): string[] {
  const { samples, locations, functions, strings } = profile;
  return Array.from({ length: samples.length }, (_, s) =>
    [...samples.stackLocations.subarray(samples.stackStart[s], samples.stackStart[s + 1])]
      .map(location =>
        [...locations.lines.fn.subarray(locations.lineStart[location], locations.lineStart[location + 1])]
          .map(fn => strings[functions.name[fn]])
          .join('+'),
      )
      .join(';'),
  );
}

const re = compileGoRegexp;

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

  it('say which expressions matched nothing', () => {
    const { matched } = filterByName(profile, { focus: re('b'), ignore: re('zzz'), hide: re('zzz'), show: re('.') });
    assert.deepEqual(matched, { focus: true, ignore: false, hide: false, show: true });
  });

  it('keep any profile sound, and what they keep unchanged', () => {
    const expression = fc.constantFrom('main', 'a', 'runtime|b', '^$', '.', 'x\\.go').map(re);
    fc.assert(
      fc.property(small, expression, expression, fc.nat(6), (any, one, other, kind) => {
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

  it('focus and ignore of one expression split a profile in two', () => {
    fc.assert(
      fc.property(small, profile => {
        const withStacks = filterByName(profile, { focus: re('') }).profile;
        const focused = filterByName(withStacks, { focus: re('a') }).profile;
        const ignored = filterByName(withStacks, { ignore: re('a') }).profile;
        assert.deepEqual([...meaning(focused), ...meaning(ignored)].sort(), meaning(withStacks));
      }),
    );
  });
});

describe('filters on labels', () => {
  const profile = profileOf([
    [
      'a',
      1,
      [
        { key: 'controller', str: 'gc' },
        { key: 'bytes', num: 512 },
      ],
    ],
    [
      'b',
      2,
      [
        { key: 'controller', str: 'quota' },
        { key: 'bytes', num: 1024 },
      ],
    ],
    ['c', 4, [{ key: 'bytes', num: 4096 }]],
    ['d', 8],
  ]);
  const { units } = numericLabelUnits(profile);
  const warnings: string[] = [];
  const test = (text: string) => compileTagFilter('tagfocus', text, units, re, message => warnings.push(message));
  const focused = (text: string): string[] => stacksOf(filterByTag(profile, test(text), undefined).profile);

  it('take ranges with units', () => {
    for (const [text, want] of [
      ['512', []], // a number without a unit is no number of bytes
      ['512b', ['a']],
      ['1kb', ['b']],
      ['1kb:', ['b', 'c']],
      [':1kb', ['a', 'b']],
      ['1kb:4kb', ['b', 'c']],
      ['bytes=1kb:2kb', ['b']],
      ['other=1kb:2kb', []],
      ['600b:3kb', ['b']],
      ['2:1', []],
    ] as const) {
      assert.deepEqual(focused(text), want, text);
    }
    assert.equal(warnings[0], "tagfocus:Interpreted '512' as range, not regexp");
  });

  it('take expressions', () => {
    for (const [text, want] of [
      ['quota', ['b']],
      ['controller:', ['a', 'b']],
      ['controller=gc', ['a']],
      ['controller=gc,quota', ['a', 'b']],
      ['gc,quota', []],
      ['gc,controller', ['a']],
      ['nothing', []],
    ] as const) {
      assert.deepEqual(focused(text), want, text);
    }
    assert.throws(() => test('('), {
      message: 'parsing tagfocus regexp: error parsing regexp: missing closing ): `(`',
    });
  });

  it('ignore too', () => {
    assert.deepEqual(stacksOf(filterByTag(profile, undefined, test('controller')).profile), ['c', 'd']);
  });

  it('show and hide labels, not samples', () => {
    const shown = filterTagsByName(profile, re('controller'), undefined);
    assert.equal(shown.profile.samples.length, 4);
    assert.deepEqual([...stringLabels(shown.profile, 0).keys()], ['controller']);
    assert.equal(numericLabels(shown.profile, 0).size, 0);
    assert.equal(stringLabels(filterTagsByName(profile, undefined, re('controller')).profile, 0).size, 0);
  });

  it('know the unit of a label', () => {
    const mixed = profileOf([
      [
        'a',
        1,
        [
          { key: 'size', num: 1, unit: 'kb' },
          { key: 'request', num: 2 },
          { key: 'n', num: 3 },
        ],
      ],
      [
        'b',
        1,
        [
          { key: 'size', num: 1, unit: 'mb' },
          { key: 'size', num: 2 },
        ],
      ],
    ]);
    const { units: found, ignored } = numericLabelUnits(mixed);
    assert.deepEqual(
      [...found],
      [
        ['size', 'kb'],
        ['request', 'bytes'],
        ['n', 'n'],
      ],
    );
    assert.deepEqual([...ignored], [['size', ['mb']]]);
    assert.deepEqual(numericLabels(mixed, 1).get('size'), { values: [1, 2], units: ['mb', ''] });
  });
});

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

  it('stand at the root and at the leaf', () => {
    const { profile: framed, rootMatched, leafMatched } = addTagFrames(profile, ['k', 'none'], ['size'], 'auto');
    assertSound(framed);
    assert.deepEqual(stacksOf(framed), ['2kB;a;main;;v,w', ';b;main;;']);
    assert.deepEqual([rootMatched, leafMatched], [true, true]);
    assert.deepEqual(sums(framed), sums(profile));
    assert.equal(new Set(framed.locations.id).size, framed.locations.length);
  });

  it('say when they matched nothing', () => {
    const { rootMatched, leafMatched } = addTagFrames(profile, ['zzz'], [], '');
    assert.deepEqual([rootMatched, leafMatched], [false, false]);
    assert.equal(addTagFrames(profile, [], [], '').profile, profile);
  });

  it('keep any profile sound', () => {
    fc.assert(
      fc.property(small, any => {
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
    fc.property(small, any => {
      const set = setLabel(any, 'a', 'new');
      assertSound(set);
      for (let s = 0; s < set.samples.length; s++) assert.deepEqual(stringLabels(set, s).get('a'), ['new']);
      assert.deepEqual(sums(set), sums(any));
    }),
  );
});

describe('aggregate', () => {
  const granularities = ['', 'functions', 'filefunctions', 'files', 'lines', 'addresses'] as const;

  it('tells apart less and less, and keeps every value', () => {
    fc.assert(
      fc.property(small, fc.boolean(), (any, inlines) => {
        const counts = granularities.map(granularity => {
          const out = aggregate(any, { granularity, inlines, columns: false });
          assertSound(out);
          assert.deepEqual(sums(out), sums(any));
          return buildNodes(out, { objectNames: false }).infos.length;
        });
        const [, functions, fileFunctions, , lines, addresses] = counts;
        assert.ok(functions <= fileFunctions && fileFunctions <= lines && lines <= addresses);
      }),
    );
  });

  it('without inlines keeps the outermost line', () => {
    const out = aggregate(profileOf([['in+out;main', 1]]), {
      granularity: 'functions',
      inlines: false,
      columns: false,
    });
    assert.deepEqual(stacksOf(out), ['out;main']);
  });

  it('leaves addresses alone', () => {
    const any = profileOf([['in+out;main', 1]]);
    assert.equal(aggregate(any, { granularity: 'addresses', inlines: true, columns: false }), any);
  });
});
