import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { RECORDINGS } from '../../../test/places.ts';
import { readPileFiles } from '../../evidence/io/pile.ts';
import { readPile, type Pile } from '../../evidence/snapshots/read-pile.ts';
import type { FamilyInput } from '../../evidence/snapshots/read-member.ts';
import type { FamilyCount, FamilyKind, FamilyTable } from '../../profile/families/family.ts';
import { type Growth, againstReference } from './growth.ts';
import { familiesOfDump } from '../../profile/families/dump-families.ts';
import { familiesOfHeap } from '../../profile/families/heap-families.ts';
import { familiesOfGoroutineProfile } from '../../profile/families/profile-families.ts';
import { familyGrowth, type GrowthInput } from './family-growth.ts';
import { metricGrowth, type MetricGrowth } from './metric-growth.ts';
import { median, theilSen } from './theil-sen.ts';

interface Size {
  readonly count: number;
  readonly bytes?: number;
  readonly samples?: number;
  readonly bytesError?: number;
}

function countOf(id: string, kind: FamilyKind, size: Size, frames: readonly string[]): FamilyCount {
  const { count, bytes = 0, samples = 0, bytesError = 0 } = size;
  return {
    family: { id, kind, frames, closures: [], title: id, ownerPackage: '' },
    count,
    bytes,
    samples,
    bytesError,
    sites: [],
    states: new Map(),
    waitMinutes: undefined,
    waits: undefined,
    creators: new Map(),
    creatorPlaces: new Map(),
    labelSets: [],
    leaked: 0,
    places: [],
    example: [],
  };
}

function table(kind: FamilyKind, sizes: Readonly<Record<string, Size>>, frames: readonly string[] = []): FamilyTable {
  const counts = Object.entries(sizes).map(([id, size]) => countOf(id, kind, size, frames));
  return { kind, total: counts.reduce((sum, one) => sum + one.count, 0), counts };
}

/** Goroutine counts of one family, five minutes apart. */
function goroutines(counts: readonly number[], pods?: readonly number[], frames?: readonly string[]): GrowthInput[] {
  return counts.map((count, i) => ({
    processKey: 'p',
    table: table('goroutine', count === 0 ? {} : { f: { count } }, frames),
    atSeconds: 1794770000 + i * 300,
    pods: pods?.[i],
  }));
}

function heap(points: readonly (readonly [bytes: number, samples: number])[]): GrowthInput[] {
  return points.map(([bytes, samples], i) => {
    const size = { count: 1, bytes, samples, bytesError: bytes / Math.sqrt(samples) };
    return { processKey: 'p', table: table('heap', { f: size }), atSeconds: i * 300 };
  });
}

const families = ({ kind, profile, dump }: FamilyInput): FamilyTable | undefined => {
  if (kind === 'heap' && profile !== undefined) return familiesOfHeap(profile);
  if (kind !== 'goroutine') return undefined;
  return dump !== undefined ? familiesOfDump(dump) : profile && familiesOfGoroutineProfile(profile);
};

const read = (...parts: string[]): Promise<Pile> =>
  readPile(readPileFiles(parts.map(part => join(RECORDINGS, part))), { families, keepStacks: false });

function growthIn(pile: Pile, kind: FamilyKind): Growth[] {
  const groups = pile.viewGroups.filter(group => group.kind === kind);
  return familyGrowth(
    groups.flatMap(({ counted, processKey, takenAtSeconds }) =>
      counted.families === undefined ? [] : [{ processKey, table: counted.families, atSeconds: takenAtSeconds }],
    ),
  );
}

