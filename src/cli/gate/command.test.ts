import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import { type GoDaemon, startGoDaemon } from '../../../test/double/go-daemon.ts';
import { type MemoryIo, memoryIo } from '../../../test/double/memory-io.ts';
import { run } from '../run.ts';
import { EXIT } from '../../base/errors.ts';

const folder = mkdtempSync(join(tmpdir(), 'oakum-gate-'));
let daemon: GoDaemon;
before(async () => void (daemon = await startGoDaemon()));
// A repository with the file of the stack, which was built elsewhere.
mkdirSync(join(folder, '.git'));
mkdirSync(join(folder, 'app'));
writeFileSync(join(folder, 'app/main.go'), 'package main\n');
/** Each line is ten operations, which leave ten goroutines behind. A shell is sooner there than an HTTP client. */
const done = join(folder, 'done');
beforeEach(() => {
  writeFileSync(done, '');
  const stuck = (): number => 20 + 10 * (readFileSync(done, 'utf8').split('\n').length - 1);
  Object.defineProperty(daemon, 'stuck', { get: stuck, set: () => {}, configurable: true });
});
after(async () => {
  await daemon.close();
  rmSync(folder, { recursive: true, force: true });
});

async function gate(env: Record<string, string>, ...args: string[]): Promise<{ code: number; io: MemoryIo }> {
  const io = memoryIo({ cwd: folder, env: { ...process.env, ...env } });
  return { code: await run(['gate', ...args], io), io };
}

const NODE = process.execPath;
const LEAKING = ['--', 'sh', '-c', 'echo >> done; echo OAKUM_OPERATIONS=10'];
const common = (): string[] => ['--target', daemon.url, '--settle', '0.01s', '--wait', '1s'];

