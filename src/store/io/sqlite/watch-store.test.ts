import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import fc from 'fast-check';
import { groupBy } from '../../../base/group-by.ts';
import { inSamplingOrder } from '../../codec/scrape-batch.ts';
import type { WatchStore } from '../../ports.ts';
import { openFolderStore } from '../../../cli/watch/open-store.ts';
import { Database } from './database.ts';
import type { OpenStoreOptions } from './open-watch-store.ts';
import type { NewCapture } from '../../records.ts';

const root = mkdtempSync(join(tmpdir(), 'oakum-store-'));
after(() => rmSync(root, { recursive: true, force: true }));

const newFolder = (): string => mkdtempSync(join(root, 'data-'));
const open = (folder: string, limits: OpenStoreOptions['limits'] = {}): Promise<WatchStore> =>
  openFolderStore(folder, { shown: 'data', limits });

const DAY = 86_400;
const MIDNIGHT = 1_794_700_800;

/** A sample a minute of each target, committed every half hour. */
async function record(store: WatchStore, targets: readonly string[], from: number, minutes: number): Promise<void> {
  for (let minute = 0; minute < minutes; minute++) {
    const at = from + 60 * minute;
    for (const target of targets)
      store.addSample(target, at, { go_goroutines: 300 + (minute % 5), process_cpu_seconds_total: at / 100 });
    if (minute % 30 !== 29 && minute < minutes - 1) continue;
    const samples = targets.length * ((minute % 30) + 1);
    assert.deepEqual(await store.commit(), { committed: true, samples });
    await store.maintain(at);
  }
}

async function samplesOf(store: WatchStore, target: string, metric: string): Promise<[number, number][]> {
  const found = await store.query({ target, metrics: [metric], from: -1e12, to: 1e12, maxPoints: Infinity });
  return found.flatMap(({ times, values }) => Array.from(times, (at, i): [number, number] => [at, values[i]]));
}

describe('samples', () => {
  it('of targets that are sampled together are in the same rows', async () => {
    const folder = newFolder();
    const store = await open(folder);
    const names = Array.from({ length: 320 }, (_, i) => `node/worker-${i}`);
    for (const name of names) store.putTarget(name, { version: 'v1' });
    // A commit every thirtieth of an interval, of those whose turn it was.
    const turns = groupBy(inSamplingOrder(names, name => name).entries(), ([i]) => Math.floor(i / 32));
    for (const turn of turns.values()) {
      for (const [, name] of turn) store.addSample(name, MIDNIGHT, { x: 1 });
      assert.equal((await store.commit()).committed, true);
    }
    await store.close();
    const db = new Database(join(folder, 'oakum.db'));
    // Numbers begin with 1, so groups are off by one.
    assert.ok(db.number('SELECT count(*) FROM scrapes') <= 320 / 16 + turns.size);
    db.close();
  });

  it('are there after a commit, in whatever order their times came, sealed or not, reopened or not', async () => {
    const step = fc.oneof(
      { weight: 20, arbitrary: fc.record({ do: fc.constant('sample'), seconds: fc.nat(400) }) },
      {
        weight: 2,
        arbitrary: fc.record({ do: fc.constant('jump'), seconds: fc.integer({ min: -20_000, max: 20_000 }) }),
      },
      { weight: 6, arbitrary: fc.record({ do: fc.constant('commit'), seconds: fc.constant(0) }) },
      { weight: 1, arbitrary: fc.record({ do: fc.constant('reopen'), seconds: fc.constant(0) }) },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 150, maxLength: 400, size: 'max' }), async steps => {
        const folder = newFolder();
        let store = await open(folder, { rawDays: 1e5 });
        const model = new Map<number, number>();
        let now = MIDNIGHT;
        for (const [i, { do: what, seconds }] of steps.entries()) {
          now += seconds;
          if (what === 'sample') {
            assert.ok(store.addSample('a', now, { go_goroutines: i }));
            model.set(now, i);
          } else if (what === 'commit') {
            await store.commit();
            await store.maintain(now);
          } else if (what === 'reopen') {
            await store.close();
            store = await open(folder, { rawDays: 1e5 });
          }
        }
        await store.commit();
        const expected = [...model].sort(([a], [b]) => a - b);
        assert.deepEqual(await samplesOf(store, 'a', 'go_goroutines'), expected);
        const latest = await store.latest('a');
        assert.ok(latest !== undefined && model.get(latest.at) === latest.values.go_goroutines);
        const [target] = await store.targets();
        assert.deepEqual([target?.firstSeenAt, target?.lastSeenAt], [expected[0]?.[0], expected.at(-1)?.[0]]);
        await store.close();
      }),
      { numRuns: 15 },
    );
  });

  it('of many targets keep apart', async () => {
    const store = await open(newFolder());
    const targets = Array.from({ length: 40 }, (_, i) => `node/${i}`);
    for (let minute = 0; minute < 75; minute++) {
      targets.forEach((target, i) =>
        store.addSample(target, MIDNIGHT + 60 * minute, { [`m${i % 3}`]: i, all: minute }),
      );
      if (minute % 10 > 0 && minute < 74) continue;
      await store.commit();
      await store.maintain(MIDNIGHT);
    }
    for (const [i, target] of targets.entries()) {
      assert.deepEqual(new Set((await samplesOf(store, target, `m${i % 3}`)).map(([, value]) => value)), new Set([i]));
      assert.deepEqual(await samplesOf(store, target, `m${(i + 1) % 3}`), []);
      assert.equal((await samplesOf(store, target, 'all')).length, 75);
    }
    await store.close();
  });
});