describe('family growth', () => {
  it('gives from, to, delta, per hour and per operation', () => {
    const [growth] = familyGrowth(goroutines([10, 30, 50]), { operations: 20 });
    assert.deepEqual(
      [growth.from, growth.to, growth.delta, growth.perHour, growth.perOperation, growth.monotone, growth.significant],
      [10, 50, 40, 240, 2, true, true],
    );
    assert.match(growth.why, /2\.00 per operation, a whole number/);
    const listener = familyGrowth(goroutines([0, 100], undefined, ['cache.(*processorListener).run']), {
      operations: 100,
    });
    assert.match(listener[0].why, /run \+ pop.*one event handler is never removed/);
  });

  it('does not take a closure that leaks for one that another closure turned into', () => {
    const at = (first: number, second: number): FamilyTable => {
      const counts = [first, second].map((count, i): FamilyCount => {
        const one = countOf(`f${i}`, 'goroutine', { count }, ['main.f']);
        return { ...one, family: { ...one.family, closures: [i === 0 ? '' : 'func2'] } };
      });
      return { kind: 'goroutine', total: first + second, counts };
    };
    const tables = [at(200, 10), at(150, 60), at(100, 110), at(50, 160)];
    const growths = familyGrowth(tables.map((table, i) => ({ processKey: 'p', table, atSeconds: i * 300 })));
    assert.deepEqual(
      growths.filter(({ significant }) => significant).map(({ family }) => family.id),
      ['f1'],
    );
  });

  it('recognises new, gone, fallen, stepped and churning families', () => {
    const judge = (...counts: number[]): Growth => familyGrowth(goroutines(counts))[0];
    assert.ok(judge(0, 50).isNew && judge(0, 50).significant);
    assert.ok(judge(50, 0).isGone && !judge(50, 0).significant);
    assert.match(judge(5, 16000, 7).why, /rose from 5 to 16,000 and fell back to 7: load, not a leak/);
    assert.match(judge(4000, 3).why, /fell from 4,000 to 3, which a leak does not do/);
    assert.match(judge(0, 50, 50, 50, 50).why, /rose once, from 0 to 50, and stayed/);
    assert.equal(judge(100, 103, 98, 104, 99, 107).significant, false);
    const [slow, fast] = [judge(100, 110, 119, 131, 140), judge(100, 120, 141, 160, 180)];
    assert.ok(slow.significant && slow.mayBeChurn && fast.significant && !fast.mayBeChurn);
    assert.equal(judge(100, 108).significant, false);
    assert.match(judge(7).why, /one snapshot/);
  });

  it('counts the intervals in which it rose, and says if only the last one did', () => {
    const judge = (...counts: number[]): Growth => familyGrowth(goroutines(counts))[0];
    assert.match(judge(100, 200, 300, 400).why, /rose in all 3 intervals$/);
    assert.match(judge(100, 200, 200, 300, 400).why, /rose in 3 of 4 intervals and never fell$/);
    const late = judge(0, 0, 0, 0, 1600);
    assert.deepEqual([late.significant, late.monotone], [true, false]);
    assert.equal(
      late.why,
      '0 -> 1,600: rose in 1 of 4 intervals and never fell; all of it came in the last interval: load or a leak, another snapshot would tell',
    );
    assert.match(judge(100, 101, 99, 100, 1700).why, /nearly all of it came in the last interval/);
    assert.deepEqual([judge(0, 50).monotone, judge(0, 0, 50).monotone, judge(0, 20, 50).monotone], [true, false, true]);
    const mib = 1024 * 1024;
    const points = [2, 2, 2, 40].map(size => [size * mib, size * 2] as const);
    const heapLate = familyGrowth(heap(points))[0];
    assert.equal(heapLate.significant, true);
    assert.match(heapLate.why, /; all of it came in the last interval/);
  });

  it('does not count goroutines as new that wait elsewhere a moment later', () => {
    const at = (sizes: Readonly<Record<string, number>>, seconds: number): GrowthInput => {
      const counts = Object.entries(sizes).map(([leaf, count]) =>
        countOf(leaf, 'goroutine', { count }, [`main.${leaf}`, 'main.(*worker).run']),
      );
      const total = counts.reduce((sum, { count }) => sum + count, 0);
      return { processKey: 'p', table: { kind: 'goroutine', total, counts }, atSeconds: seconds };
    };
    const idle = (...inputs: GrowthInput[]): Growth | undefined =>
      familyGrowth(inputs).find(({ family }) => family.id === 'idle');
    const moved = idle(at({ busy: 61 }, 0), at({ idle: 61 }, 300));
    assert.equal(moved?.significant, false);
    assert.match(moved?.why ?? '', /came from other stacks: of all with the same start 61 -> 61/);
    assert.equal(idle(at({ busy: 61 }, 0), at({ busy: 31, idle: 30 }, 300), at({ idle: 61 }, 600))?.significant, false);
    assert.equal(idle(at({ busy: 61 }, 0), at({ busy: 61, idle: 61 }, 300))?.significant, true);
  });

  it('gives no rate for less than five minutes', () => {
    const during = (seconds: number): number | undefined =>
      familyGrowth(goroutines([10, 50]).map((input, i) => ({ ...input, atSeconds: i * seconds })))[0].perHour;
    assert.deepEqual([during(299), during(300)], [undefined, 480]);
    assert.equal(
      familyGrowth(goroutines([10, 50]).map(input => ({ ...input, atSeconds: undefined })))[0].perHour,
      undefined,
    );
  });

  it('attributes growth that follows the pods to them', () => {
    const pods = [8, 20, 41, 60, 82];
    assert.match(
      familyGrowth(goroutines([16, 40, 82, 120, 164], pods))[0].why,
      /follows the pods: pods 8 -> 82, 2 per pod/,
    );
    assert.equal(familyGrowth(goroutines([16, 164], [8, 82]))[0].significant, false);
    assert.equal(familyGrowth(goroutines([16, 400], [8, 12]))[0].significant, true);
    const steady = familyGrowth(goroutines([50, 100, 150, 200, 250], [50, 50, 50, 50, 50]))[0];
    assert.equal(steady.significant, true);
  });

  it('requires more than sampling explains for heap', () => {
    const mib = 1024 * 1024;
    const judge = (...points: [number, number][]): Growth => familyGrowth(heap(points))[0];
    assert.equal(judge([2 * mib, 4], [40 * mib, 80]).significant, true);
    assert.match(judge([mib, 2], [3 * mib, 6]).why, /only 6 samples stand behind it/);
    assert.equal(judge([mib, 2], [2 * mib, 4], [3 * mib, 6], [4 * mib, 8], [5 * mib, 10]).significant, true);
    assert.equal(judge([30 * mib, 60], [34 * mib, 68]).significant, false);
  });

  it('refuses to compare different processes', () => {
    const [a, b] = goroutines([1, 2]);
    assert.throws(() => familyGrowth([a, { ...b, processKey: 'q' }]), /between two processes/);
  });

  it('does not depend on the order of families or of timed inputs, nor on the date', () => {
    const sizes = fc.record({ a: fc.nat(500), b: fc.nat(500), c: fc.nat(500) });
    const plain = ({ family, points: _, ...rest }: Growth): unknown => ({ id: family.id, ...rest });
    fc.assert(
      fc.property(
        fc.array(sizes, { minLength: 2, maxLength: 8 }),
        fc.integer({ min: -1e6, max: 1e6 }),
        (rounds, shift) => {
          const inputs = (flip: boolean, offset: number, speed: number): GrowthInput[] =>
            rounds.map((round, i) => {
              const entries = Object.entries(round).map(([id, count]) => [id, { count }] as const);
              const sizes = Object.fromEntries(flip ? entries.reverse() : entries);
              return { processKey: 'p', table: table('goroutine', sizes), atSeconds: offset + i * 300 * speed };
            });
          const base = familyGrowth(inputs(false, 1794770000, 1));
          assert.deepEqual(familyGrowth(inputs(true, 1794770000, 1).reverse()).map(plain), base.map(plain));
          assert.deepEqual(familyGrowth(inputs(false, 1794770000 + shift, 1)).map(plain), base.map(plain));
          const slow = familyGrowth(inputs(false, 1794770000, 10));
          slow.forEach((growth, i) => {
            assert.ok(Math.abs((growth.perHour ?? 0) * 10 - (base[i].perHour ?? 0)) < 1e-6);
            assert.equal(growth.significant, base[i].significant);
          });
        },
      ),
    );
  });

  it('lowers the rank of families that healthy peers have too', () => {
    const [growth] = familyGrowth(goroutines([90, 100]));
    const peer = (count: number, pods?: number): { table: FamilyTable; pods: number | undefined } => ({
      table: table('goroutine', { f: { count } }),
      pods,
    });
    assert.equal(againstReference(growth, [peer(95), peer(110)]).factor, 0.1);
    assert.equal(againstReference(growth, [peer(5)]).factor, 1);
    assert.equal(againstReference(growth, [peer(5, 5)], 100).factor, 0.1, 'one per pod on both');
    assert.equal(againstReference(growth, [{ table: table('goroutine', {}) }]).factor, 1);
    assert.equal(againstReference(growth, []).factor, 1);
  });
});

