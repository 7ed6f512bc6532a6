/** Starts and ends members, each with its loads; everything ends by itself when its time is over. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { LabError } from '../lab-error.ts';
import {
  endProcess,
  findProcess,
  isAlive,
  listProcesses,
  programPid,
  residentBytes,
  startProcess,
} from '../processes.ts';
import type { Member } from './members.ts';
import { RUN } from './places.ts';
import { bring } from './sources.ts';

export interface Running {
  readonly name: string;
  readonly url: string;
  readonly startedAt: string;
  readonly endsAt: string;
}

type Say = (line: string) => void;

const STATE = join(RUN, 'zoo.json');
const PEER = 'peer';
const PORTS_EACH = 4;
const READY_SECONDS = 40;

export function runningMembers(): readonly Running[] {
  return readState().filter(({ name }) => aliveNow(name));
}

export async function startMembers(members: readonly Member[], hours: number, say: Say): Promise<void> {
  mkdirSync(RUN, { recursive: true, mode: 0o700 });
  const load = await bring({ own: 'load' }, say);
  const seconds = Math.ceil(hours * 3600);
  const peer = await startPeer(load, seconds + 60);
  for (const member of members) {
    if (aliveNow(member.name)) continue;
    try {
      await startMember(member, load, peer, seconds);
      say(`${member.name} runs`);
    } catch (error) {
      if (!(error instanceof LabError)) throw error;
      say(`${member.name}: ${error.message}`);
      await stopMembers([member.name]);
    }
  }
}

async function startMember(member: Member, load: string, peer: number, seconds: number): Promise<void> {
  const program = await bring(member.source, () => {});
  const dir = join(RUN, 'data', member.name);
  rmSync(dir, { recursive: true, force: true });
  mkdirSync(dir, { recursive: true });
  const ports = await freePorts(PORTS_EACH);
  const fill = (text: string): string => fillMarks(text, ports, dir, peer);
  for (const [file, text] of Object.entries(member.files ?? {})) {
    mkdirSync(dirname(join(dir, file)), { recursive: true });
    writeFileSync(join(dir, file), fill(text));
  }
  const environment = Object.entries(member.env ?? {}).map(([name, value]) => `${name}=${fill(value)}`);
  // A folder that is removed with the others, and not the clone.
  const command = ['env', `--chdir=${dir}`, `TMPDIR=${dir}`, ...environment, ...ended(seconds), program];
  startProcess(RUN, member.name, [...command, ...member.args.map(fill)]);
  const startedAt = new Date();
  if (member.join !== undefined) {
    const { pprof, metrics } = member.join;
    const urls = ['-pprof', pprof, ...(metrics === undefined ? [] : ['-metrics', metrics])];
    startLoad(member.name, 0, load, ['join', '-listen', '127.0.0.1:{port}', ...urls].map(fill), seconds);
  }
  const url = fill('http://127.0.0.1:{port}');
  writeState([
    ...readState().filter(({ name }) => name !== member.name),
    {
      name: member.name,
      url,
      startedAt: startedAt.toISOString(),
      endsAt: new Date(startedAt.getTime() + seconds * 1000).toISOString(),
    },
  ]);
  await untilItAnswers(member.name, url);
  for (const [index, args] of member.loads.entries()) startLoad(member.name, index + 1, load, args.map(fill), seconds);
}

function fillMarks(text: string, ports: readonly number[], dir: string, peer: number): string {
  return text.replace(/\{(port|peer|dir)(\d?)\}/g, (_, mark: string, digit: string) => {
    if (mark === 'dir') return dir;
    return mark === 'port' ? String(ports[Number(digit || 1) - 1]) : `127.0.0.1:${peer + Number(digit || 0)}`;
  });
}

function ended(seconds: number): string[] {
  return ['timeout', '--kill-after=5', String(seconds)];
}

function startLoad(member: string, index: number, load: string, args: readonly string[], seconds: number): void {
  startProcess(RUN, `${member}.load${index}`, [load, ...args, '-for', `${seconds}s`]);
}

/** Its ports follow each other, so they are looked for from a base on. */
async function startPeer(load: string, seconds: number): Promise<number> {
  const file = join(RUN, 'peer.port');
  if (aliveNow(PEER)) return Number(readFileSync(file, 'utf8'));
  for (let base = 21_400; base < 21_900; base += 10) {
    const servers = await Promise.all([0, 1, 2, 3].map(offset => listenAt(base + offset)));
    await Promise.all(servers.map(closed));
    if (servers.includes(undefined)) continue;
    startProcess(RUN, PEER, [load, 'peer', '-listen', `127.0.0.1:${base}`, '-for', `${seconds}s`]);
    writeFileSync(file, String(base));
    await delay(500);
    return base;
  }
  throw new LabError('no four free ports in a row between 21400 and 21900');
}

