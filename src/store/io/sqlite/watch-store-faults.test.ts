/** The store on a disk, a clock and a file that misbehave. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs, { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, describe, it } from 'node:test';
import type { WatchStore } from '../../ports.ts';
import { Database } from './database.ts';
import { openFolderStore } from '../../../cli/watch/open-store.ts';
import type { NewCapture } from '../../records.ts';

const root = mkdtempSync(join(tmpdir(), 'oakum-faults-'));
after(() => rmSync(root, { recursive: true, force: true }));
const newFolder = (): string => mkdtempSync(join(root, 'data-'));

const MIDNIGHT = 1_794_700_800;
const DAY = 86_400;

const { writeSync } = fs;
afterEach(() => void (fs.writeSync = writeSync));

/** For what writes in this process without waiting, which is SQLite. */
function fillDisk(): void {
  fs.writeSync = (): number => {
    throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  };
}

async function countOf(store: WatchStore, target: string): Promise<number> {
  const query = { target, metrics: ['x'], from: -1e12, to: 1e12, maxPoints: Infinity };
  return (await store.query(query)).reduce((sum, { times }) => sum + times.length, 0);
}

function noise(bytes: number): Uint8Array {
  return Uint8Array.from({ length: bytes }, () => Math.random() * 256);
}

function capture(id: string, bytes: number): NewCapture {
  const file = { kind: 'heap', at: 1, truncated: null, bytes: noise(bytes) } as const;
  return { id, target: 'a', at: 1, trigger: 'slope', reason: '', processStartSeconds: 1, files: [file] };
}

describe('a full disk', () => {
  it('lets samples wait in memory, says so, and loses none when there is room again', async () => {
    const store = await openFolderStore(newFolder(), { shown: 'data' });
    for (let i = 0; i < 200; i++) {
      if (i === 20) fillDisk();
      if (i === 180) fs.writeSync = writeSync;
      store.addSample(`node/${i % 3}`, MIDNIGHT + i, { x: i });
      if (i % 10 === 9) {
        const isFull = i > 20 && i < 180;
        assert.equal((await store.commit()).committed, !isFull);
        await store.maintain(MIDNIGHT + i);
        assert.equal(store.status().degraded === null, !isFull, `at ${i}`);
      }
      if (i === 100) {
        const { degraded, waitingSamples } = store.status();
        assert.match(degraded ?? '', /^Nothing can be written to data: .*\. \d+ samples wait in memory\.$/);
        assert.equal(waitingSamples, 81);
        assert.equal(await countOf(store, 'node/0'), 7, 'what was committed can be read');
      }
    }
    const counts = await Promise.all([0, 1, 2].map(i => countOf(store, `node/${i}`)));
    assert.deepEqual(counts, [67, 67, 66]);
    await store.close();
  });

  const tiny = join(root, 'tiny');
  const skip = mountTiny(tiny) ? false : 'no right to mount a small file system';
  after(() => void (skip === false && spawnSync('umount', [tiny])));

  it('that is a real one refuses samples and captures with a sentence, and takes them later', { skip }, async () => {
    const store = await openFolderStore(join(tiny, 'data'), { shown: 'data' });
    await store.addCapture(capture('before', 100_000));
    writeFileSync(join(tiny, 'ballast'), noise(2_600_000));
    await assert.rejects(store.addCapture(capture('too large', 3_000_000)), {
      kind: 'disk',
      message: 'cannot keep a capture in data: the disk is full; free some space',
    });
    let round = 0;
    const commitRound = async (): Promise<boolean> => {
      round++;
      for (let i = 0; i < 200; i++)
        store.addSample(`node/${i}`, MIDNIGHT + 60 * round, { x: Math.random(), y: Math.random() });
      const { committed } = await store.commit();
      await store.maintain(MIDNIGHT + 60 * round);
      return committed;
    };
    while (await commitRound()) assert.ok(round < 2000, 'the disk never filled');
    const filledAt = round;
    assert.match(store.status().degraded ?? '', /^Nothing can be written to data: the disk is full; free some space\./);
    for (let i = 0; i < 5; i++) assert.equal(await commitRound(), false);
    rmSync(join(tiny, 'ballast'));
    assert.equal(await commitRound(), true);
    assert.equal(store.status().degraded, null);
    await store.addCapture(capture('after', 100_000));
    await store.close();

    const again = await openFolderStore(join(tiny, 'data'), { shown: 'data' });
    assert.equal(round, filledAt + 6);
    for (const i of [0, 99, 199]) assert.equal(await countOf(again, `node/${i}`), round);
    assert.deepEqual((await again.records({ kind: 'capture' })).map(({ id }) => id).sort(), ['after', 'before']);
    await again.close();
    const blobs = readdirSync(join(tiny, 'data', 'blobs'), { recursive: true, withFileTypes: true });
    assert.equal(blobs.filter(entry => entry.isFile()).length, 2, 'nothing is left of the one that did not fit');
  });
});