describe('the Theil-Sen trend', () => {
  it('finds a line through outliers, with an interval around it', () => {
    const xs = Array.from({ length: 1000 }, (_, i) => i);
    const trend = theilSen(
      xs,
      xs.map(x => 3 * x + (x % 7 === 0 ? 1e6 : Math.sin(x * 12.9898) * 50)),
    );
    assert.ok(trend !== undefined && Math.abs(trend.slope - 3) < 0.1);
    assert.ok(trend.low <= trend.slope && trend.slope <= trend.high);
  });

  it('shifts and scales with its points', () => {
    const values = fc.array(fc.integer({ min: -1000, max: 1000 }), { minLength: 4, maxLength: 30 });
    fc.assert(
      fc.property(values, fc.integer({ min: -500, max: 500 }), fc.integer({ min: 1, max: 9 }), (ys, shift, factor) => {
        const xs = ys.map((_, i) => i);
        const slope = theilSen(xs, ys)?.slope ?? NaN;
        const moved =
          theilSen(
            xs,
            ys.map(y => y * factor + shift),
          )?.slope ?? NaN;
        assert.ok(Math.abs(moved - slope * factor) < 1e-9);
        assert.ok(
          Math.abs(
            (theilSen(
              xs.map(x => x * factor + shift),
              ys,
            )?.slope ?? NaN) -
              slope / factor,
          ) < 1e-9,
        );
      }),
    );
    assert.equal(median([3, 1, 2]), 2);
  });
});

