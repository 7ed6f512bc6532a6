/**
 * Starts, stops and disturbs a lab; `npm run lab` and the end-to-end tests drive it through here.
 *
 *     const lab = await startLab({ folder, say: line => console.error(line) });
 *     const { kubeconfigs, kubectl } = environmentOf(lab);
 *     await killProcess(lab, 'apiserver');       // SIGKILL, in the middle of a capture
 *     await startLabProcess(lab, 'apiserver');
 *     await restartProcess(lab, 'leak-a');       // as systemd would
 *     await stopLab(lab.folder);
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ApiClient } from './api-client.ts';
import { buildPrograms } from './build.ts';
import { issueCertificates } from './certificates.ts';
import { commandLine, CONTROL_PLANE, DAEMONS, processNames } from './command-lines.ts';
import { writeKubeconfigs, writeTokenKubeconfig } from './kubeconfig.ts';
import { LabError } from './lab-error.ts';
import type { LabState } from './layout.ts';
import { createNetwork, freeSubnet, inNetworkOf, NETWORK, requireNetworkTools } from './network.ts';
import { readNodeSet, type LabNode } from './node-set.ts';
import { endProcess, findProcess, isAlive, listProcesses, programPid, startProcess } from './processes.ts';
import type { ProcessRecord } from './processes.ts';
import { PROGRAMS, type ProgramName } from './programs.ts';
import {
  untilApiserverIsReady,
  untilKubeletAnswers,
  untilNodesAreReady,
  untilPodsRun,
  untilServiceAccountExists,
} from './wait.ts';
import { accessObjects, podsAtStart, workloadObjects } from './workload.ts';

export interface StartOptions {
  /** Default: oakum-lab-UID in the system's temporary folder. */
  readonly folder?: string;
  /** Path of a node set; default: nodes.default.json beside this file. */
  readonly nodesFile?: string;
  readonly lifetimeMinutes?: number;
  readonly say?: (line: string) => void;
}

export const DEFAULT_LIFETIME_MINUTES = 60;
const GRACE_SECONDS = 5;

export function defaultFolder(): string {
  return join(tmpdir(), `oakum-lab-${userInfo().uid}`);
}

/** Starts the lab, or completes one that is already running. */
export async function startLab(options: StartOptions = {}): Promise<LabState> {
  const say = options.say ?? (() => {});
  const folder = resolve(options.folder ?? defaultFolder());
  const nodes = readNodes(options.nodesFile);
  requireNetworkTools();
  const running = runningLab(folder);
  if (running !== undefined && JSON.stringify(running.nodes) !== JSON.stringify(nodes)) {
    throw new LabError(`a lab with other nodes is up in ${folder}: npm run lab -- down`);
  }
  const lab = running ?? (await createLab(folder, nodes, options.lifetimeMinutes ?? DEFAULT_LIFETIME_MINUTES, say));
  await startMissing(lab, say);
  return lab;
}

