import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { FamilyCount, Waits } from '../../profile/families/family.ts';
import { judgeGoroutines } from './significance.ts';
import { type Turnover, turnoverOf } from './growth.ts';

const unseen = (counts: readonly number[]): Turnover => ({
  arrived: counts.at(-1) ?? 0,
  left: counts[0] ?? 0,
  isSeen: false,
});

/** A family of which a dump lists the goroutines with ids from `from` up to `to`. */
function listed(from: number, to: number, isCut = false): FamilyCount {
  const id = Float64Array.from({ length: to - from }, (_, i) => from + i);
  const waits: Waits = {
    id,
    minutes: new Int32Array(id.length),
    state: new Uint32Array(id.length),
    states: [''],
    isCut,
  };
  return {
    family: { id: 'f', kind: 'goroutine', frames: [], closures: [], title: 'f', ownerPackage: '' },
    count: id.length,
    bytes: 0,
    samples: 0,
    bytesError: 0,
    sites: [],
    states: new Map(),
    waitMinutes: undefined,
    waits,
    creators: new Map(),
    creatorPlaces: new Map(),
    labelSets: [],
    leaked: 0,
    places: [],
    example: [],
  };
}

it('what comes and goes is not taken for growth', () => {
  // Sessions of two minutes each, as many as end: three snapshots in a row rise once in six times.
  const sessions = [392, 400, 430];
  const { significant, why } = judgeGoroutines(sessions, unseen(sessions));
  assert.equal(significant, false);
  assert.match(why, /^392 -> 430 may be churn; goroutines that come and go vary as much/);

  const normal = normals(11);
  const draw = (): number => Math.round(300 + Math.sqrt(300) * normal());
  const runs = Array.from({ length: 5000 }, () => [draw(), draw(), draw()]);
  const proved = runs.map(counts => judgeGoroutines(counts, unseen(counts))).filter(isProved);
  assert.ok(proved.length <= 15, `${proved.length} of 5,000 are proved`);
});

it('ids show that none left', () => {
  const counts = [400, 415, 430];
  assert.ok(isProved(judgeGoroutines(counts, turnoverOf(listed(0, 400), listed(0, 430)))));
  const replaced = judgeGoroutines(counts, turnoverOf(listed(0, 400), listed(815, 1245)));
  assert.deepEqual(replaced, { significant: false, why: '400 -> 430 may be churn; 400 left and 430 came' });
});

it('arrivals and departures are counted by id, or taken as the most there can be', () => {
  assert.deepEqual(turnoverOf(listed(0, 10), listed(4, 16)), { arrived: 6, left: 4, isSeen: true });
  assert.deepEqual(turnoverOf(undefined, listed(0, 7)), { arrived: 7, left: 0, isSeen: true });
  const counted = { ...listed(0, 10), waits: undefined };
  assert.deepEqual(turnoverOf(counted, listed(0, 12)), { arrived: 12, left: 10, isSeen: false });
  assert.equal(turnoverOf(listed(0, 10), listed(0, 12, true)).isSeen, false, 'a cut dump lacks goroutines');
});

function isProved({ significant, mayBeChurn }: ReturnType<typeof judgeGoroutines>): boolean {
  return significant && mayBeChurn !== true;
}

/** Box and Muller's, from a linear congruential generator. */
function normals(seed: number): () => number {
  let state = seed;
  const random = (): number => (state = (state * 1664525 + 1013904223) % 2 ** 32) / 2 ** 32;
  return () => Math.sqrt(-2 * Math.log(random() + 1e-12)) * Math.cos(2 * Math.PI * random());
}
