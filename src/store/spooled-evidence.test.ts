import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { MemoryEvidence } from '../../test/double/memory-evidence.ts';
import { SimulatedClock } from '../../test/double/simulated-clock.ts';
import { decodeText, encodeText } from '../base/text.ts';
import { SpooledEvidence } from './spooled-evidence.ts';
import { StoreError } from './ports.ts';

const START = 1_794_700_800;

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

async function make(maxBytes?: number, kept = new Map<string, Uint8Array>()) {
  const clock = new SimulatedClock(START);
  const far = new MemoryEvidence('s3://bucket/x');
  const spool = new MemoryEvidence('files', kept);
  const files = new SpooledEvidence(far, spool, {
    clock,
    random: () => 1,
    ...(maxBytes === undefined ? {} : { maxBytes }),
  });
  const put = (text: string): Promise<void> => files.put(hashOf(text), encodeText(text));
  const text = async (of: string): Promise<string | undefined> => {
    const bytes = await files.read(hashOf(of));
    return bytes && decodeText(bytes);
  };
  /** Everything that waits for the past `seconds` is done. */
  const pass = (seconds: number): Promise<void> =>
    clock.runUntil(clock.now() + seconds, async () => {
      for (let i = 0; i < 20; i++) await new Promise(setImmediate);
    });
  const breakFar = (isBroken: boolean): void => {
    far.before = () => {
      if (isBroken) throw new StoreError('unreachable', 's3://bucket/x: it answers 503 SlowDown');
    };
  };
  return { files, far, spool, clock, put, text, pass, breakFar };
}

describe('evidence with a spool', () => {
  it('goes far away while that works', async () => {
    const { files, far, spool, put, text } = await make();
    await files.open();
    await put('one');
    assert.deepEqual([far.kept.size, spool.kept.size], [1, 0]);
    assert.equal(await text('one'), 'one');
    assert.deepEqual(files.status(), { degraded: null, waitingFiles: 0, waitingBytes: 0 });
    await files.close();
  });

  it('waits on this machine while it does not, can be read, and goes there later', async () => {
    const { files, far, spool, put, text, pass, breakFar } = await make();
    await files.open();
    breakFar(true);
    await put('one');
    await put('four');
    assert.deepEqual([far.kept.size, spool.kept.size], [0, 2]);
    assert.equal(await text('one'), 'one');
    assert.equal(await files.size(hashOf('four')), 4);
    assert.deepEqual(files.status(), {
      degraded:
        'Evidence cannot be stored: s3://bucket/x: it answers 503 SlowDown. 2 files (7 B) wait in the data folder.',
      waitingFiles: 2,
      waitingBytes: 7,
    });
    await pass(600);
    assert.equal(spool.kept.size, 2);
    breakFar(false);
    await pass(300);
    assert.deepEqual([far.kept.size, spool.kept.size], [2, 0]);
    assert.equal(await text('one'), 'one');
    assert.equal(files.status().degraded, null);
    await files.close();
  });

  it('does not make anybody wait for what failed a moment ago', async () => {
    const { files, far, put, pass, breakFar } = await make();
    await files.open();
    await pass(0);
    breakFar(true);
    await put('one');
    const asked = far.calls.length;
    for (let i = 0; i < 50; i++) await put(`more ${i}`);
    assert.equal(far.calls.length, asked);
    await pass(3600);
    assert.ok(far.calls.length - asked < 25, `${far.calls.length - asked} requests in an hour`);
    await files.close();
  });

  it('says early that the place does not work, and takes it back', async () => {
    const { files, pass, breakFar } = await make();
    breakFar(true);
    await files.open();
    await pass(1);
    assert.equal(files.status().degraded, 'Evidence cannot be stored: s3://bucket/x: it answers 503 SlowDown.');
    breakFar(false);
    await pass(30);
    assert.equal(files.status().degraded, null);
    await files.close();
  });

  it('is bounded: what does not fit is refused and counted, and there is room again later', async () => {
    const { files, put, pass, breakFar } = await make(10);
    await files.open();
    breakFar(true);
    await put('0123456');
    await assert.rejects(put('too much'), {
      kind: 'unreachable',
      message: 's3://bucket/x: it answers 503 SlowDown; and no more than 10 B may wait in the data folder',
    });
    assert.match(files.status().degraded ?? '', / There is no room for more: 1 files were lost\.$/);
    breakFar(false);
    await pass(300);
    await put('too much');
    assert.equal(files.status().degraded, null);
    await files.close();
  });

  it('that waits when the process is killed goes there in the next', async () => {
    const kept = new Map<string, Uint8Array>();
    const first = await make(undefined, kept);
    await first.files.open();
    first.breakFar(true);
    await first.put('one');
    const second = await make(undefined, kept);
    await second.files.open();
    assert.equal(second.files.status().waitingFiles, 1);
    await second.pass(1);
    assert.deepEqual([...second.far.kept.keys()], [hashOf('one')]);
    assert.equal(kept.size, 0);
    await Promise.all([first.files.close(), second.files.close()]);
  });

  it('that is removed while it moves does not come back', async () => {
    const { files, far, spool, put, pass, breakFar } = await make();
    await files.open();
    breakFar(true);
    await put('one');
    let release = (): void => {};
    far.before = call =>
      call.startsWith('put ') ? new Promise(resolve => ((release = resolve), undefined)) : undefined;
    await pass(10);
    const removed = files.remove(hashOf('one'));
    release();
    await removed;
    await pass(600);
    assert.deepEqual([far.kept.size, spool.kept.size], [0, 0]);
    await files.close();
  });

  it('one file that nobody takes does not hold up the rest', async () => {
    const { files, far, put, pass, breakFar } = await make();
    await files.open();
    breakFar(true);
    for (const text of ['bad', 'two', 'three']) await put(text);
    far.before = call => {
      if (call === `put ${hashOf('bad')}`) throw new StoreError('refused', 's3://bucket/x: it answers 400 Odd');
    };
    await pass(600);
    assert.deepEqual([...far.kept.keys()].sort(), [hashOf('three'), hashOf('two')].sort());
    assert.match(files.status().degraded ?? '', /400 Odd\. 1 files \(3 B\) wait/);
    await files.close();
  });

  it('that is on its way when it is closed is kept', async () => {
    const { files, far, spool, put } = await make();
    await files.open();
    far.before = () => new Promise((_, reject) => (stop = () => reject(new StoreError('refused', 'stopped'))));
    let stop = (): void => {};
    const underway = put('one');
    await new Promise(setImmediate);
    stop();
    await underway;
    assert.equal(spool.kept.size, 1);
    far.before = () => {};
    await files.close();
  });

  it('is removed here at once and far away when that works', async () => {
    const { files, spool, put, breakFar } = await make();
    await files.open();
    breakFar(true);
    await put('one');
    await assert.rejects(files.remove(hashOf('one')), { kind: 'unreachable' });
    assert.equal(spool.kept.size, 0);
    await files.close();
  });
});
