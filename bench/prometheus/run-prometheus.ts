/** Debian's Prometheus over blocks that promtool made, and what it costs. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

export interface RunningPrometheus {
  readonly url: string;
  cpuSeconds(): number;
  peakBytes(): number;
  stop(): Promise<void>;
}

const READY_SECONDS = 300;
const TICKS_A_SECOND = 100;
/** promtool reads its input once for each block. */
const BLOCK_HOURS = 168;

export function hasPrometheus(): boolean {
  return ['prometheus', 'promtool'].every(tool => spawnSync(tool, ['--version']).error === undefined);
}

/** Returns promtool's seconds. */
export function makeBlocks(wholeFile: string, data: string): number {
  const began = performance.now();
  const made = spawnSync(
    'promtool',
    ['tsdb', 'create-blocks-from', 'openmetrics', `--max-block-duration=${BLOCK_HOURS}h`, '-q', wholeFile, data],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  if (made.status !== 0) throw new Error(`promtool: ${made.stderr}`);
  return (performance.now() - began) / 1000;
}

export async function runPrometheus(folder: string, data: string): Promise<RunningPrometheus> {
  const configuration = join(folder, 'prometheus.yml');
  writeFileSync(configuration, JSON.stringify({ global: { scrape_interval: '1m' } }));
  const address = `127.0.0.1:${await freePort()}`;
  const child = spawn(
    'prometheus',
    [
      `--config.file=${configuration}`,
      `--storage.tsdb.path=${data}`,
      '--storage.tsdb.retention.time=60d',
      `--web.listen-address=${address}`,
    ],
    { stdio: 'ignore' },
  );
  const url = `http://${address}`;
  await untilReady(url, child);
  const { pid } = child;
  return {
    url,
    cpuSeconds() {
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
        .replace(/^.*\) /, '')
        .split(' ');
      return (Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND;
    },
    peakBytes: () => 1024 * Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]),
    async stop() {
      const ended = new Promise(resolve => child.once('exit', resolve));
      child.kill('SIGTERM');
      await ended;
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise(resolve => server.close(resolve));
  return port;
}

async function untilReady(url: string, child: ChildProcess): Promise<void> {
  for (let second = 0; second < READY_SECONDS && child.exitCode === null; second++) {
    const isReady = await fetch(`${url}/-/ready`).then(
      answer => answer.ok,
      () => false,
    );
    if (isReady) return;
    await delay(1000);
  }
  child.kill('SIGKILL');
  throw new Error('Prometheus did not start');
}