describe('growth of metrics', () => {
  const name = 'go_gc_heap_live_bytes';
  const mib = 1024 * 1024;
  const of = (times: number[], values: number[]): MetricGrowth[] => {
    const series = { name, labels: {}, times: Float64Array.from(times), values: Float64Array.from(values) };
    return metricGrowth(new Map([[name, series]]));
  };

  it('prints what was measured, or nothing', () => {
    assert.deepEqual(of([], []), []);
    assert.deepEqual(of([0], [NaN]), []);
    const [untimed] = of([NaN, NaN], [41 * mib, 42 * mib]);
    assert.equal(untimed.sentence, 'live heap 42 MiB: too few scrapes with a time to tell a trend');
    assert.deepEqual([untimed.from, untimed.to, untimed.trend], [42 * mib, 42 * mib, 'unknown']);
  });

  it('needs ten minutes for a trend', () => {
    const during = (minutes: number): MetricGrowth => {
      const steps = Array.from({ length: 11 }, (_, i) => i);
      return of(
        steps.map(i => 1794770000 + i * minutes * 6),
        steps.map(i => (40 + i) * mib),
      )[0];
    };
    assert.deepEqual([during(3).trend, during(3).perHour], ['unknown', 0]);
    assert.equal(during(3).sentence, 'live heap 50 MiB: 3m of scrapes tell no trend, 10m are needed');
    assert.equal(during(10).trend, 'steady');
  });
});

describe('memory outside the Go heap beside a sawtooth', () => {
  const mib = 1024 * 1024;
  /** What the runtime holds is not all resident: the difference swings by hundreds of mebibytes. */
  const trendOf = (leakedPerHour: number): string | undefined => {
    const times = Float64Array.from({ length: 61 }, (_, i) => 1_794_770_000 + i * 15);
    const resident = times.map((_, i) => (250 - 20 * (i % 9) + (leakedPerHour * i) / 240) * mib);
    const all = { process_resident_memory_bytes: resident, go_memstats_sys_bytes: times.map(() => 200 * mib) };
    const released = { go_memstats_heap_released_bytes: times.map(() => 0) };
    const series = Object.entries({ ...all, ...released }).map(
      ([name, values]) => [name, { name, labels: {}, times, values }] as const,
    );
    return metricGrowth(new Map(series)).find(({ resource }) => resource === 'memory outside the Go heap')?.trend;
  };

  it('is not flat where a working set hides what matters within the hour', () => {
    /** A quarter of an hour of a live heap that swings between 15 and 15 + `swing` MiB. */
    const isFlat = (swing: number, leakPerHour: number, seed: number): boolean => {
      let state = seed * 7919;
      const random = (): number => (state = (state * 16_807) % 2_147_483_647) / 2_147_483_647;
      const times = Float64Array.from({ length: 60 }, (_, i) => 1_794_772_000 + 15 * i);
      random();
      random();
      const values = times.map((_, i) => (15 + swing * random() + (leakPerHour * i) / 240) * 2 ** 20);
      const series = { name: 'go_gc_heap_live_bytes', labels: {}, times, values };
      return metricGrowth(new Map([[series.name, series]]))[0]?.trend === 'flat';
    };
    const flat = (swing: number, leakPerHour: number): number =>
      Array.from({ length: 100 }, (_, i) => i + 1).filter(seed => isFlat(swing, leakPerHour, seed)).length;
    assert.deepEqual([flat(75, 12), flat(30, 12), flat(1, 12)], [0, 0, 0]);
    assert.equal(flat(1, 0), 100);
  });

  it('is flat if what it falls back to does not rise, and never if it does', () => {
    assert.equal(trendOf(0), 'flat');
    for (const leaked of [100, 200, 450]) assert.notEqual(trendOf(leaked), 'flat', `${leaked} MiB/h`);
  });
});

