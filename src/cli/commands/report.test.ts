import assert from 'node:assert/strict';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { RECORDINGS } from '../../../test/places.ts';
import { memoryIo, type MemoryIo } from '../../../test/double/memory-io.ts';
import { run } from '../run.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const LAB = join(RECORDINGS, 'lab');

let folder = '';
/** Evidence of a target with a name. */
const LEAKDEMO = 'worker-17';
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'oakum-report-'));
  await cp(join(ROOT, 'test/fixtures/captures/leakdemo/go1.27'), join(folder, LEAKDEMO), { recursive: true });
});
after(() => rm(folder, { recursive: true }));

async function report(...argv: string[]): Promise<{ code: number; io: MemoryIo }> {
  const io = memoryIo({ cwd: folder });
  return { code: await run(['report', ...argv], io), io };
}

async function written(...argv: string[]): Promise<string> {
  const { code, io } = await report(...argv);
  assert.equal(code, 0, io.err());
  return io.out();
}

describe('oakum report', () => {
  it('for upstream keeps the order of the template and hides names', async () => {
    const text = await written(LEAKDEMO, '--for', 'upstream', '--operations', '20');
    const headings = Array.from(text.matchAll(/^### (.*)$/gm), match => match[1]);
    assert.deepEqual(
      headings.map(heading => heading.split(' (')[0]),
      [
        'What happened?',
        'What did you expect to happen?',
        'How can we reproduce it',
        'Anything else we need to know?',
        'Kubernetes version',
        'Cloud provider',
        'OS version',
        'Install tools',
        'Container runtime',
        'Related plugins',
      ],
    );
    assert.match(text, /per operation/);
    assert.match(text, /Not known yet:\n\n- \[ \] /);
    assert.match(text, /Names of nodes, pods and users are hashed/);
    assert.doesNotMatch(text, /worker-17/);
    assert.ok(text.length < 60_000);
    assert.match(await written(LEAKDEMO, '--for', 'upstream', '--no-redact'), /worker-17/);
  });

  it('for a provider requests what is missing, and only that', async () => {
    const both = await written(LEAKDEMO, '--for', 'provider');
    assert.doesNotMatch(both, /GET \/debug\/pprof\/heap/);
    assert.match(both, /go_gc_heap_live_bytes/, 'there are no metrics');
    const one = await written(join(LEAKDEMO, 't0/heap.debug0.pb.gz'), '--for', 'provider');
    assert.match(one, /One more heap profile of .*GET \/debug\/pprof\/heap/);
    assert.match(one, /Two goroutine profiles of .*GET \/debug\/pprof\/goroutine/);
  });

  it('for an incident says what to do, with names', async () => {
    const text = await written(LEAKDEMO, '--for', 'incident');
    for (const heading of ['Timeline (UTC)', 'Verdict', 'Impact', 'What to do now', 'What not to do', 'Evidence']) {
      assert.ok(text.includes(`\n## ${heading}\n`), heading);
    }
    assert.match(text, /worker-17/);
    assert.doesNotMatch(await written(LEAKDEMO, '--for', 'incident', '--redact'), /worker-17/);
  });

  it('uses the names of a bundle', async () => {
    const io = memoryIo({ cwd: folder });
    assert.equal(await run(['bundle', LEAKDEMO, '-o', 'out.tar.gz'], io), 0, io.err());
    const token = /redacted-[a-z]{11}/.exec(io.out())?.[0] ?? 'none';
    assert.ok((await written('out.tar.gz', '--for', 'upstream')).includes(token));
    const { code } = await report('out.tar.gz', '--for', 'provider', '-o', 'ticket.md');
    assert.equal(code, 0);
    assert.match(await readFile(join(folder, 'ticket.md'), 'utf8'), /^\*\*Subject\*\*: /);
  });

  it('starts the timeline at the first sample of a recording, not at its end', async () => {
    const scrape = (i: number): string =>
      `# X scrape ts=${1794772000 + i * 60} node=worker-17 status=200\ngo_goroutines 238\ngo_gc_heap_live_bytes 12e6\n`;
    await writeFile(join(folder, 'recording.prom'), Array.from({ length: 30 }, (_, i) => scrape(i)).join(''));
    const text = await written('recording.prom', '--for', 'incident');
    assert.match(text, /- 2026-11-15T19:46:40Z first evidence of `worker-17`/);
    assert.match(text, /- 2026-11-15T20:15:40Z last evidence of `worker-17`/);
    assert.match(
      await written('recording.prom', '--for', 'upstream'),
      /- metrics: 1, 2026-11-15T19:46:40\.000Z to 2026-11-15T20:15:40\.000Z/,
    );
  });

  it('lets no name break out of its Markdown', async () => {
    const hostile = '<img/src=x>`|@team#1[a](http://x)';
    const metrics = (goroutines: number, at: number): string =>
      `# X scrape ts=${at} node=${hostile} status=200\ngo_goroutines ${goroutines}\nprocess_start_time_seconds 1794770000\n`;
    const text = Array.from({ length: 40 }, (_, i) => metrics(100 + i * 50, 1794772000 + i * 60)).join('');
    await writeFile(join(folder, 'metrics.prom'), text);
    for (const audience of ['upstream', 'incident', 'provider']) {
      const out = await written('metrics.prom', '--for', audience, '--no-redact');
      assert.ok(out.includes(hostile), 'unchanged inside code');
      const outside = out.replace(/^```[\s\S]*?^```$/gm, '').replace(/(`+)(?!`)[\s\S]*?[^`]\1(?!`)/g, '');
      assert.doesNotMatch(outside, /<img|[^\\]\[a\]\(http|@team|\|@/, audience);
    }
  });

  it('explains each failure and uses its exit code', async () => {
    await writeFile(join(folder, 'notes.txt'), 'hello');
    const cases: readonly (readonly [number, RegExp, ...string[]])[] = [
      [2, /needs --for/, LEAKDEMO],
      [2, /--for takes upstream, provider or incident, not boss/, LEAKDEMO, '--for', 'boss'],
      [2, /exclude each other/, LEAKDEMO, '--for', 'incident', '--redact', '--no-redact'],
      [2, /--operations takes/, LEAKDEMO, '--for', 'incident', '--operations', 'many'],
      [3, /missing: no such file/, 'missing', '--for', 'incident'],
      [4, /^oakum: open no\/where.md: no such file/, LEAKDEMO, '--for', 'incident', '-o', 'no/where.md'],
      [3, /nothing in notes.txt is a profile.*oakum analyze says/, 'notes.txt', '--for', 'incident'],
    ];
    for (const [code, message, ...argv] of cases) {
      const result = await report(...argv);
      assert.equal(result.code, code, argv.join(' '));
      assert.match(result.io.err(), message);
    }
  });
});

it('survives a time that no calendar can show', async () => {
  const stamp = '9'.repeat(23);
  await writeFile(
    join(folder, 'broken-clock.prom'),
    `go_goroutines 300 ${stamp}\nprocess_start_time_seconds 1e25 ${stamp}\ngo_goroutines 400 ${stamp}000\n`,
  );
  assert.match(await written('broken-clock.prom', '--for', 'incident', '--no-redact'), /- 1e\+25 s .* started/);
});

describe('oakum report on the recorded cluster', () => {
  it('leak-a for upstream: known, with build, growth and measurements', async () => {
    const text = await written(join(LAB, 'leak-a'), '--for', 'upstream');
    assert.match(text, /Before you file this.*`kubernetes#139823` \(confirmed\), fixed in 1\.36\.3/);
    assert.match(text, /`kubelet` v1\.36\.0 \(go1\.26\.7, build id [0-9a-f]{40}\)/);
    assert.match(text, /\| running pods \| 50 \| 50 \| 0 \|/);
    assert.match(text, /No growth of live heap while 50 pods run/);
    assert.doesNotMatch(text, /leak-a/);
  });

  it('fix-a for an incident: nothing to do', async () => {
    const text = await written(join(LAB, 'fix-a'), '--for', 'incident');
    assert.match(text, /^# HEALTHY: /);
    assert.match(text, /No growth was measured/);
  });
});
