import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { readDebug2 } from '../../profile/formats/goroutine-text/debug2.ts';
import type { AgeShape } from './ages.ts';
import type { FamilyTable, Waits } from '../../profile/families/family.ts';
import { familiesOfDump } from '../../profile/families/dump-families.ts';
import { agesOf, type FamilyAges } from './ages-of.ts';
import { dumpClock } from './dump-clock.ts';

/** Goroutines by age in minutes, with ids in the order of arrival. */
function waits(bins: readonly number[], order: 'by age' | 'shuffled' = 'by age'): Waits {
  const minutes = Int32Array.from(bins.flatMap((count, age) => new Array<number>(count).fill(age)));
  const ids = Float64Array.from(minutes, (_, i) => 10_000 - 3 * i);
  // A permutation without an apparent order.
  const id = order === 'by age' ? ids : ids.map((_, i) => ids[(i * 7919) % ids.length]);
  return { id, minutes, state: new Uint32Array(minutes.length), states: ['chan send'], isCut: false };
}

function judge(
  bins: readonly number[],
  oldestMinutes = bins.length - 1,
  collectionMinutes = 1,
): FamilyAges | undefined {
  return agesOf(waits(bins), { oldestMinutes, collectionMinutes });
}

const shape = (...given: Parameters<typeof judge>): AgeShape | undefined => judge(...given)?.ages.shape;

describe('ages of a family', () => {
  it('have a shape for each pattern of arrivals and departures', () => {
    assert.equal(shape([59, 147, 117, 131, 130, 141]), 'steady');
    assert.equal(shape([3, 6, 13, 4, 3, 6, 7, 14, 10, 4, 6, 8]), 'steady');
    assert.equal(shape([0, 0, 0, 0, 0, 0, 0, 300], 20), 'one-age');
    assert.equal(shape([14, 52, 38, 25, 11, 1], 11), 'decaying');
    assert.equal(shape([94, 6], 11), 'short');
    assert.equal(shape([0, 0, 0, 0, 0, 0, 0, 0, 19, 21, 20, 22, 18], 20), 'stopped');
    assert.equal(shape([3, 5, 4, 6, 7, 9, 10, 12, 15, 18, 20, 24, 30, 33]), 'slowing');
  });

  it('are steady if collections are two minutes apart, so that every other minute is empty', () => {
    const found = judge([40, 0, 82, 0, 78, 0, 85, 0, 75, 0, 81, 0, 79, 0, 80, 0, 84], 16, 2);
    assert.equal(found?.ages.shape, 'steady');
    assert.ok(found.stayers!.mostLeft < 0.67, `${found.stayers!.mostLeft}`);
  });

  it('are steady where the first collection came late: all that came before it is in the oldest bin', () => {
    assert.equal(shape([6, 7, 5, 6, 8, 6, 5, 7, 6, 7, 5, 60], 11), 'steady');
    assert.equal(shape([6, 6, 7, 7, 8, 9, 10, 12, 14, 17, 20, 24, 30, 60], 13), 'slowing');
  });

  it('give the rate with an interval, and when it began', () => {
    const { ages, stayers } = judge(new Array<number>(20).fill(10))!;
    const [low, middle, high] = ages.perHour!;
    assert.ok(low < 600 && 600 < high && Math.abs(middle - 600) < 30, `${low} ${middle} ${high}`);
    assert.equal(ages.sinceMinutes, 20);
    assert.ok(stayers!.isSinceStart && stayers!.idOrder > 0.99);
  });

  it('separate goroutines that stay from the majority that leave', () => {
    const { ages, stayers } = judge([
      900, 400, 160, 60, 30, 22, 18, 21, 19, 20, 23, 18, 20, 22, 17, 19, 21, 20, 18, 23, 20, 19, 21,
    ])!;
    assert.equal(ages.shape, 'steady');
    assert.ok(stayers!.isPart);
    assert.ok(Math.abs(ages.perHour![1] - 1200) < 120, `${ages.perHour![1]}`);
  });

  it('set a pool aside that was started with the process', () => {
    const { ages, stayers } = judge([...new Array<number>(30).fill(4), 500])!;
    assert.equal(ages.shape, 'steady');
    assert.ok(stayers!.count < 140, `${stayers!.count}`);
    assert.ok(Math.abs(ages.perHour![1] - 240) < 24, `${ages.perHour![1]}`);
  });

  it('do not agree with ids if goroutines wake', () => {
    const clock = { oldestMinutes: 40, collectionMinutes: 1 };
    const bins = new Array<number>(40).fill(5);
    assert.ok(agesOf(waits(bins), clock)!.stayers!.idOrder > 0.99);
    assert.ok(agesOf(waits(bins, 'shuffled'), clock)!.stayers!.idOrder < 0.3);
  });

  it('distinguish an onset from the start of the process, by the oldest wait or another source of its age', () => {
    const bins = new Array<number>(30).fill(6);
    assert.equal(judge(bins, 29)?.stayers?.isSinceStart, true);
    assert.equal(judge(bins, 300)?.stayers?.isSinceStart, false);
    assert.equal(agesOf(waits(bins), { oldestMinutes: 29, collectionMinutes: 1 }, 300)?.stayers?.isSinceStart, false);
  });

  it('have no shape for few goroutines or a young process', () => {
    assert.equal(judge([1, 1, 1, 1, 1, 1, 1]), undefined);
    assert.equal(judge([5000], 0), undefined);
    assert.equal(judge([500, 400], 1), undefined);
  });

  it('stay within bounds after years of waiting', () => {
    const minutes = new Int32Array(5000).fill(0x7fffffff);
    minutes[0] = 0;
    const hostile = { ...waits([5000]), minutes };
    const found = agesOf(hostile, { oldestMinutes: 0x7fffffff, collectionMinutes: 2 });
    assert.ok(found!.ages.bins.length <= 600);
    assert.equal(found!.ages.shape, 'one-age');
  });
});

function tableOf(capture: string): FamilyTable {
  const file = new URL(`../../../test/fixtures/captures/ages/${capture}/goroutine.debug2.txt.gz`, import.meta.url);
  return familiesOfDump(readDebug2(gunzipSync(readFileSync(file))));
}

describe('ages of a real program', () => {
  const expected: Readonly<Record<string, readonly AgeShape[]>> = {
    'main.forward': ['steady'],
    'main.idleWorker': ['one-age'],
    'main.burstWaiter': ['one-age'],
    'main.busyWorker': ['short'],
    // With collections a minute apart, goroutines that live up to 4.5 minutes thin out over few ages.
    'main.shortLived': ['decaying', 'short'],
  };

  for (const capture of ['t06', 't12', 't20'].flatMap(time => [`leaky/${time}`, `healthy/${time}`])) {
    it(`have their shapes in ${capture}`, () => {
      const table = tableOf(capture);
      const clock = dumpClock(table);
      const seen = table.counts.flatMap(({ family, waits: ofFamily }) => {
        const found = ofFamily === undefined ? undefined : agesOf(ofFamily, clock);
        return found === undefined ? [] : [[family.frames.find(name => name.startsWith('main.'))!, found] as const];
      });
      assert.equal(seen.length, capture.startsWith('leaky') ? 5 : 4);
      for (const [name, { ages }] of seen) assert.ok(expected[name].includes(ages.shape), `${name} ${ages.shape}`);
      for (const [name, { stayers }] of seen) assert.equal(stayers !== undefined, name === 'main.forward');
    });
  }
});
