/** The part of a Kubernetes client that the lab needs: JSON over TLS with a client certificate. */
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { LabError } from './lab-error.ts';
import { apiserverUrl, pkiFile, type LabState } from './layout.ts';

export interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly [field: string]: unknown;
}

const TIMEOUT_MS = 15_000;

/** Plural names of the kinds that the lab makes. */
const PLURALS: Readonly<Record<string, string>> = {
  Namespace: 'namespaces',
  ServiceAccount: 'serviceaccounts',
  ConfigMap: 'configmaps',
  Secret: 'secrets',
  Pod: 'pods',
  Deployment: 'deployments',
  StatefulSet: 'statefulsets',
  ClusterRole: 'clusterroles',
  ClusterRoleBinding: 'clusterrolebindings',
};

export class ApiClient {
  readonly #url: string;
  readonly #agent: Agent;

  constructor(lab: LabState) {
    this.#url = apiserverUrl(lab);
    const read = (file: string): Buffer => readFileSync(pkiFile(lab, file));
    this.#agent = new Agent({ ca: read('ca.crt'), cert: read('admin.crt'), key: read('admin.key'), keepAlive: true });
  }

  /** Creates the object, or updates the existing one. */
  async apply(object: KubernetesObject): Promise<void> {
    await this.#send(
      'PATCH',
      `${pathOf(object)}?fieldManager=oakum-lab&force=true`,
      object,
      'application/apply-patch+yaml',
    );
  }

  async get(path: string): Promise<unknown> {
    return this.#send('GET', path);
  }

  async post(path: string, body: unknown): Promise<unknown> {
    return this.#send('POST', path, body, 'application/json');
  }

  close(): void {
    this.#agent.destroy();
  }

  #send(method: string, path: string, body?: unknown, contentType?: string): Promise<unknown> {
    const headers = {
      accept: 'application/json',
      ...(contentType === undefined ? {} : { 'content-type': contentType }),
    };
    return new Promise((resolve, reject) => {
      const fail = (error: Error): void => reject(new LabError(`${method} ${path}: ${error.message}`));
      const sent = request(`${this.#url}${path}`, { method, headers, agent: this.#agent, timeout: TIMEOUT_MS });
      sent.on('timeout', () => sent.destroy(new Error(`no answer in ${TIMEOUT_MS / 1000} s`)));
      sent.on('error', fail);
      sent.on('response', response => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', fail);
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8');
          if (response.statusCode! >= 300) fail(new Error(`${response.statusCode} ${text.slice(0, 500)}`));
          else resolve(response.headers['content-type']?.startsWith('application/json') ? JSON.parse(text) : text);
        });
      });
      sent.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }
}

export function pathOf({ apiVersion, kind, metadata }: KubernetesObject): string {
  const plural = PLURALS[kind];
  if (plural === undefined) throw new LabError(`the lab does not know the kind ${kind}`);
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const scope = metadata.namespace === undefined ? '' : `/namespaces/${metadata.namespace}`;
  return `${root}${scope}/${plural}/${metadata.name}`;
}