function readNodes(path?: string): readonly LabNode[] {
  const file = path ?? join(dirname(fileURLToPath(import.meta.url)), 'nodes.default.json');
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new LabError(`the node set ${file} cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
  return readNodeSet(text, file);
}

async function createLab(
  folder: string,
  nodes: readonly LabNode[],
  lifetimeMinutes: number,
  say: (line: string) => void,
): Promise<LabState> {
  const kubelets = new Set(nodes.map(node => `kubelet-${node.version}` as const));
  const names = (Object.keys(PROGRAMS) as ProgramName[]).filter(
    name => !name.startsWith('kubelet-') || [...kubelets].some(kubelet => kubelet === name),
  );
  const programs = Object.fromEntries(await buildPrograms(names, say));

  await stopLab(folder);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const expiresAt = new Date(Date.now() + lifetimeMinutes * 60_000).toISOString();
  const lab: LabState = { folder, subnet: freeSubnet(), expiresAt, nodes, programs };
  writeFileSync(stateFile(folder), `${JSON.stringify(lab, undefined, 2)}\n`);
  await createNetwork(lab, Math.ceil(lifetimeMinutes * 60) + GRACE_SECONDS);
  issueCertificates(lab);
  writeKubeconfigs(lab);
  return lab;
}

async function startMissing(lab: LabState, say: (line: string) => void): Promise<void> {
  const [etcd, apiserver, ...controllers] = CONTROL_PLANE;
  for (const name of [etcd, apiserver]) startIfEnded(lab, name);
  const client = new ApiClient(lab);
  try {
    await untilApiserverIsReady(lab, client);
    say('the API server is ready');
    for (const name of [...controllers, ...lab.nodes.map(node => node.name), ...DAEMONS]) startIfEnded(lab, name);
    for (const object of accessObjects()) await client.apply(object);
    await writeServiceAccount(lab, client);
    await untilNodesAreReady(lab, client);
    say(`every node is ready: ${lab.nodes.length}`);
    await untilServiceAccountExists(lab, client);
    for (const object of workloadObjects(lab.nodes)) await client.apply(object);
    await untilPodsRun(lab, client);
    say(`every pod runs: ${podsAtStart(lab.nodes)}`);
  } finally {
    client.close();
  }
}

async function writeServiceAccount(lab: LabState, client: ApiClient): Promise<void> {
  const expirationSeconds = 24 * 3600;
  const answer = (await client.post('/api/v1/namespaces/lab/serviceaccounts/capture/token', {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: { expirationSeconds },
  })) as { readonly status: { readonly token: string } };
  writeTokenKubeconfig(lab, 'service-account', answer.status.token);
}

/** Ends every process of the lab and removes its folder; does nothing if there is no lab. */
export async function stopLab(folder: string): Promise<void> {
  if (!existsSync(folder) || readdirSync(folder).length === 0) return;
  if (!existsSync(stateFile(folder))) throw new LabError(`${folder} is not the folder of a lab: nothing was removed`);
  // The holder of the network goes last, since the others lose their addresses with it.
  const records = listProcesses(folder).filter(record => record.name !== NETWORK);
  await Promise.all(records.map(record => endProcess(folder, record, 'SIGKILL')));
  const network = findProcess(folder, NETWORK);
  if (network !== undefined) await endProcess(folder, network, 'SIGKILL');
  await rm(folder, { recursive: true, force: true });
}

/** The lab that runs in `folder`; undefined if there is none, or if its time is over. */
export function runningLab(folder: string): LabState | undefined {
  const network = findProcess(folder, NETWORK);
  if (network === undefined || !isAlive(network) || !existsSync(stateFile(folder))) return undefined;
  return JSON.parse(readFileSync(stateFile(folder), 'utf8')) as LabState;
}

/** Starts one process of the lab: a node by its name, or one of CONTROL_PLANE and DAEMONS. */
export function startLabProcess(lab: LabState, name: string): ProcessRecord {
  const command = commandLine(lab, name);
  if (command === undefined) throw unknownProcess(lab, name);
  const network = findProcess(lab.folder, NETWORK);
  const secondsLeft = Math.floor((Date.parse(lab.expiresAt) - Date.now()) / 1000);
  if (network === undefined || !isAlive(network) || secondsLeft <= 0) {
    throw new LabError(`the lab in ${lab.folder} is not up: npm run lab -- up`);
  }
  const ended = ['timeout', `--kill-after=${GRACE_SECONDS}`, String(secondsLeft)];
  return startProcess(lab.folder, name, [...inNetworkOf(network.pid), ...ended, ...command]);
}

function startIfEnded(lab: LabState, name: string): void {
  const record = findProcess(lab.folder, name);
  if (record === undefined || !isAlive(record)) startLabProcess(lab, name);
}

/** Kills it at once, as an OOM kill does. */
export async function killProcess(lab: LabState, name: string): Promise<void> {
  await endProcess(lab.folder, existing(lab, name), 'SIGKILL');
}

/** Stops and restarts it; for the API server and nodes, resolves when they are ready. */
export async function restartProcess(lab: LabState, name: string): Promise<void> {
  const record = findProcess(lab.folder, name);
  if (record !== undefined) await endProcess(lab.folder, record, 'SIGTERM');
  startLabProcess(lab, name);
  const client = new ApiClient(lab);
  try {
    if (name === 'apiserver') await untilApiserverIsReady(lab, client);
    else if (lab.nodes.some(node => node.name === name)) await untilKubeletAnswers(lab, client, name);
  } finally {
    client.close();
  }
}

/** A process that hangs: it keeps its connections and answers nothing until it is resumed. */
export function pauseProcess(lab: LabState, name: string): void {
  process.kill(programPid(existing(lab, name)), 'SIGSTOP');
}

export function resumeProcess(lab: LabState, name: string): void {
  process.kill(programPid(existing(lab, name)), 'SIGCONT');
}

function existing(lab: LabState, name: string): ProcessRecord {
  const record = findProcess(lab.folder, name);
  if (record !== undefined && isAlive(record)) return record;
  if (!processNames(lab).includes(name)) throw unknownProcess(lab, name);
  throw new LabError(`${name} is not running: npm run lab -- up starts what is missing`);
}

function unknownProcess(lab: LabState, name: string): LabError {
  return new LabError(`the lab has no process ${name}; it has ${processNames(lab).join(', ')}`);
}

function stateFile(folder: string): string {
  return join(folder, 'lab.json');
}
