/** Waits for the lab: each step has its own timeout, and a process that died is reported at once. */
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { ApiClient } from './api-client.ts';
import { LabError } from './lab-error.ts';
import type { LabState } from './layout.ts';
import { isAlive, listProcesses, logFile } from './processes.ts';
import { podsAtStart } from './workload.ts';

const POLL_MS = 250;
const APISERVER_SECONDS = 60;
const NODES_SECONDS = 90;
const PODS_SECONDS = 180;
const LOG_LINES = 5;

interface List<T> {
  readonly items: readonly T[];
}

interface NodeObject {
  readonly metadata: { readonly name: string };
  readonly status: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

interface PodObject {
  readonly status: { readonly phase: string };
}

export async function untilApiserverIsReady(lab: LabState, client: ApiClient): Promise<void> {
  await waitUntil(
    lab,
    'the API server is ready',
    APISERVER_SECONDS,
    async () => (await client.get('/readyz')) === 'ok',
  );
}

export async function untilNodesAreReady(lab: LabState, client: ApiClient): Promise<void> {
  await waitUntil(lab, 'every node is ready', NODES_SECONDS, async () => {
    const { items } = (await client.get('/api/v1/nodes')) as List<NodeObject>;
    const ready = items.filter(({ status }) => status.conditions?.some(c => c.type === 'Ready' && c.status === 'True'));
    return lab.nodes.every(node => ready.some(item => item.metadata.name === node.name));
  });
}

/** Pods without a controller are refused before it is there. */
export async function untilServiceAccountExists(lab: LabState, client: ApiClient): Promise<void> {
  await waitUntil(lab, 'the namespace has its service account', NODES_SECONDS, async () => {
    const found = await client.get('/api/v1/namespaces/lab/serviceaccounts/default').catch(() => undefined);
    return found !== undefined;
  });
}

export async function untilPodsRun(lab: LabState, client: ApiClient): Promise<void> {
  await waitUntil(lab, 'every pod runs', PODS_SECONDS, async () => {
    const { items } = (await client.get('/api/v1/namespaces/lab/pods?resourceVersion=0')) as List<PodObject>;
    return items.filter(pod => pod.status.phase === 'Running').length >= podsAtStart(lab.nodes);
  });
}

/**
 * The Node object outlives the kubelet, so its readiness says nothing about a restart: the kubelet's own server must
 * answer.
 */
export async function untilKubeletAnswers(lab: LabState, client: ApiClient, node: string): Promise<void> {
  const path = `/api/v1/nodes/${node}/proxy/healthz`;
  await waitUntil(lab, `${node} answers`, NODES_SECONDS, async () => (await client.get(path)) === 'ok');
}

async function waitUntil(lab: LabState, what: string, seconds: number, check: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + seconds * 1000;
  for (let reason = 'not yet'; ; await delay(POLL_MS)) {
    try {
      if (await check()) return;
    } catch (error) {
      reason = (error as Error).message;
    }
    const dead = listProcesses(lab.folder).find(record => !isAlive(record));
    if (dead !== undefined)
      throw new LabError(`${dead.name} ended by itself:\n${lastLines(logFile(lab.folder, dead.name))}`);
    if (Date.now() > deadline) throw new LabError(`waited ${seconds} s until ${what}: ${reason}`);
  }
}

function lastLines(path: string): string {
  return readFileSync(path, 'utf8').trimEnd().split('\n').slice(-LOG_LINES).join('\n');
}
