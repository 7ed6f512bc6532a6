/** The runner of `npm test` on planted files: whatever goes wrong in a file fails the run, under the file's name. */
import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { postgresAbsent } from '../postgres/postgres-server.ts';
// @ts-expect-error: plain JavaScript, without types
import { runFiles as runFilesUntyped } from '../../scripts/test/pool.mjs';
// @ts-expect-error: plain JavaScript, without types
import { summaryOf as summaryOfUntyped, totalsOf as totalsOfUntyped } from '../../scripts/test/summary.mjs';

interface FileResult {
  readonly file: string;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly failures: readonly { readonly name: string; readonly error: string }[];
}

interface RunOptions {
  readonly workers?: number;
  readonly silenceMs?: number;
  readonly lingerMs?: number;
}

const runFiles = runFilesUntyped as (files: readonly string[], options: RunOptions) => Promise<FileResult[]>;
const summaryOf = summaryOfUntyped as (results: readonly FileResult[]) => string[];
const totalsOf = totalsOfUntyped as (results: readonly FileResult[]) => string;

const FOLDER = 'test/runner/planted/';
const run = (names: readonly string[], options: RunOptions = {}): Promise<FileResult[]> =>
  runFiles(
    names.map(name => `${FOLDER}${name}.ts`),
    options,
  );

describe('the runner of npm test', () => {
  it('counts what passes and is skipped, and says why', async () => {
    const results = await run(['passes']);
    assert.equal(totalsOf(results), '1 passed, 0 failed, 2 skipped');
    assert.deepEqual(summaryOf(results), [
      '',
      'Skipped:',
      '  no tide (1)',
      `    ${FOLDER}passes.ts: a suite > is skipped`,
      '  no wind (1)',
      `    ${FOLDER}passes.ts: a suite that is skipped`,
    ]);
  });

  it('names each file that fails, however it does, and goes on with the rest', async () => {
    const itself = '(the file itself)';
    const expected: Readonly<Record<string, readonly (readonly [name: string, error: RegExp])[]>> = {
      fails: [
        ['a suite > fails', /1 !== 2/],
        ['a suite > has steps > bad', /step 2/],
      ],
      'fails-in-hook': [[itself, /cannot clean up/]],
      throws: [[itself, /cannot be loaded/]],
      'exits-early': [[itself, /its process ended early with exit code 0/]],
      crashes: [[itself, /its process ended early with SIGKILL/]],
      'waits-for-nothing': [['waits', /still pending but the event loop has already resolved/]],
      'throws-later': [[itself, /left exit code 1.*\n.*too late/]],
      'rejects-later': [[itself, /left exit code 1.*\n.*nobody listens/]],
      'sets-exit-code': [[itself, /left exit code 7/]],
      'no-test': [[itself, /it has no test/]],
    };
    const results = await run([...Object.keys(expected), 'passes']);
    const found = new Map(results.map(result => [result.file.slice(FOLDER.length, -'.ts'.length), result]));
    assert.equal(found.size, results.length, 'one result for each file');
    for (const [name, failures] of Object.entries(expected)) {
      const result = found.get(name);
      assert.deepEqual(
        result?.failures.map(failure => failure.name),
        failures.map(([test]) => test),
        name,
      );
      failures.forEach(([, error], i) => assert.match(result.failures[i].error, error, name));
      assert.ok(result.failed > 0);
    }
    assert.equal(found.get('passes')?.passed, 1);
    assert.equal(found.get('fails')?.failed, 3, 'with the test whose step failed');
    assert.match(
      summaryOf(results).join('\n'),
      /^FAILED test\/runner\/planted\/throws\.ts: \(the file itself\)\n {2}/m,
    );
  });

  it('names the places of the sources, also in the stack of a failure', async () => {
    const [result] = await run(['fails']);
    assert.match(result.failures[0].error, /test\/runner\/planted\/fails\.ts:\d+:\d+/);
  });

  it('runs the rest if a file cannot be read', async () => {
    const results = await run(['no-such-file', 'passes']);
    assert.match(
      summaryOf(results).join('\n'),
      /^FAILED .*no-such-file\.ts: \(the file itself\)\n.*Cannot find module/m,
    );
    assert.equal(results.find(({ file }) => file.endsWith('passes.ts'))?.passed, 1);
  });

  it('ends a file that hangs, by its name', async () => {
    const [result] = await run(['loops'], { silenceMs: 500 });
    assert.equal(result.file, `${FOLDER}loops.ts`);
    assert.match(result.failures[0].error, /^no test ended for/);
  });

  it('names the file that keeps its process from ending', async () => {
    const results = await run(['leaves-open'], { lingerMs: 200 });
    assert.match(summaryOf(results).join('\n'), /still open: Timeout, since test\/runner\/planted\/leaves-open\.ts/);
    assert.equal(totalsOf(results), '1 passed, 1 failed, 0 skipped');
  });

  it('gives files a PostgreSQL, and leaves nothing of it behind', { skip: postgresAbsent }, async () => {
    const parent = mkdtempSync(join(tmpdir(), 'oakum-runner-'));
    // PostgreSQL may run as another user.
    chmodSync(parent, 0o755);
    process.env['TMPDIR'] = parent;
    const results = await run(['asks-for-postgres']);
    assert.equal(totalsOf(results), '1 passed, 0 failed, 0 skipped', summaryOf(results).join('\n'));
    assert.deepEqual(readdirSync(parent), []);
    rmSync(parent, { recursive: true });
  });

  it('notices an exit code that is set at the very end', async () => {
    const results = await run(['exits-late']);
    assert.match(summaryOf(results).join('\n'), /exits-late.*\n {2}its process ended early with exit code 9/);
  });

  it('keeps what a file changes of the process from the next', async () => {
    const results = await run(['changes-process', 'needs-clean-process'], { workers: 1 });
    assert.deepEqual(
      results.map(({ failed }) => failed),
      [1, 0],
      summaryOf(results).join('\n'),
    );
  });
});