function mountTiny(path: string): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false;
  mkdirSync(path);
  return spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', path]).status === 0;
}

describe('a clock that jumps', () => {
  const limits = { rawDays: 1, fiveMinuteDays: 1, hourDays: 1, recordDays: 1 };
  const recordHour = async (store: WatchStore, from: number): Promise<void> => {
    for (let minute = 0; minute < 60; minute++) store.addSample('a', from + 60 * minute, { x: minute });
    store.put({ kind: 'event', record: { target: 'a', at: from, kind: 'note', text: '' } });
    await store.commit();
    await store.maintain(from + 3600);
  };

  it('a year ahead and back takes nothing away', async () => {
    const folder = newFolder();
    let store = await openFolderStore(folder, { limits });
    await recordHour(store, MIDNIGHT);
    await recordHour(store, MIDNIGHT + 365 * DAY);
    await store.close();
    store = await openFolderStore(folder, { limits });
    await recordHour(store, MIDNIGHT + 365 * DAY + 3600);
    await recordHour(store, MIDNIGHT + 3600);
    assert.equal(await countOf(store, 'a'), 240);
    assert.equal((await store.records({ kind: 'event', target: 'a', since: 0 })).length, 4);
    assert.equal((await store.latest('a'))?.at, MIDNIGHT + 365 * DAY + 7200 - 60);
    await store.close();
  });

  it('is believed again after a day, and what is old then goes', async () => {
    const store = await openFolderStore(newFolder(), { limits });
    await recordHour(store, MIDNIGHT);
    for (let hour = 0; hour < 30; hour++) await recordHour(store, MIDNIGHT + 100 * DAY + 3600 * hour);
    const found = await store.query({ target: 'a', metrics: ['x'], from: 0, to: MIDNIGHT + DAY, maxPoints: 10 });
    assert.deepEqual(found, []);
    assert.equal((await store.records({ kind: 'event', target: 'a', since: 0, until: MIDNIGHT + DAY })).length, 0);
    await store.close();
  });
});

describe('a budget of bytes', () => {
  it('holds: the oldest of every resolution goes, the newest stays', async () => {
    const folder = newFolder();
    const maxDatabaseBytes = 1_500_000;
    const store = await openFolderStore(folder, { limits: { maxDatabaseBytes } });
    const targets = Array.from({ length: 48 }, (_, i) => `node/${i}`);
    let at = MIDNIGHT;
    for (let round = 0; round < 10; round++) {
      for (let minute = 0; minute < 216; minute++, at += 60)
        for (const target of targets) store.addSample(target, at, { x: Math.random(), y: Math.random() });
      await store.commit();
      for (let turn = 0; turn < 4; turn++) await store.maintain(at);
    }
    const [series] = await store.query({ target: 'node/9', metrics: ['x'], from: 0, to: at, maxPoints: Infinity });
    assert.equal(series.times.at(-1), at - 60);
    assert.ok(series.times[0] > MIDNIGHT, 'the oldest is gone');
    assert.ok(series.times.length > 100);
    await store.close();
    const { size } = statSync(join(folder, 'oakum.db'));
    assert.ok(size < 1.2 * maxDatabaseBytes, `${size} bytes`);
  });
});

