/** The contract of every SampleStore. */
import assert from 'node:assert/strict';
import { describe, it } from './counted-tests.ts';
import { reopened, type StoreImplementation, T0 } from './store-under-test.ts';
import type { SampleStore } from '../../src/store/ports.ts';
import type { ReplayPart, ReplayQuery, SampleSeries } from '../../src/store/records.ts';

export function sampleStoreContract({ name, make, isLasting }: StoreImplementation): void {
  describe(`SampleStore: ${name}`, () => {
    it('returns samples in time order, however they arrived; for equal times, the last one to arrive', async t => {
      const { store } = await make(t);
      for (const [at, x] of [
        [T0 + 120, 1],
        [T0, 2],
        [T0 + 60, 3],
        [T0, 4],
      ] as const)
        assert.equal(store.addSample('a', at, { x }), true);
      store.addSample('b', T0, { x: 9 });
      await store.commit();
      assert.deepEqual(pointsOf(await all(store, 'a')), [
        [T0, 4],
        [T0 + 60, 3],
        [T0 + 120, 1],
      ]);
      assert.deepEqual(pointsOf(await all(store, 'b')), [[T0, 9]]);
    });

    it('shows samples once they are committed', async t => {
      const { store } = await make(t);
      store.addSample('a', T0, { x: 1 });
      assert.equal(await store.latest('a'), undefined);
      assert.deepEqual(await store.targets(), []);
      assert.equal(await all(store, 'a'), undefined);
      assert.equal(store.status().waitingSamples, 1);
      assert.deepEqual(await store.commit(), { committed: true, samples: 1 });
      assert.equal(store.status().waitingSamples, 0);
      assert.deepEqual(await store.latest('a'), { at: T0, values: { x: 1 } });
    });

    it('leaves out values that are not finite, and refuses samples out of bounds', async t => {
      const { store } = await make(t);
      assert.equal(store.addSample('a', T0, { good: 1, bad: NaN, worse: Infinity }), true);
      const many = Object.fromEntries(Array.from({ length: 2001 }, (_, i) => [`m${i}`, i]));
      assert.equal(store.addSample('a', NaN, { x: 1 }), false);
      assert.equal(store.addSample('a', 1e300, { x: 1 }), false);
      assert.equal(store.addSample('a', T0 + 1, many), false);
      assert.equal(store.addSample('a', T0 + 1, { ['x'.repeat(1001)]: 1 }), false);
      assert.equal(store.addSample('x'.repeat(1001), T0 + 1, { x: 1 }), false);
      assert.deepEqual(await store.commit(), { committed: true, samples: 1 });
      assert.equal(store.status().lostSamples, 5);
      assert.deepEqual(await store.latest('a'), { at: T0, values: { good: 1 } });
      assert.equal((await store.targets()).length, 1);
    });

    it('returns targets with their attributes, and when they were seen', async t => {
      const { store } = await make(t);
      store.putTarget('a', { version: 'v1', zone: 'north' });
      store.putTarget('a', { version: 'v2' });
      store.addSample('b', T0 + 60, { x: 1 });
      store.addSample('b', T0, { x: 1 });
      await store.commit();
      const expected = [
        { target: 'a', attributes: { version: 'v2', zone: 'north' }, firstSeenAt: null, lastSeenAt: null },
        { target: 'b', attributes: {}, firstSeenAt: T0, lastSeenAt: T0 + 60 },
      ];
      assert.deepEqual(await store.targets(), expected);
    });

    it('returns the sample that arrived last as the latest', async t => {
      const { store } = await make(t);
      for (const at of [T0, T0 + 60, T0 + 30]) store.addSample('a', at, { x: at });
      await store.commit();
      assert.deepEqual(await store.latest('a'), { at: T0 + 30, values: { x: T0 + 30 } });
      assert.equal(await store.latest('b'), undefined);
    });

    it('answers queries within their bounds, and omits series without points', async t => {
      const { store } = await make(t);
      for (let i = 0; i < 10; i++) store.addSample('a', T0 + i, { x: i, ...(i > 7 ? { late: i } : {}) });
      await store.commit();
      const found = await store.query({
        target: 'a',
        metrics: ['late', 'none', 'x'],
        from: T0 + 2,
        to: T0 + 8,
        maxPoints: 100,
      });
      assert.deepEqual(
        found.map(({ metric }) => metric),
        ['late', 'x'],
      );
      assert.deepEqual(
        pointsOf(found[1]).map(([at]) => at - T0),
        [2, 3, 4, 5, 6, 7, 8],
      );
      assert.deepEqual(pointsOf(found[0]), [[T0 + 8, 8]]);
      const query = { metrics: ['x'], from: T0 + 8, to: T0 + 2, maxPoints: 100 };
      assert.deepEqual(await store.query({ ...query, target: 'a' }), []);
      assert.deepEqual(await store.query({ ...query, target: 'b', from: T0 }), []);
    });

    it('thins a series to the requested length, and keeps its lowest and highest', async t => {
      const { store } = await make(t);
      for (let i = 0; i < 500; i++) store.addSample('a', T0 + 60 * i, { x: i === 250 ? -5 : i === 251 ? 999 : i % 7 });
      await store.commit();
      const query = { target: 'a', metrics: ['x'], from: T0, to: T0 + 500 * 60, maxPoints: 40 };
      const [series] = await store.query(query);
      assert.ok(series !== undefined && series.times.length > 20 && series.times.length <= 40);
      const { times, values, lows, highs } = series;
      assert.ok(times.every((at, i) => i === 0 || at > (times[i - 1] ?? Infinity)));
      assert.ok(values.every((value, i) => (lows[i] ?? NaN) <= value && value <= (highs[i] ?? NaN)));
      assert.deepEqual([Math.min(...lows), Math.max(...highs)], [-5, 999]);
      assert.ok(
        values.every(value => value === Math.floor(value)),
        'a point is one of the values',
      );
    });

    it('replays the past in windows of six hours, each target in time order', async t => {
      const { store } = await make(t);
      for (let minute = 0; minute < 900; minute += 5) {
        store.addSample('a', T0 + 60 * minute, { x: minute, ...(minute < 50 ? {} : { y: 1 }) });
        store.addSample('b', T0 + 60 * minute, { x: -minute });
      }
      await store.commit();
      await store.maintain(T0 + 900 * 60);
      const parts = await gathered(store.replay({ from: T0 + 3600, stepSeconds: 1 }));
      const windowOf = (part: ReplayPart): number => Math.floor((part.times[0] ?? NaN) / 21_600);
      const windows = parts.map(windowOf);
      assert.deepEqual(
        windows,
        [...windows].sort((one, other) => one - other),
      );
      for (const target of ['a', 'b']) {
        const times = parts.filter(part => part.target === target).flatMap(part => [...part.times]);
        assert.deepEqual(
          times,
          Array.from({ length: 168 }, (_, i) => T0 + 3600 + 300 * i),
        );
      }
      for (const { target, times, columns } of parts) {
        const x = columns.find(({ metric }) => metric === 'x');
        assert.ok(x !== undefined && x.values.length === times.length && x.lows.length === times.length);
        assert.ok([...x.values].every((value, i) => Math.abs(value) === ((times[i] ?? NaN) - T0) / 60));
        assert.equal(
          columns.some(({ metric }) => metric === 'y'),
          target === 'a',
        );
      }
    });

    it('may replay hours where they will do, and misses none and nothing after them', async t => {
      const { store } = await make(t);
      const minutes = 15 * 60;
      for (let minute = 0; minute < minutes; minute++) {
        store.addSample('a', T0 + 60 * minute, { x: (minute * 7919) % 1000 });
        if (minute % 50 === 49) await store.commit();
        await store.maintain(T0 + 60 * minute);
      }
      await store.commit();
      await store.maintain(T0 + 60 * minutes);
      const points = async (query: ReplayQuery): Promise<(readonly [at: number, low: number])[]> =>
        (await gathered(store.replay(query))).flatMap(({ times, columns: [x] }) =>
          Array.from(times, (at, i) => [at, x?.lows[i] ?? NaN] as const),
        );
      const all = await points({ from: T0 });
      const cut = Math.floor((T0 + 9 * 3600 + 1234) / 3600) * 3600;
      const hourly = await points({ from: T0, hourlyBefore: T0 + 9 * 3600 + 1234 });
      assert.deepEqual(
        hourly.filter(([at]) => at >= cut),
        all.filter(([at]) => at >= cut),
      );
      const lowsOf = (those: typeof all): Map<number, number> => {
        const lows = new Map<number, number>();
        for (const [at, low] of those) {
          const hour = Math.floor(at / 3600);
          if (at < cut) lows.set(hour, Math.min(lows.get(hour) ?? Infinity, low));
        }
        return lows;
      };
      assert.ok(lowsOf(all).size >= 8);
      assert.deepEqual(lowsOf(hourly), lowsOf(all));
      assert.ok(
        hourly.every(([at], i) => i === 0 || at > (hourly[i - 1]?.[0] ?? NaN)),
        'in time order',
      );
      assert.deepEqual(await points({ from: T0, hourlyBefore: T0 - 1 }), all);
    });

    it('replays the requested metrics, with NaN if one is missing, and can be stopped', async t => {
      const { store } = await make(t);
      store.addSample('a', T0, { x: 1, y: 1 });
      store.addSample('a', T0 + 60, { y: 2 });
      store.addSample('b', T0, { z: 1 });
      await store.commit();
      const parts = await gathered(store.replay({ from: T0, metrics: ['x', 'none'] }));
      assert.deepEqual(
        parts.map(({ target, columns }) => [target, columns.map(({ metric, values }) => [metric, [...values]])]),
        [['a', [['x', [1, NaN]]]]],
      );
      for await (const part of store.replay({ from: T0 })) {
        assert.equal(part.target, 'a');
        break;
      }
      store.addSample('a', T0 + 120, { x: 1 });
      assert.deepEqual(await store.commit(), { committed: true, samples: 1 });
    });

    it('reads the targets that are asked for, and no others', async t => {
      const { store } = await make(t);
      // More than a group, so that some are sealed beside others that are not asked for.
      const names = Array.from({ length: 40 }, (_, i) => `node/${i}`);
      for (let minute = 0; minute < 100; minute++) {
        for (const name of names) store.addSample(name, T0 + 60 * minute, { x: minute });
        await store.commit();
        await store.maintain(T0 + 60 * minute);
      }
      store.putTarget('node/7', { zone: 'north' });
      store.addSample('later', T0 + 6000, { x: 1 });
      await store.commit();
      const only = ['later', 'node/39', 'node/7', 'none', 'node/7'];
      const found = new Map((await store.targets(only)).map(({ target, attributes }) => [target, attributes]));
      assert.deepEqual([...found.keys()].sort(), ['later', 'node/39', 'node/7']);
      assert.deepEqual(found.get('node/7'), { zone: 'north' });
      assert.deepEqual(await store.targets([]), []);
      assert.deepEqual(await gathered(store.replay({ from: T0, targets: [] })), []);
      for (const stepSeconds of [1, 300]) {
        const all = await gathered(store.replay({ from: T0, stepSeconds }));
        assert.deepEqual(
          await gathered(store.replay({ from: T0, stepSeconds, targets: only })),
          all.filter(({ target }) => only.includes(target)),
        );
      }
      const raw = await gathered(store.replay({ from: T0 + 3000, stepSeconds: 1, targets: ['node/7'] }));
      assert.deepEqual(
        raw.flatMap(({ times }) => [...times]),
        Array.from({ length: 50 }, (_, i) => T0 + 3000 + 60 * i),
      );
    });

    if (!isLasting) return;
    it('still has them after a restart', async t => {
      const made = await make(t);
      const { store } = made;
      store.putTarget('a', { version: 'v1' });
      for (let i = 0; i < 200; i++) store.addSample('a', T0 + 60 * i, { x: i });
      await store.commit();
      await store.maintain(T0 + 12_000);
      store.addSample('a', T0 + 12_000, { x: 200 });
      const again = await reopened(made);
      assert.deepEqual(await again.targets(), [
        { target: 'a', attributes: { version: 'v1' }, firstSeenAt: T0, lastSeenAt: T0 + 12_000 },
      ]);
      assert.equal(pointsOf(await all(again, 'a')).length, 201, 'closing commits');
      assert.deepEqual(await again.latest('a'), { at: T0 + 12_000, values: { x: 200 } });
    });
  });
}

async function all(store: SampleStore, target: string): Promise<SampleSeries | undefined> {
  return (await store.query({ target, metrics: ['x'], from: -1e12, to: 1e12, maxPoints: Infinity }))[0];
}

function pointsOf(series: SampleSeries | undefined): [number, number][] {
  return Array.from(series?.times ?? [], (at, i) => [at, series?.values[i] ?? NaN]);
}

async function gathered<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}
