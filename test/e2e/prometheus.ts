/** Debian's Prometheus for the lab's kubelets, with two weeks of made-up history for one of them. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { missingProgram, type RunningEngine, startEngine } from '../engines/engine-process.ts';
import type { Environment } from '../../lab/environment.ts';

export type RunningPrometheus = RunningEngine;

/** Undefined if it is not installed. */
export async function startPrometheus(
  folder: string,
  environment: Environment,
): Promise<RunningPrometheus | undefined> {
  if (missingProgram(['prometheus', 'promtool']) !== undefined) return undefined;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'token'), tokenOf(environment));
  writeFileSync(join(folder, 'prometheus.yml'), JSON.stringify(configuration(folder, environment)));
  writeFileSync(join(folder, 'history.om'), madeHistory(Math.floor(Date.now() / 1000)));
  const data = join(folder, 'data');
  const blocks = spawnSync('promtool', ['tsdb', 'create-blocks-from', 'openmetrics', join(folder, 'history.om'), data]);
  if (blocks.status !== 0) throw new Error(`promtool: ${blocks.stderr}`);
  return startEngine(
    'prometheus',
    address => [
      `--config.file=${join(folder, 'prometheus.yml')}`,
      `--storage.tsdb.path=${data}`,
      '--storage.tsdb.retention.time=30d',
      `--web.listen-address=${address}`,
    ],
    '/-/ready',
  );
}

function tokenOf({ kubeconfigs }: Environment): string {
  const token = /token: "?([^"\s]+)/.exec(readFileSync(kubeconfigs['service-account'], 'utf8'))?.[1];
  if (token === undefined) throw new Error('the service account has no token');
  return token;
}

function configuration(folder: string, { nodes }: Environment): object {
  return {
    global: { scrape_interval: '5s' },
    scrape_configs: [
      {
        job_name: 'kubelet',
        scheme: 'https',
        tls_config: { insecure_skip_verify: true },
        authorization: { credentials_file: join(folder, 'token') },
        static_configs: nodes.map(({ name, url }) => ({ targets: [new URL(url).host], labels: { node: name } })),
      },
      // Scrapes nothing: only the made-up series have this name.
      { job_name: 'made', static_configs: [] },
    ],
  };
}

const MIB = 1024 * 1024;
const DAYS = 12;
const STEP_SECONDS = 300;

/** A live heap that gains 0.6 MiB an hour on top of a daily season; four peers that do not. As OpenMetrics. */
function madeHistory(nowSeconds: number): string {
  const begin = nowSeconds - DAYS * 86_400;
  const nodes = ['leak-a', 'peer-1', 'peer-2', 'peer-3', 'peer-4'];
  const wave = (hours: number): number => Math.sin((hours / 24) * 2 * Math.PI);
  const heap = (node: number, hours: number): number =>
    40 * MIB + (node === 0 ? 0.6 * MIB * hours : 0) + 2 * MIB * wave(hours + node) + MIB * wave(7 * hours + node);
  const metrics: Readonly<Record<string, (node: number, hours: number) => number>> = {
    go_gc_heap_live_bytes: heap,
    go_goroutines: (node, hours) => 300 + Math.round(10 * wave(5 * hours + node)),
    kubelet_running_pods: () => 30,
    process_resident_memory_bytes: (node, hours) => 60 * MIB + 2 * heap(node, hours),
    process_start_time_seconds: () => begin - 86_400,
  };
  const lines: string[] = [];
  for (const [name, valueAt] of Object.entries(metrics)) {
    lines.push(`# TYPE ${name} gauge`);
    nodes.forEach((node, number) => {
      const labels = `job="made",instance="${node}:10250",node="${node}"`;
      for (let at = begin; at <= nowSeconds; at += STEP_SECONDS) {
        lines.push(`${name}{${labels}} ${valueAt(number, (at - begin) / 3600)} ${at}`);
      }
    });
  }
  return `${lines.join('\n')}\n# EOF\n`;
}
