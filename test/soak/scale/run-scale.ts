/**
 * Replicas of one watch under the load of many clusters, and what that costs.
 *
 *     exporter  <- targets x 200 KB each interval -  replicas  ->  PostgreSQL
 *
 * Everything shares this machine, so what counts is CPU time per sample, not how many samples a second there are.
 */
import { type ChildProcess, execFileSync, spawnSync } from 'node:child_process';
import { get, type IncomingMessage } from 'node:http';
import { get as getTls } from 'node:https';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { serverCpuSeconds } from '../../../bench/store/server-cpu.ts';
import { formatBytes } from '../../../src/base/say.ts';
import { PostgresServer } from '../../postgres/postgres-server.ts';
import { firstLine, readMetrics, ROOT, spawnNode } from '../node-process.ts';

export interface ScaleSoak {
  readonly replicas: number;
  readonly targets: number;
  /** How long it is measured, after the warm-up. */
  readonly minutes: number;
  readonly kilobytes: number;
  readonly intervalSeconds: number;
  /** Targets speak TLS, as kubelets do. */
  readonly isTls: boolean;
  readonly log: (line: string) => void;
}

interface Replica {
  readonly id: string;
  readonly process: ChildProcess;
  readonly url: string;
}

/** One replica over the measured time. */
interface ReplicaLoad {
  readonly id: string;
  readonly leads: boolean;
  readonly samplesPerSecond: number;
  readonly cores: number;
  readonly residentBytes: number;
  readonly evaluationSeconds: number;
  readonly commitSecondsPerMinute: number;
  readonly loopP99Seconds: number;
  readonly fleetSeconds: number;
}

/** The first round and the first evaluation include loading and compiling. */
const WARM_UP_INTERVALS = 2;
const MIN_WARM_UP_SECONDS = 330;
const CERTIFICATE = 'cert.pem';
/** The interval, and 30 s until another replica has taken over. */
const TAKE_OVER_SECONDS = 30;

export async function soakScale(soak: ScaleSoak): Promise<readonly string[]> {
  const { replicas: count, targets, minutes, kilobytes, intervalSeconds, log } = soak;
  const built = spawnSync(process.execPath, ['scripts/build.mjs'], { cwd: ROOT, stdio: 'inherit' });
  if (built.status !== 0) throw new Error('the build failed');
  const folder = mkdtempSync(join(tmpdir(), 'oakum-scale-'));
  const server = await new PostgresServer({ settings: ['fsync=on', 'shared_buffers=512MB'] }).start();
  const files = soak.isTls ? makeCertificate(folder) : [];
  const exporterArgs = [String(targets), String(kilobytes), ...files];
  const exporter = spawnNode(undefined, ['--import', 'tsx', 'test/soak/synthetic-exporter.ts', ...exporterArgs]);
  const replicas: Replica[] = [];
  const problems: string[] = [];
  try {
    const base = `${soak.isTls ? 'https' : 'http'}://127.0.0.1:${await firstLine(exporter, /^\d+$/)}`;
    const config = join(folder, 'targets.yaml');
    const lines = Array.from({ length: targets }, (_, i) => `  - ${base}/t/${i}\n`);
    writeFileSync(config, `targets:\n${lines.join('')}`);
    log(
      `${count} replicas, ${targets} targets${soak.isTls ? ' with TLS' : ''} of ${kilobytes} KB every ${intervalSeconds} s`,
    );
    for (let i = 0; i < count; i++) replicas.push(await startReplica(`oakum-${i}`, config, folder, server, soak));
    const warmUp = Math.max(MIN_WARM_UP_SECONDS, WARM_UP_INTERVALS * intervalSeconds);
    await delay(1000 * warmUp);
    await gapsSince(base);

    const databaseCpu = serverCpuSeconds(server.pid);
    const began = Date.now();
    const loads = await measure(replicas, minutes);
    const seconds = (Date.now() - began) / 1000;
    const gaps = await gapsSince(base);
    if (gaps.longest > 1.5 * intervalSeconds)
      problems.push(`a target was not sampled for ${gaps.longest.toFixed(1)} s, and nothing was killed`);
    report(loads, soak);
    const [size] = await server.run('SELECT pg_database_size(current_database()) AS bytes');
    log(
      `PostgreSQL: ${((serverCpuSeconds(server.pid) - databaseCpu) / seconds).toFixed(2)} cores, ` +
        `${formatBytes(Number(size?.['bytes']))} so far`,
    );
    log(`the longest time between two samples of a target: ${gaps.longest.toFixed(1)} s`);
    if (count > 1) problems.push(...(await killOne(replicas, base, soak)));
  } finally {
    for (const { process: one } of replicas) one.kill('SIGTERM');
    exporter.kill('SIGKILL');
    await Promise.race([Promise.all(replicas.map(ended)), delay(60_000)]);
    for (const { process: one } of replicas) one.kill('SIGKILL');
    await server.remove();
    rmSync(folder, { recursive: true, force: true });
  }
  return problems;
}

/** The key and the certificate of the targets. */
function makeCertificate(folder: string): string[] {
  const [key, cert] = [join(folder, 'key.pem'), join(folder, CERTIFICATE)];
  const made = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-keyout', key, '-out', cert];
  execFileSync('openssl', [...made, '-subj', '/CN=kubelet', '-addext', 'subjectAltName=IP:127.0.0.1'], {
    stdio: 'ignore',
  });
  return [key, cert];
}

