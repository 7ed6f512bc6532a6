import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { endProcess, findProcess, isAlive, parseStat, programPid, startProcess } from './processes.ts';

const skip = existsSync('/proc/self/stat') ? false : 'reads /proc, which only Linux has';

describe('processes', () => {
  it('handles a name with spaces and brackets', () => {
    const rest = Array.from({ length: 30 }, (_, index) => index).join(' ');
    assert.deepEqual(parseStat(`12 (a ) S 1) S ${rest}`), { state: 'S', startTicks: 18 });
    assert.equal(parseStat(''), undefined);
  });

  it('finds a program under timeout, ends it as well, and forgets it', { skip }, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'oakum-lab-test-'));
    try {
      const record = startProcess(folder, 'sleeper', ['timeout', '60', 'sleep', '60']);
      assert.ok(isAlive(record));
      assert.ok(!isAlive({ ...record, startTicks: record.startTicks + 1 }), 'another process with the same pid');
      while (programPid(record) === record.pid) await new Promise(resolve => setTimeout(resolve, 10));
      const program = programPid(record);
      await endProcess(folder, record, 'SIGKILL');
      assert.ok(!isAlive(record));
      assert.ok(!existsSync(`/proc/${program}/exe`), 'the program ended too');
      assert.equal(findProcess(folder, 'sleeper'), undefined);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
