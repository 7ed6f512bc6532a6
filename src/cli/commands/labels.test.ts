import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { memoryIo } from '../../../test/double/memory-io.ts';
import { run } from '../run.ts';
import { EXIT } from '../../base/errors.ts';

const cwd = mkdtempSync(join(tmpdir(), 'oakum-labels-'));
after(() => rmSync(cwd, { recursive: true }));
const leakdemo = fileURLToPath(new URL('../../../test/fixtures/captures/leakdemo/', import.meta.url));

/** The part of a row of `-o json` that the tests look at. */
interface LabelRow {
  readonly change: number;
  readonly goroutines: readonly number[];
  readonly orphan: boolean;
}

async function call(...argv: string[]) {
  return callWith('', ...argv);
}

async function callWith(stdin: string, ...argv: string[]) {
  const io = memoryIo({ cwd, stdin, env: { PATH: process.env['PATH'] } });
  const code = await run(['labels', ...argv], io);
  return { code, out: io.out(), err: io.err() };
}

/** A group of debug=1 as kcp's documentation shows it: one line of labels, seven frames. */
function group(count: number, controller: string, cluster: string, fn: string, line = 1): string {
  const frames = [`k8s.io/client-go/tools/cache.${fn}`, ...Array.from({ length: 6 }, (_, i) => `main.caller${i}`)];
  const pcs = frames.map((_, i) => `0x${(0x401000 + 16 * i).toString(16)}`);
  const lines = frames.map((name, i) => `#\t${pcs[i]}\t${name}+0x1\t/src/${i}.go:${line}\n`);
  const labels = `# labels: {"controller":"${controller}", "logicalcluster":"${cluster}"}\n`;
  return `${count} @ ${pcs.join(' ')}\n${labels}${lines.join('')}\n`;
}

function profile(name: string, total: number, ...groups: string[]): string {
  writeFileSync(join(cwd, name), `goroutine profile: total ${total}\n${groups.join('')}`);
  return name;
}

const json = async (...argv: string[]) => JSON.parse((await call(...argv, '-o', 'json')).out);

