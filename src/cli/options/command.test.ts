import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { memoryIo } from '../../../test/double/memory-io.ts';
import { commandLine, defineCommand } from './command.ts';
import { choice, duration, flag, list, texts, wholeNumber } from './kinds.ts';
import { EXIT, Failure } from '../../base/errors.ts';

const line = commandLine({
  name: 'say',
  usage: ['WORD [options]'],
  examples: [['oakum say hello', 'once']],
  about: 'Says a word.',
  operands: {},
  options: {
    times: wholeNumber(0)({ short: 't', default: '1', help: 'how often' }),
    loudness: choice(['soft', 'loud'])({ help: '' }),
    pause: duration({ needs: ['times'], help: 'between words', defaultNote: 'none' }),
    quiet: flag({ short: 'q', excludes: ['loudness'], help: 'say nothing' }),
    echo: texts({ placeholder: 'WORD', help: 'said too' }),
    only: list(['a', 'b'])({ default: '', help: '' }),
  },
  request: (values, operands) => {
    const [word, more] = operands;
    if (word === undefined || more !== undefined) throw new Failure('usage', 'say takes one word');
    return { ...values, word };
  },
});

const say = defineCommand(line, async (request, io) => {
  if (request.word === 'bug') throw new TypeError('x is undefined');
  io.stdout.write(JSON.stringify(request));
  return EXIT.leakFound;
});

async function call(...argv: string[]): Promise<{ code: number; out: string; err: string }> {
  const io = memoryIo();
  const code = await say.run(argv, io, { programName: 'oakum', commands: [] });
  return { code, out: io.out(), err: io.err() };
}

const parsed = async (...argv: string[]): Promise<Readonly<Record<string, unknown>>> =>
  JSON.parse((await call(...argv)).out);

describe('a command', () => {
  it('gets its request, and returns its exit code', async () => {
    const { code, out, err } = await call('a', '-t', '3');
    assert.deepEqual([code, err], [EXIT.leakFound, '']);
    assert.deepEqual(JSON.parse(out), { times: 3, quiet: false, echo: [], only: [], word: 'a' });
  });

  it('reads options in every form', async () => {
    for (const argv of [['-t3'], ['-t=3'], ['--times=3'], ['--times', '3'], ['-qt', '3'], ['-t', '1', '--times', '3']])
      assert.equal((await parsed('a', ...argv)).times, 3, argv.join(' '));
    assert.deepEqual((await parsed('a', '--echo', 'x', '--echo=--y', '--echo', '-')).echo, ['x', '--y', '-']);
    assert.deepEqual((await parsed('--only', 'b,a', 'a')).only, ['b', 'a']);
    assert.equal((await parsed('--pause', '2m', '-t1', 'a')).pause, 120);
    assert.equal((await parsed('-q', '--', '--times')).word, '--times');
    assert.equal((await parsed('-')).word, '-');
  });

  it('answers --help before it checks values', async () => {
    for (const argv of [['--help'], ['-h', 'a', 'b'], ['--times', 'x', '--help']]) {
      const { code, out, err } = await call(...argv);
      assert.deepEqual([code, err], [EXIT.done, '']);
      assert.match(
        out,
        /^Usage: oakum say WORD \[options\]\n\n {2}oakum say hello {2}once\n\nSays a word\.\n\nOptions:\n/,
      );
      assert.match(out, /^ {2}-t, --times N +how often \(default 1\)$/m);
      assert.match(out, /^ {6}--loudness NAME +soft or loud$/m);
      assert.match(out, /^ {6}--pause TIME +between words \(default none\)$/m);
      assert.match(out, /^ {6}--echo WORD +said too \(may be repeated\)$/m);
    }
  });

  it('explains a mistake in one line, and points to the help', async () => {
    for (const [argv, problem] of [
      [[], 'say takes one word'],
      [['--nosuch'], 'unknown option --nosuch'],
      [['-x'], 'unknown option -x'],
      [['--times'], '--times needs a value'],
      [['--times', '--quiet'], '--times needs a value'],
      [['--quiet=yes', 'a'], '--quiet takes no value'],
      [['--times', '-5', 'a'], '--times takes a whole number, not -5'],
      [['--times', '1e3', 'a'], '--times takes a whole number, not 1e3'],
      [['--loudness', 'shrill', 'a'], '--loudness takes soft or loud, not shrill'],
      [['--loudness=', 'a'], '--loudness takes soft or loud, not ""'],
      [['--only', 'a,c', 'a'], '--only takes one or more of a and b, not a,c'],
      [['--pause', '3', '-t1', 'a'], '--pause takes a time such as 30s, 5m or 7d, not 3'],
      [['--pause', '3s', 'a'], '--pause needs --times'],
      [['-q', '--loudness', 'soft', 'a'], '--quiet and --loudness exclude each other'],
      [['--times', 'a\nb', 'a'], '--times takes a whole number, not "a\\nb"'],
      [['--times', '\x1b[31m', 'a'], '--times takes a whole number, not \\x1b[31m'],
      [['--times', 'x'.repeat(10_000), 'a'], `--times takes a whole number, not ${'x'.repeat(80)}...`],
    ] as const) {
      const expected = { code: EXIT.usage, out: '', err: `oakum: ${problem}; see oakum say --help\n` };
      assert.deepEqual(await call(...argv), expected);
    }
  });

  it('suggests the option that was probably meant', async () => {
    for (const [typed, meant] of [
      ['--tmies', '--times'],
      ['--time', '--times'],
      ['--loudnes=soft', '--loudness'],
      ['-times', '--times'],
      ['-echo=a', '--echo'],
    ]) {
      const flagPart = typed?.split('=')[0];
      const expected = `oakum: unknown option ${flagPart}; did you mean ${meant}?\n`;
      assert.deepEqual(await call(typed ?? ''), { code: EXIT.usage, out: '', err: expected });
    }
  });

  it('with a bug says so', async () => {
    const { code, err } = await call('bug');
    assert.equal(code, EXIT.internalError);
    assert.equal(err, 'oakum: internal error: x is undefined (set OAKUM_DEBUG=1 to see where)\n');
  });
});
