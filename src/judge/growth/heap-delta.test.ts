import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { readAny } from '../../evidence/formats/read.ts';
import type { FamilyCount, FamilyTable, HeapAmount } from '../../profile/families/family.ts';
import type { Growth } from './growth.ts';
import { familiesOfHeap } from '../../profile/families/heap-families.ts';
import { familyGrowth, deltaErrorOf } from './family-growth.ts';
import { stoppedOf } from './significance.ts';

/** In units of one sample's bytes. */
function countOf(live: number, allocated: number): FamilyCount {
  const amount = (samples: number): HeapAmount => ({
    samples,
    objects: samples,
    bytes: samples * 1000,
    variance: samples * 1e6,
  });
  const sites = [{ frames: ['main.f'], live: amount(live), allocated: amount(allocated), isInit: false }];
  return { bytes: live * 1000, bytesError: Math.sqrt(live) * 1000, samples: live, sites } as unknown as FamilyCount;
}

function assertNear(actual: number, expected: number): void {
  assert.ok(Math.abs(actual - expected) < 1e-6 * expected, `${actual}, not ${expected}`);
}

describe('the error of a change of the heap', () => {
  it('is that of the samples that came and went', () => {
    assertNear(deltaErrorOf(countOf(64, 64), countOf(88, 88)), Math.sqrt(24) * 1000);
    assertNear(deltaErrorOf(countOf(64, 70), countOf(70, 86)), Math.sqrt(16 + 10) * 1000);
  });

  it('is that of two independent profiles if everything turns over', () => {
    assertNear(deltaErrorOf(countOf(64, 500), countOf(88, 900)), Math.sqrt(64 + 88) * 1000);
    const untold = { ...countOf(64, 64), sites: [] };
    assertNear(deltaErrorOf(untold, { ...countOf(88, 88), sites: [] }), Math.sqrt(64 + 88) * 1000);
  });

  it('is never zero', () => {
    assert.ok(deltaErrorOf(undefined, undefined) >= 1);
    assert.ok(deltaErrorOf(countOf(3, 3), countOf(3, 3)) >= 1);
  });
});

describe('a family that rose once', () => {
  const point = (
    atSeconds: number,
    samples: number,
  ): { atSeconds: number; bytes: number; allocatedSamples: number } => ({
    atSeconds,
    bytes: samples * 1000,
    allocatedSamples: samples,
  });

  it('has stopped if much was due and nothing came', () => {
    assert.match(stoppedOf([point(0, 104), point(360, 113), point(840, 113)]) ?? '', /12 samples were due: it stopped/);
  });

  it('has not stopped if little was due, if it goes on, or if it rose more than once', () => {
    assert.equal(stoppedOf([point(0, 104), point(360, 113), point(420, 113)]), undefined);
    assert.equal(stoppedOf([point(0, 104), point(360, 113), point(840, 125)]), undefined);
    assert.equal(stoppedOf([point(0, 104), point(360, 104), point(840, 125)]), undefined);
    assert.equal(stoppedOf([point(0, 1), point(1, 50), point(2, 99), point(200, 99)]), undefined);
  });
});

describe('recorded profiles of a program with a leak and a cache', () => {
  const table = (name: string, time: string): FamilyTable => {
    const url = new URL(`../../../test/fixtures/captures/ages/${name}/${time}/heap.pb.gz`, import.meta.url);
    return familiesOfHeap(readAny(gunzipSync(readFileSync(url))).profile);
  };
  const growths = (name: string, ...times: readonly [string, number][]): Growth[] =>
    familyGrowth(
      times.map(([time, minutes]) => ({ processKey: 'p', table: table(name, time), atSeconds: minutes * 60 })),
    );

  it('show that the leak grows, from two of them', () => {
    const [worst, ...rest] = growths('leaky', ['t12', 12], ['t20', 20]);
    assert.match(worst.family.title, /openSession/);
    assert.ok(worst.significant);
    assert.ok(!rest.some(({ significant, delta }) => significant && delta > 1e6));
  });

  it('show that the cache stopped', () => {
    const cache = growths('healthy', ['t06', 6], ['t12', 12], ['t20', 20]).find(({ family }) =>
      /fillCache/.test(family.title),
    );
    assert.equal(cache?.significant, false);
    assert.match(cache?.why ?? '', /it stopped/);
  });
});