describe('the past', () => {
  it('is thinned for a chart, and what is old comes in steps', async () => {
    const store = await open(newFolder(), { rawDays: 1, fiveMinuteDays: 2 });
    await record(store, ['a'], MIDNIGHT, 4 * 1440);
    const end = MIDNIGHT + 4 * DAY;
    const query = (hours: number, maxPoints: number): ReturnType<WatchStore['query']> =>
      store.query({ target: 'a', metrics: ['go_goroutines'], from: end - hours * 3600, to: end, maxPoints });

    const [fine] = await query(12, 1000);
    assert.equal(fine.times.length, 720);
    const [week] = await query(96, 60);
    assert.ok(week.times.length > 50 && week.times.length <= 60);
    assert.ok(week.times.every((at, i) => i === 0 || at > week.times[i - 1]));
    assert.deepEqual([Math.min(...week.lows), Math.max(...week.highs)], [300, 304]);

    const [whole] = await query(96, 1e6);
    const gaps = Array.from(whole.times.subarray(1), (at, i) => at - whole.times[i]);
    assert.ok(
      gaps.every((gap, i) => i === 0 || gap <= gaps[i - 1] + 3600),
      'coarse first, then finer',
    );
    assert.equal(gaps[2], 3600);
    assert.equal(gaps.at(-1), 60);
    assert.ok(gaps.includes(300));
    await store.close();
  });

  it('is replayed in windows, each target in time order, with the newest as it was sampled', async () => {
    const store = await open(newFolder());
    // The last 20 minutes are too few to be sealed.
    await record(store, ['a', 'b'], MIDNIGHT, 1520);
    const windows: number[] = [];
    const lastTimes = new Map<string, number>();
    let points = 0;
    for await (const { target, times, columns } of store.replay({
      from: MIDNIGHT + 3600,
      metrics: ['go_goroutines'],
    })) {
      assert.deepEqual(
        columns.map(column => column.metric),
        ['go_goroutines'],
      );
      assert.ok(times[0] >= MIDNIGHT + 3600);
      windows.push(Math.floor(times[0] / (6 * 3600)));
      for (const at of times) {
        assert.ok(at > (lastTimes.get(target) ?? 0));
        lastTimes.set(target, at);
      }
      assert.ok(columns[0].lows.every((low, i) => low <= columns[0].values[i]));
      points += times.length;
    }
    assert.deepEqual(windows, [...windows].sort());
    assert.deepEqual([...lastTimes.values()], [MIDNIGHT + 1519 * 60, MIDNIGHT + 1519 * 60]);
    assert.equal(points, 2 * (1440 / 5 + 20));
    await store.close();
  });

  it('is replayed as it was sampled where steps would be too coarse', async () => {
    const store = await open(newFolder());
    await record(store, ['a', 'b'], MIDNIGHT, 600);
    const times: number[] = [];
    for await (const part of store.replay({ from: MIDNIGHT, stepSeconds: 1 })) {
      if (part.target === 'a') times.push(...part.times);
    }
    assert.deepEqual(
      times,
      Array.from({ length: 600 }, (_, i) => MIDNIGHT + 60 * i),
    );
    await store.close();
  });

  it('does not move while it is replayed', async () => {
    const store = await open(newFolder());
    await record(store, ['a'], MIDNIGHT, 47);
    let seen = 0;
    for await (const { times } of store.replay({ from: 0 })) {
      seen += times.length;
      store.addSample('a', MIDNIGHT + 47 * 60 + seen, { go_goroutines: 1 });
      await store.commit();
      await store.maintain(MIDNIGHT);
    }
    assert.equal(seen, 47);
    await store.close();
  });

  it('is forgotten by age, of targets that are gone whole', async () => {
    const store = await open(newFolder(), { rawDays: 1, fiveMinuteDays: 1, hourDays: 1, recordDays: 1 });
    store.putTarget('gone', { version: 'v1' });
    await record(store, ['gone', 'a'], MIDNIGHT, 100);
    store.put({ kind: 'event', record: { target: 'a', at: MIDNIGHT, kind: 'note', text: 'old' } });
    for (let day = 0; day < 20; day++) await record(store, ['a'], MIDNIGHT + 0.9 * day * DAY, 80);
    assert.deepEqual(await samplesOf(store, 'gone', 'go_goroutines'), []);
    assert.deepEqual(
      (await store.targets()).map(({ target }) => target),
      ['a'],
    );
    assert.ok((await samplesOf(store, 'a', 'go_goroutines')).length > 0);
    assert.deepEqual(await store.records({ kind: 'event', target: 'a', since: 0 }), []);
    await store.close();
  });
});

