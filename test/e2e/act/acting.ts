/** A lab on which plans are made and applied, and what the checks ask of it. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { recordOf, textOf, type JsonRecord } from '../../../src/base/json.ts';
import type { CheckContext } from '../check.ts';
import type { Run, RunOptions } from '../installation.ts';

export interface Acting extends CheckContext {
  /** The template of the command that restarts a kubelet. */
  readonly command: string;
  /** Runs kubectl as admin; fails if it does. */
  kubectl(...args: string[]): Promise<string>;
  /** Creates or changes objects. */
  put(...objects: JsonRecord[]): Promise<void>;
  get(...args: string[]): Promise<JsonRecord>;
  /** `oakum plan ... -o NAME.yaml`; fails if it does. Returns the file. */
  plan(name: string, ...args: string[]): Promise<string>;
  apply(file: string, options?: RunOptions & { readonly args?: readonly string[] }): Promise<Run>;
  /** Starts an apply and kills it with SIGKILL after that time; false if it ended before. */
  applyAndKill(file: string, milliseconds: number): Promise<boolean>;
  /** How often the command of a plan asked for a restart of the node, by then. */
  restarts(node: string): number;
  /** Marks of ours on the node, and `cordoned`. */
  marks(node: string): Promise<string[]>;
}

/** Restarts in the way of systemd: what asks for it may be killed, and the restart goes on. */
const RESTART_SCRIPT = (root: string, folder: string, log: string): string => `
import { spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';
const node = process.argv[2];
appendFileSync(${JSON.stringify(log)}, node + '\\n');
const args = ['--import', 'tsx', 'lab/main.ts', 'restart', node, '--dir', ${JSON.stringify(folder)}];
const child = spawn(process.execPath, args, { cwd: ${JSON.stringify(root)}, detached: true, stdio: 'ignore' });
child.on('exit', code => process.exit(code ?? 1));
`;

export const QUICK: readonly string[] = ['--cool-down', '0', '--max-per-hour', '1000', '--max-not-ready', '100'];

export function acting(context: CheckContext, root: string): Acting {
  const { folder, environment } = context;
  const admin = environment.kubeconfigs['admin'];
  const log = join(folder, 'restarts.log');
  const script = join(folder, 'restart.mjs');
  writeFileSync(script, RESTART_SCRIPT(root, environment.folder, log));
  const command = `${process.execPath} ${script} {node}`;
  const manifests = join(folder, 'manifests');
  mkdirSync(manifests, { recursive: true });
  let count = 0;
  const kubectl = async (...args: string[]): Promise<string> => {
    const run = await context.run(environment.kubectl, args, { kubeconfig: admin });
    assert.equal(run.code, 0, `kubectl ${args.join(' ')}: ${run.err}`);
    return run.out;
  };
  const get = async (...args: string[]): Promise<JsonRecord> =>
    recordOf(JSON.parse(await kubectl('get', ...args, '-o', 'json')));
  return {
    ...context,
    command,
    kubectl,
    get,
    put: async (...objects) => {
      const file = join(manifests, `${++count}.json`);
      writeFileSync(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }));
      await kubectl('apply', '-f', file);
    },
    plan: async (name, ...args) => {
      const file = `${name}.yaml`;
      const via = args.includes('--via') ? [] : args[0] === 'restart' ? ['--via', 'command', '--command', command] : [];
      const forced = args.includes('--from') ? [] : ['--force', 'end-to-end test'];
      const run = await context.oakum(['plan', ...args, ...via, ...forced, '-o', file], { kubeconfig: admin });
      assert.ok(run.code === 0 && existsSync(join(folder, file)), `${run.command}: ${run.code} ${run.out} ${run.err}`);
      return file;
    },
    apply: (file, { args = [], ...options } = {}) =>
      context.oakum(['apply', '-f', file, '--yes', '--command', command, ...args], { kubeconfig: admin, ...options }),
    applyAndKill: (file, milliseconds) => {
      const child = spawn(join(folder, '..', 'bin', 'oakum'), ['apply', '-f', file, '--yes', '--command', command], {
        cwd: folder,
        stdio: 'ignore',
        env: { ...process.env, KUBECONFIG: admin, NO_COLOR: '1' },
      });
      const timer = setTimeout(() => child.kill('SIGKILL'), milliseconds);
      return new Promise(resolve => {
        child.on('exit', (_, signal) => {
          clearTimeout(timer);
          resolve(signal === 'SIGKILL');
        });
      });
    },
    restarts: node => {
      const lines = existsSync(log) ? readFileSync(log, 'utf8').split('\n') : [];
      return lines.filter(line => line === node).length;
    },
    marks: async node => {
      const { metadata, spec } = await get('node', node);
      const keys = Object.keys(recordOf(recordOf(metadata)['annotations'])).filter(key => key.startsWith('oakum.dev/'));
      return [
        ...keys.filter(key => key !== 'oakum.dev/last-restart'),
        ...(recordOf(spec)['unschedulable'] === true ? ['cordoned'] : []),
      ].sort();
    },
  };
}

export async function podsOn(lab: Acting, node: string): Promise<string[]> {
  const { items } = await lab.get('pods', '-A', '--field-selector', `spec.nodeName=${node}`);
  return (items as JsonRecord[]).map(pod => textOf(recordOf(pod['metadata'])['name']));
}

/** One pod of a Deployment on a node, with a label and a budget that allows no disruption. */
export function guardedPod(name: string, node: string): JsonRecord[] {
  const labels = { app: name };
  return [
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name, namespace: 'lab' },
      spec: {
        replicas: 1,
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: {
            nodeSelector: { 'kubernetes.io/hostname': node },
            terminationGracePeriodSeconds: 1,
            containers: [{ name: 'app', image: 'lab/app:1' }],
          },
        },
      },
    },
    budgetFor(name),
  ];
}

export function budgetFor(name: string): JsonRecord {
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name, namespace: 'lab' },
    spec: { minAvailable: 1, selector: { matchLabels: { app: name } } },
  };
}

export interface ActCheck {
  readonly name: string;
  /** The output that proves it; throws if it does not. */
  readonly run: (lab: Acting) => Promise<string>;
}
