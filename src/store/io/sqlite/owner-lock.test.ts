import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, beforeEach, describe, it } from 'node:test';
import { until } from '../../../../test/until.ts';
import { type OwnerLock, takeOwnerLock, ownIdentity, stateOf } from './owner-lock.ts';

const root = mkdtempSync(join(tmpdir(), 'oakum-lock-'));
after(() => rmSync(root, { recursive: true, force: true }));

const LONGER_THAN_ANY_TEST_MS = 24 * 3600 * 1000;

let path = '';
let count = 0;
beforeEach(() => (path = join(root, `${count++}.lock`)));

const take = (): Promise<OwnerLock> => takeOwnerLock(path, 'data', { watchPulseMs: 300, pulseMs: 20 });
const leaveBehind = (holder: object): void => writeFileSync(path, JSON.stringify({ nonce: 'theirs', ...holder }));

describe('the owner lock', () => {
  it('is for one at a time, and names who has it', async () => {
    const lock = await take();
    await assert.rejects(take(), {
      kind: 'busy',
      message: `data is in use by process ${process.pid}; stop it or choose another folder (if it is gone, delete ${count - 1}.lock there)`,
    });
    await lock.release();
    assert.ok(!existsSync(path));
    await (await take()).release();
  });

  it('of a process that was killed is taken over at once', async () => {
    const { pid } = spawnSync(process.execPath, ['--version']);
    leaveBehind({ ...ownIdentity(), pid });
    const lock = await takeOwnerLock(path, 'data', { watchPulseMs: LONGER_THAN_ANY_TEST_MS });
    assert.ok(lock.isHeld());
    await lock.release();
    assert.deepEqual(
      readdirSync(root).filter(name => name.startsWith(`${count - 1}.`)),
      [],
    );
  });

  it('is not kept by a process that only has the number of the owner', { skip: noProc() }, async () => {
    leaveBehind({ ...ownIdentity(), startTicks: '1' });
    await (await take()).release();
  });

  it('of a process elsewhere is taken over when its pulse has stopped', async () => {
    leaveBehind({ pid: 1, host: 'another', system: 'another boot', startTicks: '7' });
    await (await take()).release();
  });

  it('of a process elsewhere stands while its pulse goes on', async () => {
    leaveBehind({ pid: 17, host: 'another', system: 'another boot', startTicks: '7' });
    let seconds = 1;
    const pulse = setInterval(() => utimesSync(path, seconds++, seconds), 50);
    try {
      await assert.rejects(take(), { kind: 'busy', message: /^data is in use by process 17 on another;/ });
    } finally {
      clearInterval(pulse);
    }
  });

  it('that was cut while it was written is taken over', async () => {
    writeFileSync(path, '{"pid":12');
    await (await take()).release();
  });

  it('is written again when somebody deletes it', async () => {
    const lock = await take();
    const text = readFileSync(path, 'utf8');
    rmSync(path);
    await until(() => existsSync(path) && readFileSync(path, 'utf8') === text);
    assert.ok(lock.isHeld());
    await lock.release();
  });

  it('is lost to another that took over, and is not taken from it', async () => {
    const lock = await take();
    leaveBehind({ ...ownIdentity() });
    await until(() => !lock.isHeld());
    await lock.release();
    assert.ok(existsSync(path));
  });

  it('goes to one of many that find it left behind', async () => {
    const { pid } = spawnSync(process.execPath, ['--version']);
    leaveBehind({ ...ownIdentity(), pid });
    const turns = await Promise.allSettled(Array.from({ length: 8 }, take));
    const locks = turns.flatMap(turn => (turn.status === 'fulfilled' ? [turn.value] : []));
    const held = (): number => locks.filter(lock => lock.isHeld()).length;
    await until(() => held() <= 1);
    assert.equal(held(), 1);
    for (const lock of locks) await lock.release();
  });
});

describe('a process', () => {
  it('is known by more than its number', { skip: noProc() }, async () => {
    const child = spawn('sleep', ['60']);
    const stat = readFileSync(`/proc/${child.pid}/stat`, 'utf8');
    const startTicks = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
    const identity = { ...ownIdentity(), pid: child.pid ?? 0, startTicks };
    assert.equal(stateOf(identity), 'alive');
    assert.equal(stateOf({ ...identity, startTicks: `${startTicks}0` }), 'gone');
    assert.equal(stateOf({ ...identity, system: 'another' }), 'unknown');
    child.kill('SIGKILL');
    await new Promise(resolve => child.once('exit', resolve));
    assert.equal(stateOf(identity), 'gone');
  });
});

function noProc(): string | false {
  return existsSync('/proc/self/stat') ? false : 'no /proc here';
}