describe('a damaged file', () => {
  /** Overwrites the middle, where the tables are. */
  const damage = (path: string): void => {
    const bytes = readFileSync(path);
    for (let at = 4096; at < bytes.length; at += 4096) bytes.fill(0xa5, at, at + 200);
    writeFileSync(path, bytes);
  };
  const filled = async (): Promise<string> => {
    const folder = newFolder();
    const store = await openFolderStore(folder);
    for (let i = 0; i < 200; i++) store.addSample('a', MIDNIGHT + i, { x: i });
    await store.addCapture(capture('c', 100));
    await store.close();
    return folder;
  };

  for (const [what, spoil] of [
    ['in its pages', damage],
    ['in its head', (path: string): void => writeFileSync(path, noise(20_000))],
    ['cut short', (path: string): void => fs.truncateSync(path, 9000)],
  ] as const) {
    it(`${what} is told, and set aside only when asked`, async () => {
      const folder = await filled();
      const path = join(folder, 'oakum.db');
      spoil(path);
      const { size } = statSync(path);
      await assert.rejects(openFolderStore(folder, { shown: 'data' }), {
        kind: 'damaged',
        message: /^data\/oakum\.db is damaged \(.+\); restore it, or start with --set-damaged-aside /,
      });
      assert.equal(statSync(path).size, size, 'it is left alone');

      const store = await openFolderStore(folder, { shown: 'data', setDamagedAside: true });
      assert.deepEqual(await store.targets(), []);
      await store.close();
      const aside = readdirSync(folder).find(name => /^oakum\.db\.damaged-\d{8}T\d{6}$/.test(name));
      assert.ok(aside !== undefined);
      assert.equal(statSync(join(folder, aside)).size, size);
      assert.ok(readdirSync(join(folder, 'blobs')).length > 1, 'profiles stay');
    });
  }

  it('in one part of the history costs that part, and is said', async () => {
    const folder = newFolder();
    let store = await openFolderStore(folder, { shown: 'data' });
    for (const from of [MIDNIGHT, MIDNIGHT + 7200]) {
      for (let i = 0; i < 100; i++) store.addSample('a', from + i, { x: i });
      await store.commit();
      await store.maintain(from);
    }
    await store.close();
    const db = new Database(join(folder, 'oakum.db'));
    db.run(`UPDATE chunks SET body = x'00112233' WHERE step = 0 AND slot = ?`, [MIDNIGHT / 7200]);
    db.close();
    store = await openFolderStore(folder, { shown: 'data' });
    const found = await store.query({ target: 'a', metrics: ['x'], from: 0, to: 1e12, maxPoints: Infinity });
    assert.ok(found[0].times.length >= 100);
    assert.match(store.status().degraded ?? '', /^Parts of the history in data are damaged and are left out/);
    await store.close();
  });
});

describe('what is missing of a store', () => {
  const opened = async (folder: string): Promise<readonly string[]> => {
    const said: string[] = [];
    const store = await openFolderStore(folder, { shown: 'data', say: line => void said.push(line) });
    store.addSample('node/a', MIDNIGHT, { x: 1 });
    await store.commit();
    await store.close();
    return said;
  };

  it('is told: a database that is empty or gone, and a log that is gone after a kill', async () => {
    const folder = newFolder();
    assert.deepEqual(await opened(folder), []);
    assert.deepEqual(await opened(folder), [], 'after a clean end');
    const name = join('data', 'oakum.db');
    writeFileSync(join(folder, 'oakum.db'), '');
    assert.deepEqual(await opened(folder), [
      `${name} is empty, and a store was there: it begins with an empty history`,
    ]);
    mkdirSync(join(folder, 'blobs', 'ab'), { recursive: true });
    rmSync(join(folder, 'oakum.db'));
    assert.deepEqual(await opened(folder), [`${name} is gone, and a store was there: it begins with an empty history`]);
    // As a process that was killed leaves it, without its log.
    const dead = { pid: 2 ** 22 + 1, host: 'here', system: null, startTicks: '1', nonce: 'x' };
    writeFileSync(join(folder, 'oakum.lock'), JSON.stringify(dead));
    const said: string[] = [];
    const options = { shown: 'data', watchPulseMs: 50, say: (line: string) => void said.push(line) };
    await (await openFolderStore(folder, options)).close();
    assert.match(said.join(), /was in use when its process was killed, and its log oakum\.db-wal is gone/);
  });
});
