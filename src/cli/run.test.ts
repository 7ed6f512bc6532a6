import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { FormatError, EXIT } from '../base/errors.ts';
import { COMMANDS } from './command-table.ts';
import { memoryIo } from '../../test/double/memory-io.ts';
import { programNameOf, run } from './run.ts';
import { reportFailure } from './io.ts';

async function call(...argv: string[]): Promise<{ code: number; out: string; err: string }> {
  const io = memoryIo();
  const code = await run(argv, io);
  return { code, out: io.out(), err: io.err() };
}

describe('oakum', () => {
  it('names the input it cannot read', async () => {
    for (const argv of [
      ['labels', '/'],
      ['convert', '/', '-o', '-', '--to', 'folded'],
      ['bundle', 'verify', '/'],
    ]) {
      const { code, err } = await call(...argv);
      assert.equal(code, EXIT.couldNotObserve, argv.join(' '));
      assert.equal(err, 'oakum: /: is a directory\n', argv.join(' '));
    }
  });

  it('starts its help with three examples and lists the commands', async () => {
    const { code, out, err } = await call('--help');
    assert.equal(code, EXIT.done);
    assert.equal(err, '');
    assert.match(out, /^Examples:\n( {2}oakum .*\n){3}\nUsage: oakum /);
    for (const [name, { summary, load }] of Object.entries(COMMANDS)) {
      const command = await load();
      assert.equal(command.name, name);
      assert.match(out, new RegExp(`^  ${name} +${summary}$`, 'm'));
    }
    assert.equal((await call()).out, out, 'no arguments: the same');
    assert.equal((await call('help')).out, out);
  });

  it('uses the name that the user typed', async () => {
    const io = memoryIo();
    await run(['-h'], io, programNameOf('/usr/local/bin/kubectl-oakum'));
    assert.match(io.out(), /^Usage: kubectl oakum /m);
    for (const argv of [
      ['analyze', '--help'],
      ['help', 'analyze'],
    ]) {
      const own = memoryIo();
      await run(argv, own, 'kubectl oakum');
      assert.match(own.out(), /^Usage: kubectl oakum analyze PATH/);
      assert.match(own.out(), /^ {2}kubectl oakum analyze \.\/worker-17\//m);
    }
    for (const name of ['pprof', 'labels', 'convert', 'catalogue']) {
      const own = memoryIo();
      await run([name, '--help'], own, 'kubectl oakum');
      assert.match(own.out(), new RegExp(`^Usage: kubectl oakum ${name} `));
      assert.doesNotMatch(own.out(), /^ *oakum /m);
    }
    const wrong = memoryIo();
    await run(['labels', '--nosuch'], wrong, 'kubectl oakum');
    assert.equal(wrong.err(), 'oakum: unknown option --nosuch; see kubectl oakum labels --help\n');
    assert.equal(programNameOf('C:\\tools\\kubectl-oakum'), 'kubectl oakum');
    assert.equal(programNameOf('/home/kubectl-fan/bin/oakum.js'), 'oakum');
  });

  it('answers a mistake in one line, with the nearest name', async () => {
    assert.deepEqual(await call('pprf'), {
      code: EXIT.usage,
      out: '',
      err: 'oakum: unknown command pprf; did you mean pprof?\n',
    });
    const far = 'oakum: unknown command zzzzzz; see oakum --help\n';
    assert.equal((await call('zzzzzz')).err, far);
    assert.equal((await call('help', 'zzzzzz')).err, far);
    assert.deepEqual(await call('--no-such'), {
      code: EXIT.usage,
      out: '',
      err: 'oakum: unknown option --no-such; see oakum --help\n',
    });
  });

  it('does the obvious without a command: analyzes files and what is piped in', async () => {
    const paste = 'goroutine 8 [chan receive, 42 minutes]:\nmain.(*agent).check()\n\t/src/agent.go:513 +0x30\n';
    const piped = memoryIo({ stdin: paste });
    assert.equal(await run([], piped), EXIT.done);
    assert.match(piped.out(), /main\.\(\*agent\)\.check/);
    const dash = memoryIo({ stdin: paste });
    assert.equal(await run(['-', '-o', 'json'], dash), EXIT.done);
    assert.match(dash.out(), /"schema": "oakum\.analysis\/v1"/);
    const folder = mkdtempSync(join(tmpdir(), 'oakum-run-'));
    writeFileSync(join(folder, 'dump.txt'), paste);
    assert.match((await call(join(folder, 'dump.txt'))).out, /main\.\(\*agent\)\.check/);
    rmSync(folder, { recursive: true });
    assert.equal(
      (await call('./such.pb.gz')).err,
      'oakum: ./such.pb.gz: no such file, and no target; see oakum --help\n',
    );
  });

  it('and triages targets', async () => {
    const { code, err } = await call('http://127.0.0.1:1');
    assert.equal(code, EXIT.couldNotObserve);
    assert.match(err, /127\.0\.0\.1:1/);
  });

  it('prints its version', async () => {
    assert.match((await call('version')).out, /^oakum \d+\.\d+\.\d+ \(node v/);
    assert.match((await call('--version')).out, /^oakum \d+\.\d+\.\d+ /);
    assert.equal((await call('version', 'extra')).code, EXIT.usage);
  });

  it('prints completion scripts for three shells', async () => {
    for (const shell of ['bash', 'zsh', 'fish']) {
      const { code, out } = await call('completion', shell);
      assert.equal(code, EXIT.done);
      assert.match(out, /pprof/);
      assert.match(out, /diff_base/);
    }
    for (const wrong of [[], ['tcsh'], ['constructor'], ['bash', 'zsh']]) {
      assert.equal((await call('completion', ...wrong)).code, EXIT.usage);
    }
  });
});

describe('a failure', () => {
  const report = (error: unknown, env: Record<string, string> = {}): { code: number; err: string } => {
    const io = memoryIo({ env });
    return { code: reportFailure(error, io), err: io.err() };
  };

  it('in the input is one line with its position', () => {
    const error = new FormatError('bad varint', { offset: 17 });
    assert.deepEqual(report(error), { code: EXIT.couldNotObserve, err: 'oakum: bad varint at byte 17\n' });
  });

  it('of the system names the file', () => {
    const error = Object.assign(new Error('ENOENT: no such file'), {
      code: 'ENOENT',
      syscall: 'open',
      path: 'a.pb.gz',
    });
    const expected = { code: EXIT.couldNotObserve, err: 'oakum: a.pb.gz: no such file or directory\n' };
    assert.deepEqual(report(error), expected);
  });

  it('of our own says so, and where if OAKUM_DEBUG is set', () => {
    const quiet = report(new Error('bug: a\nb'));
    assert.equal(quiet.code, EXIT.internalError);
    assert.equal(quiet.err, 'oakum: internal error: bug: a b (set OAKUM_DEBUG=1 to see where)\n');
    assert.match(
      report(new Error('bug'), { OAKUM_DEBUG: '1' }).err,
      /^Error: bug\n {4}at [\s\S]*\noakum: internal error: bug\n$/,
    );
    assert.equal(report('a string').err, 'oakum: internal error: a string (set OAKUM_DEBUG=1 to see where)\n');
  });
});
