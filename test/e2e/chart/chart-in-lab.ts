/** Parts of the end-to-end tests that bring the chart to the API server of the lab. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { parseAllDocuments, stringify } from 'yaml';
import type { Environment } from '../../../lab/environment.ts';
import { ROOT } from '../../places.ts';

export interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly [key: string]: any;
}

export interface Outcome {
  readonly status: number;
  readonly out: string;
}

/** Objects of the chart with these arguments of `helm template`. */
export type Render = (args: readonly string[]) => Manifest[];

interface ChartScripts {
  findHelm(): string | undefined;
  helmTemplate(helm: string, args: readonly string[]): { status: number; stdout: string; stderr: string };
}

// Plain JavaScript without types.
const scripts = (await import(pathToFileURL(join(ROOT, 'scripts/chart/generated.mjs')).href)) as ChartScripts;

export const findHelm: ChartScripts['findHelm'] = scripts.findHelm;
export const helmTemplate: ChartScripts['helmTemplate'] = scripts.helmTemplate;

const startedAt = Date.now();

export function say(line: string): void {
  console.log(`${((Date.now() - startedAt) / 1000).toFixed(0).padStart(4)} s  ${line}`);
}

export function renderWith(helm: string): Render {
  return args => {
    const { status, stdout, stderr } = helmTemplate(helm, args);
    assert.equal(status, 0, stderr);
    const documents = parseAllDocuments(stdout).map(document => document.toJSON() as Manifest | null);
    return documents.filter(object => object !== null);
  };
}

export function kubectl(environment: Environment, args: readonly string[], input?: string): Outcome {
  const { status, stdout, stderr } = spawnSync(
    environment.kubectl,
    ['--kubeconfig', environment.kubeconfigs.admin, ...args],
    { encoding: 'utf8', input: input ?? '' },
  );
  return { status: status ?? -1, out: stdout + stderr };
}

export function apply(environment: Environment, objects: readonly object[], ...flags: string[]): Outcome {
  const text = objects.map(object => stringify(object)).join('---\n');
  return kubectl(environment, ['apply', '-f', '-', ...flags], text);
}

/** The account of the chart and what it may do. */
export function rightsIn(objects: readonly Manifest[]): Manifest[] {
  const own = /^(ServiceAccount|ClusterRole|ClusterRoleBinding|Role|RoleBinding|Namespace)$/;
  return objects.filter(({ kind }) => own.test(kind));
}

export function kubeconfigWith(token: string, { apiserver }: Environment): string {
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'lab', cluster: { server: apiserver.url, 'certificate-authority': apiserver.authority } }],
    users: [{ name: 'oakum', user: { token } }],
    contexts: [{ name: 'lab', context: { cluster: 'lab', user: 'oakum' } }],
    'current-context': 'lab',
  });
}

/** Resolves to the seconds that it took. */
export async function until(what: string, seconds: number, check: () => Promise<boolean>): Promise<number> {
  const began = performance.now();
  let last = '';
  for (;;) {
    try {
      if (await check()) return (performance.now() - began) / 1000;
    } catch (error) {
      last = (error as Error).message;
    }
    if (performance.now() - began > seconds * 1000) throw new Error(`not within ${seconds} s: ${what} ${last}`);
    await delay(500);
  }
}
