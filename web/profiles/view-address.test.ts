import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { WHOLE } from '../flame/view-window.ts';
import { addressOf, type Arrival } from '../reader/dropped-files.ts';
import type { OpenedProfile } from '../reader/open-profile.ts';
import { changeText, keepUnits, shareText, valueText } from '../text/value-text.ts';
import { addressQuery, parseAddress, type ViewAddress } from './view-address.ts';

function query(address: ViewAddress): URLSearchParams {
  const parts = Object.entries(addressQuery(address)).flatMap(([name, value]) =>
    value === null ? [] : [[name, value]],
  );
  // As the address bar does it.
  return new URL(`http://x/?${new URLSearchParams(parts as [string, string][])}`).searchParams;
}

it('every view survives its address', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 12 });
  const key = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 });
  const address: fc.Arbitrary<ViewAddress> = fc.record(
    {
      sampleType: text,
      tab: fc.constantFrom('flame', 'sandwich'),
      table: fc.constantFrom(undefined, 'families', 'top', 'tree'),
      search: text,
      only: fc.boolean(),
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

it('the plain view has a plain address', () => {
  const plain = parseAddress(new URLSearchParams());
  assert.equal(query(plain).toString(), '');
});

it('a made-up address is a plain view, not an error', () => {
  const odd = parseAddress(new URLSearchParams('tab=x&table=y&zoom=9~1&node=-5&sort=%00&ops=-3&l=noequals&only=yes'));
  assert.deepEqual(odd, parseAddress(new URLSearchParams()));
});

it('values carry units and three digits', () => {
  assert.equal(valueText(19_922_944, 'bytes'), '19 MiB');
  assert.equal(valueText(44_310, 'count'), '44,310');
  assert.equal(valueText(12_400_000_000, 'nanoseconds'), '12.4 s');
  assert.equal(valueText(1_500_000, 'nanoseconds'), '1.5 ms');
  assert.equal(valueText(0, 'nanoseconds'), '0 s');
  assert.equal(valueText(7, 'widgets'), '7 widgets');
  assert.deepEqual(
    [0, 5, -5].map(change => changeText(change, 'count')),
    ['±0', '+5', '-5'],
  );
  assert.deepEqual(
    [0, 0.0001, 0.042, 0.5, 1].map(part => shareText(part, 1)),
    ['0 %', '<0.1 %', '4.2 %', '50 %', '100 %'],
  );
  assert.equal(keepUnits('19 MiB (48 %) in 5 min'), '19\u00a0MiB (48\u00a0%) in 5\u00a0min');
});

it('dropped files lead to a page, or are compared in their order', () => {
  const arrival = (key: string, name: string, kind: string, takenAt?: number): Arrival => ({
    key,
    opened: { name, kind, takenAt } as OpenedProfile,
  });
  const one = arrival('local-1', 'heap-9.pb.gz', 'heap');
  assert.equal(addressOf([one]), '/p/local-1');
  assert.equal(addressOf([arrival('local-2', 'heap-10.pb.gz', 'heap'), one]), '/compare?a=local-1&b=local-2');
  const timed = [arrival('a', 'x', 'heap', 30), arrival('b', 'y', 'heap', 10), arrival('c', 'z', 'heap', 20)];
  assert.equal(addressOf(timed), '/compare?a=b&b=a', 'the earliest against the latest');
  assert.throws(() => addressOf([one, arrival('g', 'g', 'goroutine')]), /different kinds \(heap, goroutine\)/);
});
