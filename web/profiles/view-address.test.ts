import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { WHOLE } from './view-window.ts';
import { GRANULARITIES } from '../reader/filters.ts';
import { addressQuery, GRAPH_TABS, parseAddress, TABLE_TABS, type ViewAddress } from './view-address.ts';

function query(address: ViewAddress): URLSearchParams {
  const parts = Object.entries(addressQuery(address)).flatMap(([name, value]) =>
    value === null ? [] : [[name, value]],
  );
  // As the address bar does it.
  return new URL(`http://x/?${new URLSearchParams(parts as [string, string][])}`).searchParams;
}

it('every view round-trips through its address', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 12 });
  const key = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 });
  const address: fc.Arbitrary<ViewAddress> = fc.record(
    {
      sampleType: text,
      tab: fc.constantFrom(...GRAPH_TABS),
      table: fc.constantFrom(undefined, ...TABLE_TABS),
      search: text,
      filters: fc.record(
        {
          focus: text,
          ignore: text,
          hide: text,
          show: text,
          show_from: text,
          tagfocus: text,
          tagignore: text,
          granularity: fc.constantFrom('', ...GRANULARITIES),
          relative: fc.boolean(),
        },
        { noNullPrototype: true },
      ),
      unit: fc.constantFrom('', 'MB', 's'),
      labels: fc.array(fc.record({ key: text, value: text }, { noNullPrototype: true }), { maxLength: 3 }),
      roots: fc.array(key, { maxLength: 3 }),
      window: fc.constantFrom(WHOLE, { left: 0.25, right: 0.5 }),
      node: fc.integer({ min: -1, max: 100_000 }),
      flipped: fc.boolean(),
      sort: fc.constantFrom(undefined, { key: 'cum', descending: true }, { key: 'flat-change', descending: false }),
      family: text,
      widthOf: fc.constantFrom('after', 'larger'),
      operations: fc.option(fc.integer({ min: 1, max: 1e6 }), { nil: undefined }),
    },
    { noNullPrototype: true },
  );
  fc.assert(fc.property(address, given => assert.deepEqual(parseAddress(query(given)), given)));
});

it('the default view has an empty query', () => {
  const view = parseAddress(new URLSearchParams());
  assert.equal(query(view).toString(), '');
});

it('an invalid address shows the default view', () => {
  const odd = parseAddress(
    new URLSearchParams(
      'tab=x&table=y&zoom=9~1&node=-5&sort=%00&ops=-3&l=noequals&granularity=atoms&relative=yes&unit=%00',
    ),
  );
  assert.deepEqual(odd, parseAddress(new URLSearchParams()));
});