it('the text of an event is cut where it has no end', async () => {
  const store = await open(newFolder());
  store.put({ kind: 'event', record: { target: 'a', at: 20, kind: 'restart', text: 'x'.repeat(10_000) } });
  await store.commit();
  assert.deepEqual(
    (await store.records({ kind: 'event', target: 'a', since: 0, until: 100 })).map(({ text }) => text.length),
    [4000],
  );
  await store.close();
});

describe('captures', () => {
  const file = (text: string): NewCapture['files'][number] => ({
    kind: 'heap',
    at: 7,
    truncated: null,
    bytes: Buffer.from(text),
  });
  const capture = (id: string, at: number, ...files: NewCapture['files']): NewCapture => {
    return { id, target: 'a', at, trigger: 'doubling', reason: 'twice', processStartSeconds: 1, files };
  };
  const filesIn = (folder: string): string[] =>
    readdirSync(join(folder, 'blobs'), { recursive: true, withFileTypes: true }).flatMap(entry =>
      entry.isFile() ? [entry.name] : [],
    );

  it('of the same bytes share one file', async () => {
    const folder = newFolder();
    const store = await open(folder);
    await store.addCapture(capture('c1', 1, file('profile'), file('dump')));
    await store.addCapture(capture('c2', 2, file('profile')));
    assert.equal(filesIn(folder).length, 2);
    await store.close();
  });

  it('make room for a newer one, and their files go unless another has them', async () => {
    const folder = newFolder();
    const store = await open(folder, { maxBytesPerTarget: 30 });
    const text = (letter: string): string => letter.repeat(10);
    await store.addCapture(capture('first', 1, file(text('f'))));
    await store.addCapture(capture('second', 2, file(text('s'))));
    await store.addCapture(capture('third', 3, file(text('t'))));
    await store.addCapture(capture('fourth', 4, file(text('s'))));
    const left = await store.records({ kind: 'capture' });
    assert.deepEqual(
      left.map(({ id }) => id),
      ['fourth', 'third', 'first'],
    );
    for (const { files } of left) assert.ok(await store.readProfile(files[0].sha256));
    assert.equal(filesIn(folder).length, 3);
    await store.close();
  });

  it('whose file was changed are told', async () => {
    const folder = newFolder();
    const store = await open(folder);
    const { files } = await store.addCapture(capture('c1', 1, file('profile')));
    const { sha256 } = files[0];
    writeFileSync(join(folder, 'blobs', sha256.slice(0, 2), sha256.slice(2)), 'another');
    await assert.rejects(store.readProfile(sha256), { kind: 'damaged', message: /is not what was written/ });
    await store.close();
  });
});

it('a second store on the folder is refused until the first is closed', async () => {
  const folder = newFolder();
  const store = await open(folder);
  await assert.rejects(open(folder), {
    kind: 'busy',
    message: new RegExp(`^data is in use by process ${process.pid};`),
  });
  await store.close();
  await store.close();
  assert.ok(!existsSync(join(folder, 'oakum.lock')));
  await (await open(folder)).close();
});
