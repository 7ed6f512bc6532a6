/**
 * Attacks a running `oakum watch --demo` as a client that may connect can, and measures what it costs: how much its
 * memory grows, and how long /healthz takes meanwhile.
 *
 *     attack (this process)  - sockets that say nothing, or ask and do not read ->  oakum watch --demo
 *                            - GET /healthz, one after another ------------------>
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

export interface Attack {
  readonly name: string;
  readonly sockets: number;
  /** What each socket sends at once. */
  readonly sends: string;
}

export interface AttackResult {
  readonly attack: Attack;
  /** How far resident memory rose above what it was before. */
  readonly residentGrowthBytes: number;
  readonly slowestHealthSeconds: number;
  /** Probes that were refused or broken off. */
  readonly failedProbes: number;
}

const CATALOGUE = 'GET /api/v1/catalogue HTTP/1.1\r\nHost: localhost\r\n\r\n';

export const MAX_GROWTH_BYTES = 100e6;
export const MAX_HEALTH_SECONDS = 1;

export const ATTACKS: readonly Attack[] = [
  { name: 'silent connections', sockets: 520, sends: '' },
  { name: 'half a request each', sockets: 520, sends: 'GET /api/v1/fleet HTTP/1.1\r\nHost: local' },
  { name: '1,000 pipelined requests each', sockets: 20, sends: CATALOGUE.repeat(1000) },
  { name: '1,000 pipelined requests each', sockets: 300, sends: CATALOGUE.repeat(1000) },
  { name: '1,000 pipelined requests each', sockets: 540, sends: CATALOGUE.repeat(1000) },
  { name: 'one request each, answers unread', sockets: 300, sends: CATALOGUE },
];

const WARM_UP = 20;
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** Between two probes. */
const PAUSE_MS = 50;

/** Runs each attack against a server of its own, during `probes` requests for /healthz. */
export async function runAttacks(
  attacks: readonly Attack[],
  probes: number,
  onResult: (result: AttackResult) => void,
): Promise<void> {
  for (const attack of attacks) {
    const { child, port } = await startDemo();
    try {
      onResult(await runAttack(attack, probes, port, child.pid as number));
    } finally {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
  }
}

async function runAttack(attack: Attack, probes: number, port: number, pid: number): Promise<AttackResult> {
  // Compiled code and caches are not the attack's.
  for (let i = 0; i < WARM_UP; i++) {
    for (const path of ['/healthz', '/api/v1/catalogue', '/api/v1/fleet']) await timeOf(port, path);
  }
  const before = residentBytes(pid);
  let most = before;
  const sockets: Socket[] = [];
  for (let i = 0; i < attack.sockets; i++) {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    socket.pause();
    if (attack.sends !== '') socket.write(attack.sends);
    sockets.push(socket);
  }
  const seconds: number[] = [];
  let failedProbes = 0;
  for (let i = 0; i < probes; i++) {
    const took = await timeOf(port, '/healthz');
    if (took === undefined) failedProbes++;
    else seconds.push(took);
    most = Math.max(most, residentBytes(pid));
    await delay(PAUSE_MS);
  }
  for (const socket of sockets) socket.destroy();
  return {
    attack,
    residentGrowthBytes: most - before,
    slowestHealthSeconds: Math.max(0, ...seconds),
    failedProbes,
  };
}

/** Undefined if there was no answer of 200. */
function timeOf(port: number, path: string): Promise<number | undefined> {
  return new Promise(resolve => {
    const startedAt = performance.now();
    const sent = request({ port, host: '127.0.0.1', path, agent: false }, response => {
      response.resume().on('end', () => {
        resolve(response.statusCode === 200 ? (performance.now() - startedAt) / 1000 : undefined);
      });
    });
    sent.on('error', () => resolve(undefined)).end();
  });
}

function residentBytes(pid: number): number {
  return 1024 * Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
}

async function startDemo(): Promise<{ readonly child: ChildProcess; readonly port: number }> {
  const argv = ['bin/oakum.js', 'watch', '--demo', '--pace', '1', '--listen', 'localhost:0'];
  const child = spawn(process.execPath, argv, { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  for await (const chunk of child.stdout) {
    text += String(chunk);
    const [, port] = /http:\/\/localhost:(\d+)/.exec(text) ?? [];
    if (port !== undefined) return { child, port: Number(port) };
  }
  throw new Error(`oakum watch did not start: ${text}`);
}