describe('oakum labels', () => {
  test("counts the goroutines of kcp's example: 29, where adding up lines gives 261", async () => {
    const file = profile('block.txt', 29, group(29, 'kcp-kube-quota', '2xdbr0n1ckqpwrhb', '(*processorListener).run'));
    const { rows, files } = await json(file);
    assert.deepEqual(rows[0].labels, { controller: 'kcp-kube-quota', logicalcluster: '2xdbr0n1ckqpwrhb' });
    assert.deepEqual(rows[0].goroutines, [29]);
    assert.deepEqual([files[0].goroutines, files[0].labelled, files[0].coverage], [29, 29, 1]);
  });

  test('escapes what would change the terminal, in JSON as in text', async () => {
    const file = profile('hostile.txt', 1, group(1, 'a\u202eb\u009bc', 'root', 'f'));
    for (const output of ['text', 'json']) {
      const { code, out } = await call(file, '-o', output);
      assert.equal(code, EXIT.done);
      assert.doesNotMatch(out, /[\u202e\u009b]/, output);
    }
    const { rows } = await json(file);
    assert.equal(rows[0].labels.controller, 'a\u202eb\u009bc', 'the value is the same');
  });

  test('shows a growth of 60 goroutines, not of 6 stack groups', async () => {
    const before = profile('before.txt', 10, group(10, 'quota', 'root', '(*processorListener).run'));
    const grown = ['a', 'b', 'c'].flatMap(cluster => [
      group(10, 'quota', cluster, '(*processorListener).run'),
      group(10, 'quota', cluster, '(*processorListener).pop', 2),
    ]);
    const after = profile('after.txt', 70, group(10, 'quota', 'root', '(*processorListener).run'), ...grown);
    const { rows } = await json(before, after, '--by', 'controller');
    assert.deepEqual(
      rows.map(({ change, goroutines }: LabelRow) => [change, goroutines]),
      [[60, [10, 70]]],
    );
    const { out } = await call(before, after);
    assert.match(out, /^CONTROLLER {2}LOGICALCLUSTER {2}FILE 1 {2}FILE 2 {2}CHANGE {2}MOSTLY IN$/m);
    assert.match(out, /^quota {7}a {15}0 {7}20 {6}\+20 {5}cache\.\(\*processorListener\)/m);
  });

  test('says how many goroutines carry labels at all', async () => {
    const { out, code } = await call(`${leakdemo}go1.27/t3/goroutine.debug1.txt`, '--top', '2');
    assert.equal(code, EXIT.done);
    assert.match(out, /300 of 485 goroutines \(61\.9%\) carry controller or logicalcluster/);
    assert.match(
      out,
      /^CONTROLLER {6}LOGICALCLUSTER {2}GOROUTINES {2}MOSTLY IN\nkcp-kube-quota {2}lc10 {12}40 {10}main/m,
    );
    assert.match(out, /^10 more; --top 0 shows all$/m);
    const other = await call(`${leakdemo}go1.27/t3/goroutine.debug1.txt`, '--by', 'tenant');
    assert.match(
      other.out,
      /0 of 485 .*\n {2}its labels are: controller \(300\), logicalcluster \(300\), odd key \(4\)/,
    );
    const none = await call(`${leakdemo}go1.19/t3/goroutine.debug2.txt`);
    assert.match(none.out, /no labels at all; up to Go 1\.26, debug=2 shows none: take debug=1/);
  });

  test('does not let a label reach the terminal raw', async () => {
    const { out } = await call(`${leakdemo}go1.27/t3/goroutine.debug1.txt`, '--by', 'odd key');
    assert.match(out, /va"l, \{ue\}\\né/);
    const ansi = profile('ansi.txt', 1, group(1, '\\u001b[31mred', 'x', 'f'));
    assert.match((await call(ansi)).out, /\\u001b\[31mred/);
  });

  test('finds tenants that no longer exist', async () => {
    const file = `${leakdemo}go1.23/t3/goroutine.debug0.pb.gz`;
    writeFileSync(
      join(cwd, 'live.txt'),
      'workspace.tenancy.kcp.io/lc0\nlc1\n\n# comment\nlogicalcluster.core.kcp.io/lc9\n',
    );
    const fromFile = await json(file, '--orphans', '--live-from', 'live.txt', '--top', '0');
    assert.equal(fromFile.liveTenants, 3);
    assert.equal(fromFile.rows.length, 9);
    assert.equal(
      fromFile.rows.reduce((sum: number, { goroutines }: LabelRow) => sum + goroutines[0], 0),
      300 - 10 - 10 - 40,
    );
    assert.ok(fromFile.rows.every(({ orphan }: LabelRow) => orphan === true));
    const command = await call(file, '--orphans', '--live-from', 'cat live.txt | head -2');
    assert.match(command.err, /running cat live\.txt/);
    assert.match(command.out, /^2 live tenants; 280 goroutines name 10 that no longer exist$/m);
    assert.match(command.out, /^kcp-kube-quota {2}lc10 {12}40 {10}gone/m);
    const piped = await callWith('NAME  AGE\nlc0   3d\n', file, '--live-from', '-', '--top', '0');
    assert.match(piped.out, /lc0 .* live /);
  });

  test('says what heap profiles cannot show', async () => {
    const heap = fileURLToPath(new URL('../../../test/fixtures/captures/heap-text/leaker.txt', import.meta.url));
    const { code, out } = await call(heap);
    assert.equal(code, EXIT.done);
    assert.match(out, /carry no pprof labels .*inferred/);
    assert.match(out, /^OWNER \(INFERRED\) +MIB +OBJECTS +SAMPLES$/m);
    assert.equal((await json(heap)).inferred, true);
    assert.equal((await call(heap, '--orphans', '--live-from', 'live.txt')).code, EXIT.couldNotObserve);
  });

  test('refuses arguments that make no sense', async () => {
    const file = `${leakdemo}go1.27/t3/goroutine.debug1.txt`;
    for (const wrong of [
      [],
      [file, '--by', ''],
      [file, '--top', 'x'],
      [file, '-o', 'xml'],
      [file, '--orphans'],
      [file, '--no'],
    ]) {
      const { code, err } = await call(...wrong);
      assert.equal(code, EXIT.usage, err);
      assert.match(err, /^oakum: .*; see oakum labels --help\n$/);
    }
    for (const [live, message] of [
      ['absent', /--live-from absent: no such file or directory/],
      ['exit 3 # now', /exit 3/],
      ['echo ""', /names no tenant/],
    ] as const) {
      const { code, err } = await call(file, '--orphans', '--live-from', live);
      assert.equal(code, EXIT.couldNotObserve);
      assert.match(err, message);
    }
    assert.equal((await call('absent.txt')).code, EXIT.couldNotObserve);
    assert.equal((await call(`${leakdemo}go1.27/t3/threadcreate.debug1.txt`)).code, EXIT.couldNotObserve);
    assert.match((await call('--help')).out, /^Usage: oakum labels/);
  });
});