describe('growth in the recordings', () => {
  const heapOf = (growths: readonly MetricGrowth[]): MetricGrowth => {
    const found = growths.find(growth => growth.resource === 'live heap');
    assert.ok(found !== undefined);
    return found;
  };
  const perHour = async (node: string): Promise<{ mib: number; growth: MetricGrowth }[]> => {
    const { snapshots } = await read(`lab/${node}/metrics.prom.gz`);
    return snapshots.map(({ series }) => {
      const growth = heapOf(metricGrowth(series ?? new Map()));
      return { mib: growth.perHour / 1024 ** 2, growth };
    });
  };

  it('finds the leaks of the cluster in its metrics, and no others', async () => {
    const near = (value: number, expected: number): void =>
      assert.ok(Math.abs(value - expected) < 0.02 * expected, `${value}`);
    const [leakA] = await perHour('leak-a');
    near(leakA.mib, 41.8);
    assert.match(leakA.growth.sentence, /^live heap \+41\.\d MiB\/h over 34m, steady/);
    const leakB = await perHour('leak-b');
    assert.equal(leakB.length, 2);
    for (const life of leakB) near(life.mib, 43.2);
    near((await perHour('leak-d'))[0].mib, 4.8);
    const [density] = await perHour('fix-b');
    near(density.mib, 16.7);
    assert.ok(density.growth.density?.follows);
    assert.match(density.growth.sentence, /follows the pods: 8 -> 82/);
    for (const node of ['fix-a', 'fix-d', 'fix-e', 'xctl-fl']) {
      for (const { growth } of await perHour(node)) assert.equal(growth.trend, 'flat', `${node}: ${growth.sentence}`);
    }
  });

  it('finds the families that leak on a node, and none on a healthy one', async () => {
    const leaking = await read('lab/leak-a/profiles');
    const heap = growthIn(leaking, 'heap').filter(growth => growth.significant);
    assert.deepEqual(
      heap.map(growth => growth.family.frames.some(frame => /podWorkers|WaitForAttachAndMount/.test(frame))),
      [true, true],
    );
    assert.deepEqual(
      growthIn(leaking, 'goroutine').filter(growth => growth.significant),
      [],
    );
    const sound = await read('lab/fix-a/profiles');
    for (const kind of ['heap', 'goroutine'] as const) {
      assert.deepEqual(
        growthIn(sound, kind)
          .filter(growth => growth.significant)
          .map(growth => growth.family.title),
        [],
      );
    }
  });

  it('sees that etcd recovered when its load ended, and that the demo leaks', async () => {
    const etcd = growthIn(await read('captures/programs/etcd'), 'goroutine');
    assert.deepEqual(
      etcd.filter(growth => growth.significant),
      [],
    );
    const largest = etcd.reduce((a, b) => (b.from > a.from ? b : a));
    assert.match(largest.why, /fell (?:back|from)/);
    const rounds = ['t0', 't1', 't2', 't3'].map(round => `captures/leakdemo/go1.27/${round}`);
    const demo = growthIn(await read(...rounds), 'goroutine').filter(growth => growth.significant);
    assert.deepEqual(
      demo
        .map(growth => `${growth.family.frames[0]} ${growth.from} ${growth.to}`)
        .sort()
        .slice(0, 3),
      ['main.(*listener).pop 15 150', 'main.(*listener).run 15 150', 'main.leakRecv 6 54'],
    );
    assert.ok(demo.every(growth => growth.monotone));
  });
});
