import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { RECORDINGS } from '../../../test/places.ts';
import type { Detection } from '../../judge/detect/recorded-detection.ts';
import { memoryIo, type MemoryIo } from '../../../test/double/memory-io.ts';
import { run as runOakum } from '../run.ts';

const LAB = join(RECORDINGS, 'lab');
const START = Date.UTC(2026, 7, 4) / 1000;
const STEP_SECONDS = 600;

type Level = (hour: number) => number;

/** An answer of query_range over `days`, one series per target. */
function answer(metric: string, days: number, levels: Readonly<Record<string, Level>>): string {
  const steps = (days * 86_400) / STEP_SECONDS;
  const result = Object.entries(levels).map(([node, level]) => ({
    metric: { __name__: metric, node, instance: `${node}:10250`, job: 'kubelet' },
    values: Array.from({ length: steps }, (_, i) => [
      START + i * STEP_SECONDS,
      String(level((i * STEP_SECONDS) / 3600)),
    ]),
  }));
  return JSON.stringify({ status: 'success', data: { resultType: 'matrix', result } });
}

/** Noise without a trend, the same on every run. */
const noise: Level = hour => Math.round(6 * Math.sin(hour * 12.9898) + 4 * Math.sin(hour * 78.233));

let folder = '';
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'oakum-detect-'));
  const levels = { leaky: (hour: number) => 300 + 3 * hour + noise(hour), calm: (hour: number) => 300 + noise(hour) };
  await writeFile(join(folder, 'goroutines.json.gz'), gzipSync(answer('kubelet_goroutines', 14, levels)));
  await writeFile(join(folder, 'pods.json'), answer('kubelet_running_pods', 14, { leaky: () => 40, calm: () => 40 }));
  await writeFile(join(folder, 'short.json'), answer('go_goroutines', 0.5, { young: hour => 100 + noise(hour) }));
});
after(() => rm(folder, { recursive: true }));

async function run(...argv: string[]): Promise<{ io: MemoryIo; code: number }> {
  const io = memoryIo({ cwd: folder, env: { LANG: 'C.UTF-8' } });
  return { io, code: await runOakum(['detect', ...argv], io) };
}

async function detect(...argv: string[]): Promise<Detection> {
  const { io, code } = await run(...argv, '-o', 'json');
  assert.equal(code, 0, io.err());
  return JSON.parse(io.out()) as Detection;
}

const verdicts = ({ targets }: Detection): Record<string, string> =>
  Object.fromEntries(targets.map(({ target, verdict }) => [target, verdict]));

describe('oakum detect', () => {
  it('finds the leak of two nodes, from compressed answers of Prometheus under another name', async () => {
    const detection = await detect('goroutines.json.gz', 'pods.json');
    assert.deepEqual(verdicts(detection), { leaky: 'leak', calm: 'healthy' });
    const [{ resources, sampleCount }] = detection.targets;
    assert.equal(sampleCount, 2016);
    assert.equal(resources[0].metric, 'go_goroutines');
    assert.ok(Math.abs((resources[0].slopePerHour ?? 0) - 3) < 0.3, String(resources[0].slopePerHour));
    assert.match(detection.inputs.notes[0], /kubelet_goroutines is read as go_goroutines$/);
  });

  it('prints a table with a sparkline, and exits as --fail-on says', async () => {
    const { io, code } = await run('.', '--fail-on', 'leak');
    assert.equal(code, 1);
    assert.match(io.out(), /^1 of 3 targets leaks: leaky \(goroutines\), 1 unknown\n/);
    assert.match(io.out(), /^leak +leaky +goroutines +1,\d{3} +\+[23]\.?\d*\/h \(.* to .*\).* ▁.*█$/m);
    assert.match(io.out(), /^unknown +young/m);
    const ascii = await run('.', '--ascii', '--only', 'leak');
    assert.equal(ascii.code, 0);
    assert.match(ascii.io.out(), /^[\x20-\x7e\n]*$/);
    assert.doesNotMatch(ascii.io.out(), /^healthy/m);
    assert.equal((await run('short.json', '--fail-on', 'watch')).code, 0);
  });

  it('judges as of a time, and replays how the verdicts changed', async () => {
    const early = await detect('goroutines.json.gz', 'pods.json', '--at', '2026-08-04T12:00Z');
    assert.deepEqual(verdicts(early), { leaky: 'unknown', calm: 'unknown' });
    const { io } = await run('goroutines.json.gz', 'pods.json', '--replay', '--every', '12h');
    const changes = io.out().split('\n');
    const watch = changes.findIndex(line => / leaky goroutines \w+ -> watch$/.test(line));
    const leak = changes.findIndex(line => / leaky goroutines watch -> leak$/.test(line));
    assert.ok(watch >= 0 && leak > watch, io.out());
    assert.ok(changes[leak] < '2026-08-09', changes[leak]);
    assert.doesNotMatch(io.out(), / calm .* -> (?:watch|leak)/);
  });

  it('reads standard input', async () => {
    const text = answer('go_goroutines', 1, { a: () => 5 });
    const io = memoryIo({ stdin: text, cwd: folder });
    assert.equal(await runOakum(['detect', '-', '-o', 'json'], io), 0, io.err());
    assert.equal((JSON.parse(io.out()) as Detection).targets[0].target, 'a');
  });

  it('explains wrong arguments, and what it could not observe', async () => {
    for (const [argv, code, message] of [
      [[], 2, /no files given/],
      [['x', '-o', 'yaml'], 2, /--output takes text, wide or json, not yaml/],
      [['x', '--at', 'now'], 2, /--at takes a time such as/],
      [['x', '--every', '6h'], 2, /--every needs --replay/],
      [['x', '--replay', '--every', '6'], 2, /--every takes a time such as/],
      [['x', '--memory-limit', 'lots'], 2, /--memory-limit takes a size such as 512Mi/],
      [['x', '--time-scale', '0'], 2, /--time-scale takes a number above 0/],
      [['x', '--only', 'healthy'], 2, /--only takes leak or watch/],
      [['x', '--fail-on', 'unknown'], 2, /--fail-on takes leak or watch/],
      [['missing'], 3, /missing: no such file or directory\noakum: no metrics in missing/],
      [['short.json', '--at', '2020-01-01'], 3, /nothing was recorded until 2020-01-01T00:00:00Z/],
    ] as const) {
      const { io, code: got } = await run(...argv);
      assert.equal(got, code, argv.join(' '));
      assert.match(io.err(), message);
      assert.equal(io.out(), '');
    }
  });
});

/**
 * Half an hour of a cluster whose kubelets sync every one to ten seconds instead of every minute. Treated as five days,
 * which is enough for the detector's warm-up and windows.
 */
describe('oakum detect on the recorded cluster', () => {
  const nodes = ['leak-a', 'leak-b', 'leak-d', 'fix-a', 'fix-b', 'fix-d', 'fix-e', 'xctl-fl'];
  let found: Record<string, string> = {};
  before(async () => {
    const detection = await detect(
      ...nodes.map(node => join(LAB, node)),
      '--time-scale',
      '240',
      '--least-growth',
      'live heap=1Mi',
    );
    found = verdicts(detection);
  });

  it('covers every node', () => {
    assert.deepEqual(Object.keys(found).sort(), [...nodes].sort());
  });

  for (const node of nodes) {
    const leaks = node.startsWith('leak');
    it(`${node}: ${leaks ? 'leaks' : 'does not leak'}`, () => {
      assert.equal(found[node] === 'leak', leaks, found[node]);
    });
  }
});
