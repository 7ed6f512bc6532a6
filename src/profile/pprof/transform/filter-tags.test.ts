import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { profileOf, stacksOf } from '../../../../test/fuzz/stack-profile.ts';
import { compileGoRegexp } from '../go-regexp.ts';
import { compileTagFilter, filterByTag, filterTagsByName } from './filter-tags.ts';
import { numericLabels, numericLabelUnits, stringLabels } from './sample-labels.ts';

const re = compileGoRegexp;

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
      ['512', []], // a number without a unit does not match a number of bytes
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
