import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Finding } from '../../src/judge/analysis.ts';
import { familyLives } from './findings-table.tsx';

function finding(id: string, life: number | null, ref?: string): Finding {
  const matches = ref === undefined ? [] : [{ ref }];
  const found = { resource: 'heap', family: { id }, life: life === null ? null : { number: life, of: 2 }, matches };
  return found as unknown as Finding;
}

describe('familyLives', () => {
  it('makes one row of a family in two lives, the latest first', () => {
    const rows = familyLives([finding('a', 1, 'k#1'), finding('b', 2, 'k#1'), finding('a', 2)]);
    assert.deepEqual(
      rows.map(({ latest, earlier }) => [latest.family.id, latest.life?.number, earlier.map(one => one.life?.number)]),
      [
        ['a', 2, [1]],
        ['b', 2, []],
      ],
    );
    assert.deepEqual(
      rows.map(({ latest, explained }) => [latest.matches.map(({ ref }) => ref), [...explained]]),
      [
        [['k#1'], []],
        [['k#1'], ['k#1']],
      ],
      'a known leak is explained once',
    );
  });

  it('leaves the families of one life alone', () => {
    assert.equal(familyLives([finding('a', null), finding('b', null)]).length, 2);
  });
});
