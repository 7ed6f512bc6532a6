import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type Outcome, runPipeline } from './run-example.ts';
import { makeSandbox, type Sandbox } from './sandbox.ts';
import { type Pipeline, shellLines } from './shell-line.ts';

let sandbox: Sandbox;
before(async () => {
  sandbox = await makeSandbox();
});
after(() => sandbox.remove());

async function example(line: string): Promise<Outcome> {
  const [pipeline] = shellLines(line)[0]?.pipelines ?? [];
  assert.ok(pipeline, line);
  return runPipeline(pipeline, sandbox.folder);
}

describe('an example', () => {
  it('of oakum runs, and the docs show its output', async () => {
    const { treatment, shown } = await example('oakum catalogue list | head -2');
    assert.equal(treatment, 'ran');
    assert.match(shown, /^ID .*\n[a-z-]+ .*\n$/);
  });

  it('writes to the file that its line names', async () => {
    await example('oakum rules > rules.yaml');
    assert.ok(existsSync(join(sandbox.folder, 'rules.yaml')));
  });

  it('reads the output of another program', async () => {
    assert.match((await example('journalctl -o json --since -6h | oakum cycle -')).shown, /OOM-killed/);
  });

  it('that needs more than a test has is only parsed', async () => {
    assert.equal((await example('oakum watch --capture --data /var/lib/oakum')).treatment, 'parsed');
    assert.equal((await example('oakum triage unix:///run/kcp/debug.sock --gap 15m')).treatment, 'parsed');
  });

  for (const [line, problem] of [
    ['oakum analyse ./worker-17/', /unknown command/],
    ['oakum watch --captures', /does not parse/],
    ['oakum triage pod/kcp/kcp-0:6443 --metric-only', /does not parse/],
    ['oakum analyze ./worker-17/ --fail-of leak', /exit 2/],
    ['oakum analyze ./no-such-folder/', /exit 3/],
    ['oakum pprof -topp heap.pb.gz', /exit 2/],
    ['npm run no-such-script', /no script/],
    ['node scripts/no-such-file.mjs', /no file/],
    ['rm -rf worker-17', /neither ours nor/],
  ] as const) {
    it(`with a mistake is found: ${line}`, async () => {
      await assert.rejects(example(line), problem);
    });
  }
});

describe('a line of a shell', () => {
  const words = (pipeline: Pipeline | undefined): (readonly string[])[] =>
    (pipeline ?? []).map(command => command.words);

  it('has words, quotes, pipes and a comment', () => {
    const [line] = shellLines("curl -s 'a b' | oakum catalogue show kubernetes#1 \\\n  -o json   # why");
    assert.deepEqual(words(line?.pipelines[0]), [
      ['curl', '-s', 'a b'],
      ['oakum', 'catalogue', 'show', 'kubernetes#1', '-o', 'json'],
    ]);
  });

  it('has several commands, and a file for the output', () => {
    const [line] = shellLines('oakum rules > r.yaml && promtool check rules r.yaml');
    assert.deepEqual(line?.pipelines, [
      [{ words: ['oakum', 'rules'], into: 'r.yaml' }],
      [{ words: ['promtool', 'check', 'rules', 'r.yaml'] }],
    ]);
    const [substituted] = shellLines('source <(oakum completion bash)');
    assert.deepEqual(substituted?.pipelines.map(words), [[['source']], [['oakum', 'completion', 'bash']]]);
  });
});
