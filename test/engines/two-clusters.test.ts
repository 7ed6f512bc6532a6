/**
 * Two clusters in one database, with equal names of nodes and equal addresses: each engine gives the answer that the
 * same samples give as a file.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it, type TestContext } from 'node:test';
import { run } from '../../src/cli/run.ts';
import { memoryIo } from '../double/memory-io.ts';
import { missingProgram, type RunningEngine, startEngine } from './engine-process.ts';

const MIB = 1024 * 1024;
const DAYS = 12;
const STEP_SECONDS = 600;
const NOW = Math.floor(Date.now() / 1000);
const BEGIN = NOW - DAYS * 86_400;

const PROCESSES = ['eu', 'us'].flatMap(cluster =>
  ['worker-1', 'worker-2', 'worker-3', 'worker-4'].map((node, i) => ({
    labels: `cluster="${cluster}",job="kubelet",node="${node}",instance="10.0.0.${i + 1}:10250"`,
    // Only one of the two nodes of this name leaks.
    leaks: cluster === 'eu' && node === 'worker-1',
    phase: i + (cluster === 'eu' ? 0 : 5),
  })),
);

const wave = (hours: number): number => Math.sin((hours / 24) * 2 * Math.PI);

type Process = (typeof PROCESSES)[number];

const METRICS: Readonly<Record<string, (process: Process, hours: number) => number>> = {
  go_gc_heap_live_bytes: ({ leaks, phase }, hours) =>
    40 * MIB + (leaks ? 0.6 * MIB * hours : 0) + 2 * MIB * wave(hours + phase) + MIB * wave(7 * hours + phase),
  go_goroutines: ({ phase }, hours) => 300 + Math.round(10 * wave(5 * hours + phase)),
  kubelet_running_pods: () => 30,
  process_start_time_seconds: () => BEGIN - 86_400,
};

/** As OpenMetrics; the import of VictoriaMetrics takes milliseconds. */
function samples(perSecond: 1 | 1000): string {
  const lines: string[] = [];
  for (const [name, valueAt] of Object.entries(METRICS)) {
    lines.push(`# TYPE ${name} gauge`);
    for (const process of PROCESSES)
      for (let at = BEGIN; at <= NOW; at += STEP_SECONDS)
        lines.push(`${name}{${process.labels}} ${valueAt(process, (at - BEGIN) / 3600)} ${at * perSecond}`);
  }
  return `${lines.join('\n')}\n${perSecond === 1 ? '# EOF\n' : ''}`;
}

interface Answer {
  readonly target: string;
  readonly verdict: string;
  readonly slopePerHour: number;
}

async function detect(cwd: string, ...args: string[]): Promise<readonly Answer[]> {
  const io = memoryIo({ cwd });
  assert.equal(await run(['detect', ...args, '-o', 'json'], io), 0, io.err());
  const { targets } = JSON.parse(io.out()) as {
    targets: { target: string; verdict: string; resources: { resource: string; slopePerHour: number }[] }[];
  };
  return targets
    .map(({ target, verdict, resources }) => ({
      target,
      verdict,
      slopePerHour: resources.find(({ resource }) => resource === 'live heap')?.slopePerHour ?? NaN,
    }))
    .sort((a, b) => (a.target < b.target ? -1 : 1));
}

const namesAndVerdicts = (answers: readonly Answer[]): string[] =>
  answers.map(({ target, verdict }) => `${target} ${verdict}`);

function assertSame(found: readonly Answer[], expected: readonly Answer[]): void {
  assert.deepEqual(namesAndVerdicts(found), namesAndVerdicts(expected));
  const [a, b] = [found, expected].map(all => all.find(({ verdict }) => verdict === 'leak')?.slopePerHour ?? NaN);
  assert.ok(Math.abs(a / b - 1) < 0.05, `${a} and ${b} bytes/h`);
}

describe('two clusters in one database', () => {
  const folder = mkdtempSync(join(tmpdir(), 'oakum-engines-'));
  let fromFile: readonly Answer[] = [];
  before(async () => {
    writeFileSync(join(folder, 'history.om'), samples(1));
    fromFile = await detect(folder, 'history.om');
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('are told apart in a file', () => {
    assert.deepEqual(namesAndVerdicts(fromFile), [
      'eu/worker-1 leak',
      ...['eu/worker-2', 'eu/worker-3', 'eu/worker-4'].map(name => `${name} healthy`),
      ...['us/worker-1', 'us/worker-2', 'us/worker-3', 'us/worker-4'].map(name => `${name} healthy`),
    ]);
  });

  it('are the same from a Prometheus', async t => {
    const missing = missingProgram(['prometheus', 'promtool']);
    if (missing !== undefined) return t.skip(`needs ${missing}`);
    const data = join(folder, 'prometheus');
    const made = spawnSync(
      'promtool',
      ['tsdb', 'create-blocks-from', 'openmetrics', '--max-block-duration=768h', 'history.om', data],
      {
        cwd: folder,
      },
    );
    assert.equal(made.status, 0, String(made.stderr));
    writeFileSync(join(folder, 'prometheus.yml'), '{}');
    const engine = await started(t, 'prometheus', '/-/ready', address => [
      `--config.file=${join(folder, 'prometheus.yml')}`,
      `--storage.tsdb.path=${data}`,
      '--storage.tsdb.retention.time=30d',
      `--web.listen-address=${address}`,
    ]);
    assertSame(await detect(folder, '--prometheus', engine.url), fromFile);
  });

  it('are the same from a VictoriaMetrics', async t => {
    const missing = missingProgram(['victoria-metrics']);
    if (missing !== undefined) return t.skip(`needs ${missing}`);
    const data = join(folder, 'victoria-metrics');
    mkdirSync(data);
    const engine = await started(t, 'victoria-metrics', '/health', address => [
      `-httpListenAddr=${address}`,
      `-storageDataPath=${data}`,
      '-retentionPeriod=1',
      '-search.latencyOffset=0s',
    ]);
    const posted = await fetch(`${engine.url}/api/v1/import/prometheus`, { method: 'POST', body: samples(1000) });
    assert.equal(posted.ok, true, await posted.text());
    // What was just written is otherwise found some seconds later.
    await fetch(`${engine.url}/internal/force_flush`);
    await fetch(`${engine.url}/internal/resetRollupResultCache`);
    assertSame(await detect(folder, '--prometheus', engine.url), fromFile);
  });
});

async function started(
  t: TestContext,
  program: string,
  ready: string,
  args: (address: string) => readonly string[],
): Promise<RunningEngine> {
  const engine = await startEngine(program, args, ready);
  t.after(engine.stop);
  return engine;
}
