import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EXIT } from '../../base/exit-codes.ts';
import { memoryIo } from '../../../test/double/memory-io.ts';
import { type Given, runRequest } from './usage.ts';

const OPTIONS = { times: { type: 'string', short: 't', default: '1' } } as const;

function parse({ values, positionals }: Given<typeof OPTIONS>): { word: string; times: number } | string {
  if (positionals.length === 1 && Number(values.times) < 0) return `--times ${values.times} is negative`;
  return positionals.length === 1 ? { word: positionals[0], times: Number(values.times) } : 'say takes one word';
}

async function say(...argv: string[]): Promise<{ code: number; out: string; err: string }> {
  const io = memoryIo();
  const usage = { command: 'say', help: 'Usage: oakum say WORD\n', options: OPTIONS, parse };
  const code = await runRequest(usage, argv, io, async ({ word, times }) => {
    io.stdout.write(word.repeat(times));
    return EXIT.leakFound;
  });
  return { code, out: io.out(), err: io.err() };
}

test('a command gets its request, and its code is the code', async () => {
  assert.deepEqual(await say('a', '-t', '3'), { code: EXIT.leakFound, out: 'aaa', err: '' });
});

test('help goes before what is wrong', async () => {
  for (const argv of [['--help'], ['-h', 'a', 'b']]) {
    assert.deepEqual(await say(...argv), { code: EXIT.done, out: 'Usage: oakum say WORD\n', err: '' });
  }
});

test('what is wrong is one line that leads to the help', async () => {
  for (const [argv, problem] of [
    [[], 'say takes one word'],
    [['a', '--no'], 'unknown option --no'],
    [['a', '--no=3'], 'unknown option --no'],
    [['a', '-x'], 'unknown option -x'],
    [['a', '-t'], '-t, --times needs a value'],
    [['a', '--times', '--help'], '--times needs a value'],
    [['a', '--help=3'], '-h, --help takes no value'],
    [['a', '--times', '-5'], '--times -5 is negative'],
    [['a', '--times', '-5', '--', '-3'], 'say takes one word'],
  ] as const) {
    assert.deepEqual(await say(...argv), {
      code: EXIT.usage,
      out: '',
      err: `oakum: ${problem}; see oakum say --help\n`,
    });
  }
});
