import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { FLEET_SORTS, type FleetQuery, WHOLE_FLEET } from './fleet.ts';
import { VERDICTS } from '../../judge/verdict.ts';
import type { FleetEntry } from './fleet-totals.ts';
import { FleetIndex, FleetItem } from './fleet-index.ts';

function entry(target: string, changes: Partial<FleetEntry> = {}): FleetEntry {
  return {
    target,
    attributes: { version: 'v1', pool: 'a' },
    verdict: 'healthy',
    resource: 'goroutines',
    unit: 'count',
    level: 1,
    slopePerHour: 0,
    timeToLimitHours: null,
    lastSampleAt: null,
    incidentId: null,
    ...changes,
  };
}

const indexOf = (entries: readonly FleetEntry[]): Promise<FleetIndex> =>
  FleetIndex.of(entries.map(one => new FleetItem(one, () => '')));

const namesIn = async (index: FleetIndex, asked: Partial<FleetQuery>): Promise<string[]> =>
  (await index.matching({ ...WHOLE_FLEET, ...asked })).map(one => one.entry.target);

const ENTRIES = [
  entry('n1', { verdict: 'unknown', level: null, slopePerHour: null, gates: { 'gate/A': 'on' } }),
  entry('n10', { verdict: 'leak', level: 5, slopePerHour: 2, timeToLimitHours: [9, null] }),
  entry('n2', { verdict: 'leak', attributes: { version: 'v2', pool: 'b' }, slopePerHour: 3, timeToLimitHours: [2, 3] }),
];

describe('the index of a fleet', () => {
  it('has the worst first', async () => {
    assert.deepEqual(await namesIn(await indexOf(ENTRIES), {}), ['n2', 'n10', 'n1']);
  });

  it('matches words, verdicts, attributes and gates together', async () => {
    const index = await indexOf(ENTRIES);
    assert.deepEqual(await namesIn(index, { search: 'V2' }), ['n2']);
    assert.deepEqual(await namesIn(index, { search: ' LEAK  n1 ' }), ['n10']);
    assert.deepEqual(await namesIn(index, { search: 'n1leak' }), []);
    assert.deepEqual(await namesIn(index, { verdicts: ['unknown', 'healthy'] }), ['n1']);
    assert.deepEqual(
      await namesIn(index, {
        is: [
          ['pool', 'b'],
          ['version', 'v2'],
        ],
      }),
      ['n2'],
    );
    assert.deepEqual(
      await namesIn(index, {
        is: [
          ['pool', 'b'],
          ['version', 'v1'],
        ],
      }),
      [],
    );
    assert.deepEqual(await namesIn(index, { is: [['gate/A', 'on']] }), ['n1']);
    assert.deepEqual(await namesIn(index, { is: [['pool', '']] }), []);
    assert.deepEqual(await namesIn(index, { is: [['toString', 'x']] }), []);
  });

  it('can be sorted; unknown values come last', async () => {
    const index = await indexOf(ENTRIES);
    assert.deepEqual(await namesIn(index, { sort: 'name' }), ['n1', 'n2', 'n10']);
    assert.deepEqual(await namesIn(index, { sort: 'slope' }), ['n2', 'n10', 'n1']);
    assert.deepEqual(await namesIn(index, { sort: 'level' }), ['n10', 'n2', 'n1']);
    assert.deepEqual(await namesIn(index, { sort: 'limit' }), ['n2', 'n10', 'n1']);
  });

  it('sorts numbers in names by their value', async () => {
    const names = ['b', 'a10b2', 'a10b10', 'a9', 'a009', 'A1', 'a', 'a12345678901234567890', 'a2-1', 'a2'];
    const index = await indexOf(names.map(name => entry(name)));
    const sorted = ['a', 'A1', 'a2', 'a2-1', 'a009', 'a9', 'a10b2', 'a10b10', 'a12345678901234567890', 'b'];
    assert.deepEqual(await namesIn(index, { sort: 'name' }), sorted);
  });

  it('offers attributes that group targets, the most useful first', async () => {
    const { totals } = await indexOf([
      entry('a', { attributes: { version: 'v1', id: '1', role: 'x' } }),
      entry('b', { attributes: { id: '2', arch: 'x', role: 'x' } }),
    ]);
    assert.deepEqual(totals.attributes(), ['version', 'arch', 'role']);
  });

  it('counts the values of an attribute over all, the most leaks first, and those that are wanted', async () => {
    const entries = Array.from({ length: 150 }, (_, i) => entry(`n${i}`, { attributes: { zone: `z${i % 120}` } }));
    const index = await indexOf([...entries, entry('x', { verdict: 'leak', attributes: { zone: 'z119' } })]);
    const { values, moreValues } = await index.cohorts('zone', new Set(['z99']));
    assert.deepEqual(
      values.slice(0, 2).map(({ value, total, counts }) => [value, total, counts.leak]),
      [
        ['z119', 2, 1],
        ['z0', 2, 0],
      ],
    );
    assert.deepEqual([values.length, values.at(-1)?.value, moreValues], [101, 'z99', 19]);
    assert.deepEqual((await index.cohorts('gate/A', new Set())).values, []);
  });
});

describe('windows of a fleet', () => {
  const entries = fc
    .uniqueArray(
      fc.record({
        name: fc.stringMatching(/^[ab][0-9]{0,3}$/),
        verdict: fc.constantFrom(...VERDICTS),
        level: fc.option(fc.integer({ min: 0, max: 3 })),
        slope: fc.option(fc.integer({ min: -1, max: 1 })),
        limit: fc.option(fc.integer({ min: 1, max: 3 })),
        pool: fc.constantFrom('a', 'b', 'c'),
      }),
      { selector: ({ name }) => name, maxLength: 60 },
    )
    .map(list =>
      list.map(({ name, verdict, level, slope, limit, pool }) =>
        entry(name, {
          verdict,
          level,
          slopePerHour: slope,
          timeToLimitHours: limit === null ? null : [limit, null],
          attributes: { pool },
        }),
      ),
    );
  const filter = fc.record({
    search: fc.constantFrom('', 'a', 'b1', '1 a', 'leak'),
    verdicts: fc.subarray([...VERDICTS]),
    is: fc.constantFrom<FleetQuery['is']>([], [['pool', 'a']]),
    sort: fc.constantFrom(...FLEET_SORTS),
  });

  it('have every row that matches once, in one order, whatever the filter and the size', async () => {
    await fc.assert(
      fc.asyncProperty(entries, filter, fc.integer({ min: 1, max: 20 }), async (all, asked, size) => {
        const index = await indexOf(all);
        const whole = await index.matching(asked);
        const paged: string[] = [];
        for (let offset = 0; offset < whole.length; offset += size) {
          // As separate requests do: the index may have been made again, from any order.
          const again = await indexOf(offset % 2 === 0 ? all : all.toReversed());
          paged.push(...(await again.matching(asked)).slice(offset, offset + size).map(one => one.entry.target));
        }
        assert.deepEqual(
          paged,
          whole.map(one => one.entry.target),
        );
        const expected = all.filter(
          one =>
            (asked.verdicts.length === 0 || asked.verdicts.includes(one.verdict)) &&
            asked.is.every(([key, value]) => one.attributes[key] === value) &&
            asked.search
              .split(' ')
              .every(word => `${one.target} ${one.verdict} goroutines ${one.attributes['pool']}`.includes(word)),
        );
        assert.deepEqual(paged.toSorted(), expected.map(({ target }) => target).toSorted());
      }),
    );
  });
});
