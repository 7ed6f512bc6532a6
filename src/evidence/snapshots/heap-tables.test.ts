import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { MemStats } from '../../profile/formats/mem-stats.ts';
import type { MetricSeries, Snapshot } from './snapshot.ts';
import type { ViewGroup } from './merge-views.ts';
import { shownCollection } from './heap-tables.ts';
import type { LastCollection } from '../capture.ts';

const T = 1_794_855_200;

interface Given {
  readonly collection?: LastCollection;
  readonly memStats?: MemStats;
  readonly takenAtSeconds?: number;
  readonly format?: string;
}

function group({ collection, memStats, takenAtSeconds = T + 20, format = 'pprof' }: Given): ViewGroup {
  const counted = { collection, format } as Snapshot;
  const views = memStats === undefined ? [counted] : [counted, { memStats } as Snapshot];
  return { kind: 'heap', processKey: '', takenAtSeconds, views, counted };
}

const nanos = (...seconds: number[]): bigint[] => seconds.map(second => BigInt(second * 1000) * 1_000_000n);

/** Three collections, the last at T + 10. */
const MEM_STATS: MemStats = {
  numGc: 3,
  lastGcNanos: nanos(T + 10)[0],
  pauseEndNanos: [...nanos(T - 6, T, T + 10), ...Array.from({ length: 253 }, () => 0n)],
};

function series(name: string, values: readonly number[]): MetricSeries {
  return {
    name,
    labels: {},
    times: Float64Array.from(values, (_, i) => T - 20 + i * 10),
    values: Float64Array.from(values),
  };
}

describe('a heap profile shows', () => {
  it('the collection before the last, which the runtime has published', () => {
    assert.deepEqual(shownCollection(group({ memStats: MEM_STATS }), undefined), {
      number: 2,
      atSeconds: T,
      isExact: true,
    });
    const ring = { ...MEM_STATS, numGc: 257, lastGcNanos: nanos(T + 10)[0] };
    const turned = {
      ...ring,
      pauseEndNanos: [nanos(T + 10)[0], ...Array.from({ length: 254 }, () => 1n), nanos(T)[0]],
    };
    assert.deepEqual(shownCollection(group({ memStats: turned }), undefined), {
      number: 256,
      atSeconds: T,
      isExact: true,
    });
  });

  it('the one that its request forced, or that ended just before it', () => {
    const forced = { number: undefined, atSeconds: undefined, isForced: true };
    const last = { number: 3, atSeconds: T + 10, isExact: true };
    assert.deepEqual(shownCollection(group({ memStats: MEM_STATS, collection: forced }), undefined), last);
    assert.deepEqual(shownCollection(group({ memStats: MEM_STATS, takenAtSeconds: T + 10.01 }), undefined), last);
    assert.deepEqual(shownCollection(group({ collection: forced }), undefined), {
      number: undefined,
      atSeconds: T + 20,
      isExact: true,
    });
  });

  it('by scrapes, one between two that they saw', () => {
    const scrapes = new Map([
      ['go_memstats_last_gc_time_seconds', series('', [T - 24, T - 12, T - 2, T + 8, T + 18])],
      ['go_gc_cycles_total_gc_cycles_total', series('', [10, 12, 14, 16, 18])],
    ]);
    assert.deepEqual(shownCollection(group({ takenAtSeconds: T + 9 }), scrapes), {
      number: 15,
      atSeconds: T + 3,
      isExact: false,
    });
    assert.equal(shownCollection(group({ takenAtSeconds: T - 30 }), scrapes), undefined);
    assert.equal(shownCollection(group({}), undefined), undefined);
  });

  it('by the manifest, the one before what the scrape of its set saw', () => {
    const scraped = { number: 41, atSeconds: T, isForced: false };
    assert.deepEqual(shownCollection(group({ collection: scraped }), undefined), {
      number: 40,
      atSeconds: undefined,
      isExact: false,
    });
  });

  it('of text alone, never the last: its own time is that of the last collection', () => {
    const text = group({ memStats: MEM_STATS, format: 'heap-text', takenAtSeconds: T + 10 });
    assert.equal(shownCollection(text, undefined)?.number, 2);
  });
});