async function startReplica(
  id: string,
  config: string,
  folder: string,
  server: PostgresServer,
  { intervalSeconds, isTls, log }: ScaleSoak,
): Promise<Replica> {
  const process = spawnNode(undefined, [
    'bin/oakum.js',
    'watch',
    ...['--config', config, '--data', join(folder, id), '--listen', 'localhost:0', '--interval', `${intervalSeconds}s`],
    ...(isTls ? ['--certificate-authority', join(folder, CERTIFICATE)] : []),
    ...['--store', server.urlOf('scale'), '--replica', 'postgres', '--replica-id', id],
  ]);
  process.stderr?.on('data', (text: Buffer) => log(`  ${id}: ${String(text).trim()}`));
  const url = (await firstLine(process, /^ {2}http:\/\/\S+$/)).trim();
  return { id, process, url };
}

function ended({ process: one }: Replica): Promise<unknown> {
  return one.exitCode === null && one.signalCode === null
    ? new Promise(resolve => one.once('exit', resolve))
    : Promise.resolve();
}

async function measure(replicas: readonly Replica[], minutes: number): Promise<ReplicaLoad[]> {
  const before = await Promise.all(replicas.map(({ url }) => readMetrics(url)));
  const began = Date.now();
  const worst = replicas.map(() => ({ p99: 0, evaluation: 0 }));
  let after = before;
  for (let minute = 0; minute < minutes; minute++) {
    await delay(60_000);
    after = await Promise.all(replicas.map(({ url }) => readMetrics(url)));
    after.forEach((metrics, i) => {
      const one = worst[i];
      if (one === undefined) return;
      one.p99 = Math.max(one.p99, metrics['oakum_event_loop_p99_seconds'] ?? NaN);
      one.evaluation = Math.max(one.evaluation, metrics['oakum_evaluation_seconds'] ?? NaN);
    });
  }
  const seconds = (Date.now() - began) / 1000;
  return Promise.all(
    replicas.map(async ({ id, url }, i) => {
      const gained = (name: string): number => (after[i]?.[name] ?? NaN) - (before[i]?.[name] ?? NaN);
      const askedMs = performance.now();
      await (await fetch(`${url}/api/v1/fleet?hours=24`)).arrayBuffer();
      return {
        id,
        leads: after[i]?.['oakum_replica_leads'] === 1,
        samplesPerSecond: gained('oakum_samples_total') / seconds,
        cores: gained('process_cpu_seconds_total') / seconds,
        residentBytes: after[i]?.['process_resident_memory_bytes'] ?? NaN,
        evaluationSeconds: worst[i]?.evaluation ?? NaN,
        commitSecondsPerMinute: (60 * gained('oakum_commit_seconds_total')) / seconds,
        loopP99Seconds: worst[i]?.p99 ?? NaN,
        fleetSeconds: (performance.now() - askedMs) / 1000,
      };
    }),
  );
}

function report(loads: readonly ReplicaLoad[], { targets, log }: ScaleSoak): void {
  log(
    'replica   samples/s  cores  ms/sample  targets/min and core  resident  per target  evaluation  commits/min  loop p99  fleet',
  );
  for (const one of loads) {
    const perSample = one.cores / one.samplesPerSecond;
    log(
      [
        `${one.id}${one.leads ? '*' : ''}`.padEnd(9),
        one.samplesPerSecond.toFixed(0).padStart(9),
        one.cores.toFixed(2).padStart(6),
        (1000 * perSample).toFixed(2).padStart(10),
        Math.round(60 / perSample)
          .toLocaleString('en')
          .padStart(21),
        formatBytes(one.residentBytes).padStart(9),
        formatBytes(one.residentBytes / targets).padStart(11),
        `${one.evaluationSeconds.toFixed(1)} s`.padStart(11),
        `${one.commitSecondsPerMinute.toFixed(1)} s`.padStart(12),
        `${(1000 * one.loopP99Seconds).toFixed(0)} ms`.padStart(9),
        `${(1000 * one.fleetSeconds).toFixed(0)} ms`.padStart(6),
      ].join(' '),
    );
  }
  const all = loads.reduce((sum, { samplesPerSecond }) => sum + samplesPerSecond, 0);
  const cores = loads.reduce((sum, one) => sum + one.cores, 0);
  log(`together ${all.toFixed(0)} samples/s on ${cores.toFixed(2)} cores (* leads)`);
}

/** Another replica takes over, within the time that is promised. */
async function killOne(replicas: readonly Replica[], base: string, soak: ScaleSoak): Promise<string[]> {
  const { intervalSeconds, log } = soak;
  const victim = replicas[0];
  if (victim === undefined) return [];
  await gapsSince(base);
  victim.process.kill('SIGKILL');
  await delay(1000 * (2 * intervalSeconds + TAKE_OVER_SECONDS));
  const { longest, above } = await gapsSince(base, intervalSeconds + TAKE_OVER_SECONDS);
  log(`after kill -9 of ${victim.id}: the longest time without a sample of a target was ${longest.toFixed(1)} s`);
  return above === 0
    ? []
    : [`${above} targets were not sampled for more than ${intervalSeconds + TAKE_OVER_SECONDS} s`];
}

async function gapsSince(base: string, most = Infinity): Promise<{ readonly longest: number; readonly above: number }> {
  const gaps = JSON.parse(await getText(`${base}/gaps`)) as number[];
  return { longest: gaps.reduce((a, b) => Math.max(a, b), 0), above: gaps.filter(gap => gap > most).length };
}

/** From a target, whose certificate nobody signed. */
function getText(url: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const got = (response: IncomingMessage): void => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => (text += part));
      response.on('end', () => resolve(text));
    };
    const request = url.startsWith('https') ? getTls(url, { rejectUnauthorized: false }, got) : get(url, got);
    request.on('error', reject);
  });
}
