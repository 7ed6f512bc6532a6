import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { FleetRow } from '../../../src/model/watch.ts';
import { shownRows, cohortKeys, cohortsBy, readFilter } from './fleet-filter.ts';

function row(target: string, changes: Partial<FleetRow> = {}): FleetRow {
  return {
    target,
    attributes: { version: 'v1', pool: 'a' },
    verdict: 'healthy',
    resource: 'goroutines',
    unit: 'count',
    level: 1,
    slopePerHour: 0,
    timeToLimitHours: null,
    reason: '',
    cause: null,
    lastSampleAt: null,
    stale: null,
    incidentId: null,
    heat: '',
    spark: [],
    ...changes,
  };
}

const ROWS = [
  row('n10', { verdict: 'leak', level: 5, slopePerHour: 2, timeToLimitHours: [9, null] }),
  row('n2', { verdict: 'leak', attributes: { version: 'v2', pool: 'b' }, slopePerHour: 3, timeToLimitHours: [2, 3] }),
  row('n1', { verdict: 'unknown', level: null, slopePerHour: null }),
];

function shown(query: string): string[] {
  return shownRows(ROWS, readFilter(new URLSearchParams(query))).map(({ target }) => target);
}

describe('shownRows', () => {
  it('are all rows, worst first, without a filter', () => {
    assert.equal(shownRows(ROWS, readFilter(new URLSearchParams(''))), ROWS);
  });

  it('match words, verdicts and attributes together', () => {
    assert.deepEqual(shown('q=V2'), ['n2']);
    assert.deepEqual(shown('q=leak+n1'), ['n10']);
    assert.deepEqual(shown('v=unknown,healthy'), ['n1']);
    assert.deepEqual(shown('is=pool:b&is=version:v2'), ['n2']);
    assert.deepEqual(shown('is=pool:b&is=version:v1'), []);
    assert.deepEqual(shown('is=pool'), []);
  });

  it('can be sorted; unknown values come last', () => {
    assert.deepEqual(shown('sort=name'), ['n1', 'n2', 'n10']);
    assert.deepEqual(shown('sort=slope'), ['n2', 'n10', 'n1']);
    assert.deepEqual(shown('sort=level'), ['n10', 'n2', 'n1']);
    assert.deepEqual(shown('sort=limit'), ['n2', 'n10', 'n1']);
    assert.deepEqual(shown('sort=nonsense'), ['n10', 'n2', 'n1']);
  });
});

describe('cohorts', () => {
  it('are offered for attributes that group rows, the most useful first', () => {
    const rows = [
      row('a', { attributes: { version: 'v1', id: '1' } }),
      row('b', { attributes: { id: '2', arch: 'x' } }),
    ];
    assert.deepEqual(cohortKeys(rows), ['version', 'arch']);
  });

  it('count verdicts, most leaks first', () => {
    const found = cohortsBy(ROWS, 'version').map(({ value, total, counts }) => [value, total, counts.leak]);
    assert.deepEqual(found, [
      ['v1', 2, 1],
      ['v2', 1, 1],
    ]);
  });
});
