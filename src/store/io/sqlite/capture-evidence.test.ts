/** Captures whose files are elsewhere: the order of rows and files, and a place that refuses. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { MemoryEvidence } from '../../../../test/double/memory-evidence.ts';
import { until } from '../../../../test/until.ts';
import { encodeText } from '../../../base/text.ts';
import { Database } from './database.ts';
import { openWatchStore } from './open-watch-store.ts';
import { StoreError } from '../../ports.ts';
import type { NewCapture } from '../../records.ts';

const root = mkdtempSync(join(tmpdir(), 'oakum-capture-evidence-'));
after(() => rmSync(root, { recursive: true, force: true }));
const newFolder = (): string => mkdtempSync(join(root, 'data-'));

const refuse = (): never => {
  throw new StoreError('disk', 'cannot reach the bucket');
};

function capture(id: string, at: number, ...texts: string[]): NewCapture {
  const files = texts.map(text => ({ kind: 'heap', at, truncated: null, bytes: encodeText(text) }) as const);
  return { id, target: 'a', at, trigger: 'doubling', reason: '', processStartSeconds: 1, files };
}

/** The rows of a store that is closed. */
function rowsOf(folder: string, sql: string): readonly unknown[] {
  const db = new Database(join(folder, 'oakum.db'));
  try {
    return db.all(sql);
  } finally {
    db.close();
  }
}

describe('files of captures', () => {
  it('are put before any row names them, and removed after no row does', async () => {
    const [folder, evidence] = [newFolder(), new MemoryEvidence()];
    const store = await openWatchStore(folder, evidence, { limits: { maxBytesPerTarget: 8 } });
    const namedAt: string[] = [];
    evidence.before = async call => {
      const [method, sha256] = call.split(' ');
      const named = (await store.records({ kind: 'capture' })).some(({ files }) =>
        files.some(file => file.sha256 === sha256),
      );
      if (method === 'put' || method === 'remove') namedAt.push(`${method} ${named ? 'named' : 'unnamed'}`);
    };
    for (let i = 1; i <= 4; i++) await store.addCapture(capture(`c${i}`, i, `text${i}`));
    assert.ok(namedAt.includes('put unnamed') && namedAt.includes('remove unnamed'), namedAt.join());
    assert.ok(!namedAt.some(line => line.endsWith(' named')), namedAt.join());
    const left = await store.records({ kind: 'capture' });
    assert.equal(evidence.kept.size, left.length);
    await store.close();
  });

  it('that cannot be put leave no row, and nothing loose', async () => {
    const [folder, evidence] = [newFolder(), new MemoryEvidence()];
    const store = await openWatchStore(folder, evidence);
    evidence.before = call => {
      if (call.startsWith('put ')) refuse();
    };
    await assert.rejects(store.addCapture(capture('c1', 1, 'one', 'two')), { message: 'cannot reach the bucket' });
    assert.deepEqual(await store.records({ kind: 'capture' }), []);
    await store.close();
    assert.deepEqual(rowsOf(folder, 'SELECT * FROM loose_files'), []);
  });

  it('that cannot be removed are removed later: the capture that took their room is kept', async () => {
    const [folder, evidence] = [newFolder(), new MemoryEvidence()];
    const store = await openWatchStore(folder, evidence, { limits: { maxBytesPerTarget: 8 } });
    evidence.before = call => {
      if (call.startsWith('remove ')) refuse();
    };
    for (let i = 1; i <= 4; i++) await store.addCapture(capture(`c${i}`, i, `text${i}`));
    assert.equal(evidence.kept.size, 4);
    const left = (await store.records({ kind: 'capture' })).length;
    evidence.before = () => {};
    await store.maintain(5);
    await until(() => evidence.kept.size === left);
    await store.close();
  });

  it('that a kill left loose are removed when the store is opened next, or as soon as that is possible', async () => {
    const [folder, evidence] = [newFolder(), new MemoryEvidence()];
    await (await openWatchStore(folder, evidence)).close();
    const loose = 'ab'.repeat(32);
    evidence.kept.set(loose, encodeText('left'));
    rowsOf(folder, `INSERT INTO loose_files (sha256) VALUES ('${loose}') RETURNING sha256`);
    evidence.before = refuse;
    await (await openWatchStore(folder, evidence)).close();
    assert.equal(rowsOf(folder, 'SELECT * FROM loose_files').length, 1, 'it is still known');
    evidence.before = () => {};
    await (await openWatchStore(folder, evidence, { toRead: true })).close();
    assert.equal(evidence.kept.size, 1, 'who only reads removes nothing');
    await (await openWatchStore(folder, evidence)).close();
    assert.equal(evidence.kept.size, 0);
    assert.deepEqual(rowsOf(folder, 'SELECT * FROM loose_files'), []);
  });
});

describe('another place for the evidence', () => {
  it('is refused until everything is there', async () => {
    const folder = newFolder();
    const before = new MemoryEvidence('s3://before/x');
    const store = await openWatchStore(folder, before);
    await store.addCapture(capture('c1', 1, 'one', 'two'));
    await store.close();
    const after = new MemoryEvidence('s3://after/x', new Map([...before.kept].slice(1)));
    await assert.rejects(openWatchStore(folder, after), {
      kind: 'refused',
      message:
        '1 of 2 profiles of this store are not in s3://after/x but in s3://before/x: ' +
        'copy them with oakum store copy first, or leave --evidence as it was',
    });
    for (const [sha256, bytes] of before.kept) after.kept.set(sha256, bytes);
    await (await openWatchStore(folder, after)).close();
    before.kept.clear();
    await assert.rejects(openWatchStore(folder, before), { kind: 'refused' }, 'it has moved');
  });

  it('that does not work is refused at once when it is new, and tolerated when it is not', async () => {
    const folder = newFolder();
    const evidence = new MemoryEvidence('s3://bucket/x');
    evidence.before = refuse;
    await assert.rejects(openWatchStore(folder, evidence), { message: 'cannot reach the bucket' });
    evidence.before = () => {};
    await (await openWatchStore(folder, evidence)).close();
    evidence.before = refuse;
    await (await openWatchStore(folder, evidence)).close();
  });
});
