/** From a target's name to a connection that asks it. */
import { decodeText } from '../../base/text.ts';
import { targetText, type TargetRef } from '../../model/target.ts';
import type { ClusterConnection, TargetConnection } from '../../ports/target-connection.ts';
import type { Reply, Via } from '../../model/reply.ts';
import type { KubeAccess, KubeOptions } from '../kube/kube-access.ts';
import { proxyFromEnvironment } from './proxy-tunnel.ts';
import { readCredentialFile, readToken } from './credential-files.ts';
import { type Credentials, type Endpoint, sendRequest } from './send-request.ts';

export interface OpenOptions extends KubeOptions {
  /** To the kubelet itself instead of through the API server. */
  readonly direct: boolean;
  readonly clientCertificate: string;
  readonly clientKey: string;
}

/** The way to the target could not be found: what was asked for it, and what came back. */
export interface NotOpened {
  readonly kind: 'not-opened';
  readonly address: string;
  readonly path: string;
  readonly reply: Reply;
}

export interface OpenedTarget {
  readonly kind: 'opened';
  readonly connection: TargetConnection;
  /** Where the target is one of a cluster. */
  readonly cluster: ClusterConnection | undefined;
  /** Certificates are not verified, by flag or by kubeconfig. */
  readonly isInsecure: boolean;
}

export async function openCluster(options: KubeOptions): Promise<ClusterConnection> {
  const { openKubeAccess } = await import('../kube/kube-access.ts');
  return clusterOf(await openKubeAccess(options));
}

/** Any http(s) URL, with whatever path it has. */
export function openUrl(url: string, options: OpenOptions): TargetConnection {
  return daemon({ kind: 'url', url: url.replace(/\/+$/, '') }, options);
}

export async function openTarget(ref: TargetRef, options: OpenOptions): Promise<OpenedTarget | NotOpened> {
  if (ref.kind === 'url' || ref.kind === 'unix') {
    return { kind: 'opened', connection: daemon(ref, options), cluster: undefined, isInsecure: options.insecure };
  }
  const { openKubeAccess } = await import('../kube/kube-access.ts');
  const access = await openKubeAccess(options);
  const cluster = clusterOf(access);
  if (ref.kind === 'node' && options.direct) {
    const found = await findKubelet(ref.name, cluster);
    if (found.kind === 'not-opened') return found;
    const endpoint = { ...access.endpoint, base: found.base, tls: { insecure: options.insecure } };
    // A kubelet is inside the cluster's network: the way to the API server does not lead there.
    const own = { ...endpoint, proxy: proxyFromEnvironment(found.base, options.env) };
    return {
      kind: 'opened',
      connection: connection(targetText(ref), 'kubelet', own),
      cluster,
      isInsecure: options.insecure,
    };
  }
  const target = targetText(ref.kind === 'pod' ? { ...ref, namespace: ref.namespace ?? access.namespace } : ref);
  const base = new URL(access.endpoint.base);
  base.pathname = base.pathname.replace(/\/+$/, '') + proxyPath(ref, access.namespace);
  const via = ref.kind === 'apiserver' ? 'api-server' : 'api-server-proxy';
  return {
    kind: 'opened',
    connection: connection(target, via, { ...access.endpoint, base }),
    cluster,
    isInsecure: access.endpoint.tls.insecure === true,
  };
}

/** What stands before the target's own path in a request to the API server. */
function proxyPath(ref: TargetRef, namespace: string): string {
  if (ref.kind === 'node') return `/api/v1/nodes/${ref.name}/proxy`;
  if (ref.kind !== 'pod') return '';
  const pod = `${ref.scheme === 'https' ? 'https:' : ''}${ref.name}${ref.port === undefined ? '' : `:${ref.port}`}`;
  return `/api/v1/namespaces/${ref.namespace ?? namespace}/pods/${pod}/proxy`;
}

export function clusterOf({ context, namespace, endpoint }: KubeAccess): ClusterConnection {
  return {
    context,
    namespace,
    address: endpoint.base.origin,
    get: (path, limits) => sendRequest(endpoint, { method: 'GET', path }, limits),
    post: (path, json, limits) => sendRequest(endpoint, { method: 'POST', path, json }, limits),
  };
}

export function connection(target: string, via: Via, endpoint: Endpoint): TargetConnection {
  return {
    target,
    via,
    address: endpoint.socketPath ?? endpoint.base.origin,
    get: (path, limits) => sendRequest(endpoint, { method: 'GET', path }, limits),
  };
}

function daemon(ref: TargetRef & { kind: 'url' | 'unix' }, options: OpenOptions): TargetConnection {
  const base = new URL(ref.kind === 'url' ? ref.url : 'http://localhost');
  return connection(targetText(ref), ref.kind === 'url' ? 'http' : 'unix', {
    base,
    ...(ref.kind === 'unix' ? { socketPath: ref.socketPath } : { proxy: proxyFromEnvironment(base, options.env) }),
    tls: { insecure: options.insecure },
    credentials: () => daemonCredentials(options),
  });
}

async function daemonCredentials(options: OpenOptions): Promise<Credentials> {
  const file = (path: string): Promise<Buffer> => readCredentialFile(path, options.cwd);
  return {
    headers:
      options.tokenFile === '' ? {} : { Authorization: `Bearer ${await readToken(options.tokenFile, options.cwd)}` },
    ...(options.certificateAuthority === '' ? {} : { ca: await file(options.certificateAuthority) }),
    ...(options.clientCertificate === '' ? {} : { cert: await file(options.clientCertificate) }),
    ...(options.clientKey === '' ? {} : { key: await file(options.clientKey) }),
  };
}

const NODE_LIMITS = { deadlineSeconds: 15, maxBytes: 4 * 1024 * 1024, accept: 'application/json' };

/** The address and port that the node itself tells the API server to use. */
async function findKubelet(
  name: string,
  cluster: ClusterConnection,
): Promise<{ kind: 'found'; base: URL } | NotOpened> {
  const path = `/api/v1/nodes/${name}`;
  const { address } = cluster;
  const reply = await cluster.get(path, NODE_LIMITS);
  if (reply.kind !== 'answer' || reply.status !== 200) return { kind: 'not-opened', address, path, reply };
  const base = kubeletUrl(decodeText(reply.body));
  if (base !== undefined) return { kind: 'found', base };
  const message = `the node ${name} tells no address`;
  return {
    kind: 'not-opened',
    address,
    path,
    reply: { kind: 'other', message, tls: undefined, tookSeconds: reply.tookSeconds },
  };
}

interface NodeStatus {
  readonly status?: {
    readonly addresses?: readonly { readonly type?: string; readonly address?: string }[];
    readonly daemonEndpoints?: { readonly kubeletEndpoint?: { readonly Port?: number } };
  };
}

export function kubeletUrl(json: string): URL | undefined {
  let node: NodeStatus;
  try {
    node = JSON.parse(json) as NodeStatus;
  } catch {
    return undefined;
  }
  const addresses = Array.isArray(node.status?.addresses) ? node.status.addresses : [];
  const types = ['InternalIP', 'ExternalIP', 'Hostname'];
  const address = types.map(type => addresses.find(one => one.type === type)?.address).find(one => one !== undefined);
  const port = node.status?.daemonEndpoints?.kubeletEndpoint?.Port ?? 10_250;
  const text = `https://${address?.includes(':') ? `[${address}]` : address}:${port}`;
  return address !== undefined && URL.canParse(text) ? new URL(text) : undefined;
}
