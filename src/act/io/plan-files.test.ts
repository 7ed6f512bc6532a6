import assert from 'node:assert/strict';
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { PlanRecord } from '../../store/plan-log.ts';
import { planLogFile } from './plan-files.ts';

const record = (number: number): PlanRecord => ({
  schema: 'oakum.plan-log/v1',
  number,
  at: '2026-11-17T02:00:00.000Z',
  planId: 'plan-x',
  planHash: 'sha256:x',
  actor: 'tester',
  kind: 'step-began',
  step: `w/${number}`,
  node: 'w',
});

describe('the log of a plan', () => {
  let folder = '';
  before(() => void (folder = mkdtempSync(join(tmpdir(), 'oakum-plan-log-'))));
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('is read as it was written, and survives a line that a crash cut', async () => {
    const path = join(folder, 'a.jsonl');
    const log = planLogFile(path, 'a.jsonl');
    assert.deepEqual(await log.read(), []);
    await log.append(record(1));
    appendFileSync(path, JSON.stringify(record(2)).slice(0, 40));
    await log.append(record(2));
    assert.deepEqual(await log.read(), [record(1), record(2)]);
  });

  it('refuses a file that is something else, and says where', async () => {
    const path = join(folder, 'b.jsonl');
    writeFileSync(path, `${JSON.stringify(record(1))}\nhello\n`);
    await assert.rejects(planLogFile(path, 'b.jsonl').read(), /b\.jsonl: line 2 is not a record of a plan/);
    await assert.rejects(planLogFile(join(folder, 'no', 'c'), 'no/c').append(record(1)), /no\/c: no such file/);
  });
});