describe('oakum gate', () => {
  it('fails on a leak, with every kind of output and the evidence', async () => {
    const outputs = ['text', 'junit=leaks.xml', 'sarif=leaks.sarif', 'json=gate.json'].flatMap(one => ['-o', one]);
    const env = { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: join(folder, 'summary.md') };
    const { code, io } = await gate(env, ...common(), '--evidence', 'kept', ...outputs, ...LEAKING);
    assert.equal(code, EXIT.leakFound, io.err());
    assert.match(io.out(), /^LEAKS {2}Each operation leaves 1 goroutine behind\.\n/);
    assert.match(io.out(), /LEAK {2}main\.forward.* {2}app\/main\.go:37/);
    assert.match(io.out(), /^::error file=app\/main\.go,line=37,title=Leak%3A main\.forward/m);
    assert.match(io.err(), /^round 1: 10 operations\n/);
    assert.match(readFileSync(join(folder, 'leaks.xml'), 'utf8'), /<failure type="leak"/);
    assert.match(readFileSync(join(folder, 'summary.md'), 'utf8'), /### ❌ Leak gate: leaks/);
    assert.ok(existsSync(join(folder, 'leaks.sarif')) && existsSync(join(folder, 'gate.json')));
    assert.ok(readdirSync(join(folder, 'kept')).includes('round-01'));
    assert.match(readFileSync(join(folder, 'kept/command.log'), 'utf8'), /OAKUM_OPERATIONS=10/);
    const again = memoryIo({ cwd: folder });
    await run(['analyze', 'kept', '--operations', '90'], again);
    assert.match(again.out(), /main\.forward/);
  });

  it('passes what leaves nothing behind', async () => {
    const { code, io } = await gate({}, ...common(), '--operations', '1000', '--evidence', 'quiet', '--', 'true');
    assert.equal(code, EXIT.done, io.err());
    assert.match(io.out(), /^WITHIN BUDGET/);
  });

  it('names a command that fails, and what it said', async () => {
    const { code, io } = await gate(
      {},
      ...common(),
      '--evidence',
      'failed',
      '--',
      NODE,
      '-e',
      'console.log("no cluster"); process.exit(3)',
    );
    assert.equal(code, EXIT.actionFailed);
    assert.match(io.err(), /round 1: \S+ exited with 3: no cluster; evidence in failed\n$/);
  });

  it('starts the program under test, and says how it ended if it does', async () => {
    const { code, io } = await gate(
      {},
      '--target',
      'http://127.0.0.1:1',
      '--start',
      'sh -c "echo no port >&2; exit 9"',
      '--',
      'true',
    );
    assert.equal(code, EXIT.couldNotObserve);
    assert.match(io.err(), /the started program ended before it answered: it exited with 9: no port/);
  });

  it('refuses a wrong budget, a missing command and a target that is not there', async () => {
    writeFileSync(join(folder, 'bad.yaml'), 'budgets: [{ resource: memory, max: 1 }]');
    const bad = await gate({}, ...common(), '--budget', 'bad.yaml', '--', 'true');
    assert.equal(bad.code, EXIT.usage);
    assert.match(bad.io.err(), /bad\.yaml: budgets\[0\]\.resource: must be one of/);
    writeFileSync(join(folder, 'broken.yaml'), 'budgets: [');
    assert.match((await gate({}, ...common(), '--budget', 'broken.yaml', '--', 'true')).io.err(), /broken\.yaml: /);
    assert.match((await gate({}, ...common())).io.err(), /gate needs a command after --/);
    const gone = await gate({}, '--target', 'http://127.0.0.1:1', '--wait', '0', '--evidence', 'gone', '--', 'true');
    assert.equal(gone.code, EXIT.couldNotObserve);
    assert.match(gone.io.err(), /refuses the connection/);
  });

  it('writes a budget and a baseline from what is there, with which it then passes', async () => {
    mkdirSync(join(folder, 'ci'));
    const file = ['--budget', 'ci/gate.yaml'];
    const { code, io } = await gate({}, 'init', ...common(), ...file, '--evidence', 'first', ...LEAKING);
    assert.equal(code, EXIT.done, io.err());
    assert.match(io.err(), /wrote ci\/gate\.yaml and ci\/oakum\.baseline\.json\n$/);
    const text = readFileSync(join(folder, 'ci/gate.yaml'), 'utf8');
    assert.match(text, /^baseline: oakum\.baseline\.json$/m);
    assert.match(text, /- \{ resource: goroutines, max: 0\.01 \} # now 1 \(/);
    const again = await gate({}, ...common(), ...file, '--evidence', 'second', ...LEAKING);
    assert.equal(again.code, EXIT.done, again.io.out());
    assert.match(
      (await gate({}, 'init', ...common(), ...file, ...LEAKING)).io.err(),
      /ci\/gate\.yaml is there already/,
    );
  });

  it('takes rounds from a test harness, with its state in a folder', async () => {
    const { code, io } = await gate({}, 'begin', ...common(), '--per', 'workspace');
    assert.equal(code, EXIT.done, io.err());
    assert.match((await gate({}, 'begin', ...common())).io.err(), /a gate has begun in oakum-gate already/);
    assert.match((await gate({}, 'end')).io.err(), /has no rounds/);
    let said = 'continue\n';
    for (let round = 1; round < 40 && said === 'continue\n'; round++) {
      writeFileSync(done, '\n'.repeat(round));
      const step = await gate({}, '--via-client', 'round', '--operations', '10');
      assert.equal(step.code, EXIT.done, step.io.err());
      said = step.io.out();
    }
    assert.equal(said, 'leaks\n');
    const end = await gate({}, 'end', '-o', 'text', '-o', 'junit=client.xml');
    assert.equal(end.code, EXIT.leakFound, end.io.err());
    assert.match(end.io.out(), /^LEAKS {2}Each workspace leaves 1 goroutine behind\.\n/);
    assert.match(end.io.out(), /started during the run and still there: 120, 121/);
    assert.match((await gate({}, 'round')).io.err(), /has ended/);
    assert.match((await gate({}, 'round', '--evidence', 'none')).io.err(), /no gate has begun in none/);
  });

  it('compares two builds, each at its own address', async () => {
    const quiet = await startGoDaemon(20);
    const targets = ['--target', quiet.url, '--target', daemon.url];
    const churn = ['--', 'sh', '-c', 'if [ $OAKUM_BUILD = head ]; then echo >> done; fi; echo OAKUM_OPERATIONS=10'];
    const builds = ['--compare', 'sleep 60', 'sleep 61', '--settle', '0.01s', '--evidence', 'ab'];
    const { code, io } = await gate({}, ...builds, ...targets, ...churn);
    await quiet.close();
    assert.equal(code, EXIT.leakFound, io.err());
    assert.match(io.out(), /^LEAKS {2}Each operation leaves 1 goroutine more behind than with sleep 60\.\n/);
    assert.deepEqual(
      readdirSync(join(folder, 'ab')).filter(name => /^(?:base|head)$/.test(name)),
      ['base', 'head'],
    );
  });

  it('compares two builds at one address by turns', async () => {
    const churn = ['--', 'sh', '-c', 'if [ $OAKUM_BUILD = head ]; then echo >> done; fi; echo OAKUM_OPERATIONS=10'];
    const { code, io } = await gate(
      {},
      '--compare',
      'sleep 60',
      'sleep 61',
      ...common(),
      '--evidence',
      'turns',
      ...churn,
    );
    assert.equal(code, EXIT.leakFound, io.err());
    assert.match(io.out(), /^LEAKS {2}Each operation leaves 1 goroutine more behind than with sleep 60\.\n/);
    assert.match((await gate({}, '--compare', 'x', ...common(), ...churn)).io.err(), /--compare takes two builds/);
  });

  it('tells a crash from a leak, with the last words of the program', async () => {
    const crashing = `sh -c 'echo "panic: assignment to entry in nil map"; echo "goroutine 1 [running]:"; until [ -e crash-now ]; do sleep 0.05; done; exit 2'`;
    const { code, io } = await gate(
      {},
      ...common(),
      '--start',
      crashing,
      '--evidence',
      'crash',
      '--',
      'sh',
      '-c',
      'touch crash-now; exit 7',
    );
    assert.equal(code, EXIT.couldNotObserve);
    assert.match(
      io.err(),
      /the target crashed: round 1: sh exited with 7; the started program exited with 2: panic: assignment to entry in nil map; evidence in crash\n$/,
    );
    assert.match(readFileSync(join(folder, 'crash/target.log'), 'utf8'), /goroutine 1/);
  });
});
