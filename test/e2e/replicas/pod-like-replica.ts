/**
 * A replica as the chart's StatefulSet would run it, as a process of this machine: the arguments of its container, the
 * files of its volumes, the environment of a pod, and its service account where every pod has it.
 *
 *     /run/secrets/kubernetes.io/serviceaccount    in a mount namespace of its own, so that nobody else sees it
 *     /etc/oakum, /data                            folders of the test, put in their place in the arguments
 */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { Environment } from '../../../lab/environment.ts';
import { ReplicaProcess } from '../../soak/replicas/replica-process.ts';
import { kubectl, type Manifest } from '../chart/chart-in-lab.ts';

export const NAMESPACE = 'oakum';
const API_TOKEN = 'a-token-of-the-server-of-e2e';
/** As root of a mount namespace: a service account, and then the program. */
const SCRIPT =
  'mount -t tmpfs tmpfs /run && mkdir -p /run/secrets/kubernetes.io && ' +
  'cp -r "$0" /run/secrets/kubernetes.io/serviceaccount && exec "$@"';

export interface PodParts {
  readonly environment: Environment;
  readonly folder: string;
  /** The rendered chart. */
  readonly objects: readonly Manifest[];
  /** The address of the database. */
  readonly store: string;
}

export interface PodOptions {
  /** More options of `oakum watch`. */
  readonly args?: readonly string[];
  /** Options of the chart that this replica does without. */
  readonly without?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export class PodMaker {
  readonly #parts: PodParts;
  readonly #etc: string;

  constructor(parts: PodParts, name: string) {
    this.#parts = parts;
    this.#etc = join(parts.folder, `etc-${name}`);
    const config = parts.objects.find(({ kind, data }) => kind === 'ConfigMap' && data['oakum.yaml'] !== undefined);
    assert.ok(config !== undefined);
    this.#write('config/oakum.yaml', config['data']['oakum.yaml']);
    this.#write('token/token', `${API_TOKEN}\n`);
    this.#write('store/url', `${parts.store}\n`);
    this.#write('serviceaccount/namespace', NAMESPACE);
    this.#write('serviceaccount/ca.crt', readFileSync(parts.environment.apiserver.authority, 'utf8'));
    const { status, out } = kubectl(parts.environment, ['-n', NAMESPACE, 'create', 'token', 'oakum']);
    assert.equal(status, 0, out);
    this.#write('serviceaccount/token', out.trim());
  }

  #write(path: string, text: string): void {
    mkdirSync(join(this.#etc, path, '..'), { recursive: true });
    writeFileSync(join(this.#etc, path), text);
  }

  /** The command of the container, as it runs here. */
  async command(id: string, { args = [], without = [] }: PodOptions = {}): Promise<string[]> {
    const workload = this.#parts.objects.find(({ kind }) => kind === 'StatefulSet');
    const [, ...given] = workload?.['spec'].template.spec.containers[0].args as string[];
    const port = await freePort();
    const own = given
      .filter(arg => !without.some(option => arg.startsWith(option)))
      .map(arg =>
        arg
          .replace('$(POD_NAME)', id)
          .replace('/etc/oakum', this.#etc)
          .replace('--data=/data', `--data=${join(this.#parts.folder, 'data', id)}`)
          .replace('0.0.0.0:7777', `127.0.0.1:${port}`),
      );
    return [...own, ...args];
  }

  get environment(): Record<string, string> {
    const { hostname, port } = new URL(this.#parts.environment.apiserver.url);
    return {
      PATH: process.env['PATH'] ?? '',
      HOME: this.#parts.folder,
      KUBERNETES_SERVICE_HOST: hostname,
      KUBERNETES_SERVICE_PORT: port,
    };
  }

  /** What runs a command in a pod. */
  get within(): string[] {
    return ['unshare', '--mount', 'sh', '-c', SCRIPT, join(this.#etc, 'serviceaccount')];
  }

  async replica(id: string, options: PodOptions = {}): Promise<ReplicaProcess> {
    return new ReplicaProcess({
      id,
      args: await this.command(id, options),
      env: { ...this.environment, POD_NAME: id, POD_IP: '127.0.0.1', ...options.env },
      within: this.within,
      token: API_TOKEN,
      logs: this.#parts.folder,
    });
  }
}

function freePort(): Promise<number> {
  return new Promise(resolve => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