async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(Array.from({ length: count }, () => listenAt(0)));
  const ports = servers.map(server => (server!.address() as AddressInfo).port);
  await Promise.all(servers.map(closed));
  return ports;
}

function listenAt(port: number): Promise<Server | undefined> {
  const server = createServer();
  return new Promise(resolve => {
    server.once('error', () => resolve(undefined));
    server.listen(port, '127.0.0.1', () => resolve(server));
  });
}

function closed(server: Server | undefined): Promise<void> {
  return new Promise(resolve => (server === undefined ? resolve() : server.close(() => resolve())));
}

async function untilItAnswers(name: string, url: string): Promise<void> {
  const deadline = Date.now() + READY_SECONDS * 1000;
  for (let reason = 'nothing'; ; await delay(200)) {
    try {
      const { status } = await fetch(`${url}/debug/pprof/goroutine`, { signal: AbortSignal.timeout(5000) });
      if (status === 200) return;
      reason = `${status}`;
    } catch (error) {
      reason = (error as Error).message;
    }
    if (!aliveNow(name)) throw new LabError(`ended by itself: ${lastLines(name)}`);
    if (Date.now() > deadline) throw new LabError(`waited ${READY_SECONDS} s for its profiles: ${reason}`);
  }
}

function lastLines(name: string): string {
  return readFileSync(join(RUN, 'logs', `${name}.log`), 'utf8')
    .trimEnd()
    .split('\n')
    .slice(-3)
    .join('\n');
}

function aliveNow(name: string): boolean {
  const record = findProcess(RUN, name);
  return record !== undefined && isAlive(record);
}

/** Ends members with their loads; all and the peer without names. */
export async function stopMembers(names?: readonly string[]): Promise<void> {
  const records = listProcesses(RUN).filter(
    ({ name }) => names === undefined || names.includes(name.split('.load')[0]),
  );
  await Promise.all(records.map(record => endProcess(RUN, record, 'SIGKILL')));
  const stopped = (name: string): boolean => names === undefined || names.includes(name);
  for (const { name } of readState().filter(({ name }) => stopped(name))) {
    rmSync(join(RUN, 'data', name), { recursive: true, force: true });
  }
  if (existsSync(STATE)) writeState(readState().filter(({ name }) => !stopped(name)));
}

/** What a small program counted itself; undefined for daemons. */
export async function countedBy({ url }: Running): Promise<unknown> {
  try {
    const response = await fetch(`${url}/counted`, { signal: AbortSignal.timeout(5000) });
    return response.ok ? await response.json() : undefined;
  } catch {
    return undefined;
  }
}

export function residentNow(name: string): number {
  const record = findProcess(RUN, name);
  return record === undefined ? 0 : residentBytes(programPid(record));
}

function readState(): readonly Running[] {
  return existsSync(STATE) ? (JSON.parse(readFileSync(STATE, 'utf8')) as Running[]) : [];
}

function writeState(state: readonly Running[]): void {
  writeFileSync(STATE, `${JSON.stringify(state, undefined, 1)}\n`);
}
