import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { FamilyTable } from '../../profile/families/family.ts';
import type { HeapTableAt, ShownCollection } from './heap-tables.ts';
import { distinctCollections } from './process-evidence.ts';

const T = 1_794_855_200;

function profile(takenAtSeconds: number, bytes: number, collection?: ShownCollection): HeapTableAt {
  const counts = [{ family: { id: 'h-1' }, count: 1, bytes, sites: [] }];
  const table = { kind: 'heap', total: bytes, counts } as unknown as FamilyTable;
  return {
    atSeconds: collection?.atSeconds,
    takenAtSeconds,
    orderedBy: 'file times',
    table,
    truncated: undefined,
    collection,
    memStats: undefined,
    liveBytes: undefined,
  };
}

function repeatsOf(...tables: readonly HeapTableAt[]): number {
  return distinctCollections(tables).repeats;
}

describe('heap profiles are one observation', () => {
  it('when both show the same collection for certain', () => {
    const seventh = { number: 7, atSeconds: T, isExact: true };
    assert.equal(repeatsOf(profile(T + 1, 100, seventh), profile(T + 30, 100, seventh)), 1);
    assert.equal(
      repeatsOf(profile(T + 1, 100, seventh), profile(T + 30, 120, { ...seventh, number: 9, atSeconds: T + 20 })),
      0,
    );
  });

  it('when they are equal and no more than two collections can lie between', () => {
    assert.equal(repeatsOf(profile(T, 100), profile(T + 200, 100)), 1);
    assert.equal(repeatsOf(profile(T, 100), profile(T + 400, 100)), 0);
    assert.equal(repeatsOf(profile(T, 100), profile(T + 20, 101)), 0);
  });

  it('not because one scrape saw the same number before both', () => {
    const seen = { number: 7, atSeconds: T - 60, isExact: false };
    assert.equal(repeatsOf(profile(T, 100, seen), profile(T + 200, 140, seen)), 0);
    assert.equal(repeatsOf(profile(T, 100, seen), profile(T + 200, 100, seen)), 1);
  });
});
