/** A cluster and the processes in it, all reached with the same credentials. */
import { readFile } from 'node:fs/promises';
import type { KubeObject } from '../../../evidence/formats/kube-objects.ts';
import { type Reply, replyJson } from '../../reply.ts';
import { inCluster, type TargetRef, targetText, withoutCluster } from '../../../evidence/target.ts';
import {
  type ClusterConnection,
  type TargetConnection,
  type SendRequest,
  type Endpoint,
  endpointConnection,
  type CredentialFiles,
  type ClusterActions,
} from '../../ports.ts';
import { clusterActions } from './cluster-actions.ts';
import { type KubeOptions, type Chosen, credentialsOf, isSocks } from './kube-credentials.ts';
import { recordOf, textOf } from '../../../base/json.ts';
import { FormatError } from '../../../base/errors.ts';
import { type Kubeconfig, readKubeconfig, text } from './kubeconfig-files.ts';

const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

const DEFAULT_PORT = 10_250;

/** In the order in which the API server itself prefers them. */
const ADDRESS_TYPES = ['InternalIP', 'ExternalIP', 'Hostname'];

export type ClusterTarget = TargetRef & { readonly kind: 'node' | 'pod' | 'apiserver' };

export interface KubeCluster {
  readonly cluster: ClusterConnection;
  /** Its URL, with the path: several clusters may be behind one address. */
  readonly server: string;
  /** Certificates are not verified, by flag or by kubeconfig. */
  readonly isInsecure: boolean;
  /** That of the pod which this process runs in; undefined if it runs elsewhere. */
  readonly podNamespace: string | undefined;
  /** For commands that change the cluster; the user agent shows in the API server's audit log. */
  actions(userAgent: string, deadlineSeconds: number): ClusterActions;
  /** Through the API server. */
  target(ref: ClusterTarget): TargetConnection;
  /** To the kubelet's own port; undefined if the Node object has no address yet. */
  kubelet(name: string, node: KubeObject): TargetConnection | undefined;
  /** The same, after reading the Node object. */
  findKubelet(name: string): Promise<TargetConnection | NotOpened>;
}

/** There is no way to the target: what was asked to find one, and what came back. */
export interface NotOpened {
  readonly kind: 'not-opened';
  readonly address: string;
  readonly path: string;
  readonly reply: Reply;
}

const NODE_LIMITS = { deadlineSeconds: 15, maxBytes: 4 * 1024 * 1024, accept: 'application/json' };

/** Throws a FormatError if the kubeconfig is missing or unusable. */
export async function openKubeCluster(
  options: KubeOptions,
  send: SendRequest,
  files: CredentialFiles,
): Promise<KubeCluster> {
  const { clusterName } = options;
  const { context, namespace, podNamespace, endpoint } = await openKubeAccess(options, files);
  const { proxyUrl: _, ...direct } = endpoint;
  const cluster: ClusterConnection = {
    context,
    namespace,
    address: endpoint.base.origin,
    get: (path, limits) => send(endpoint, { method: 'GET', path }, limits),
    post: (path, json, limits) => send(endpoint, { method: 'POST', path, json }, limits),
  };
  const kubelet = (name: string, node: KubeObject): TargetConnection | undefined => {
    const base = kubeletUrl(node);
    if (base === undefined) return undefined;
    // A kubelet is inside the cluster's network: the kubeconfig's proxy does not lead there.
    const own = { ...direct, base, tls: { insecure: options.insecure } };
    return endpointConnection(nameOf({ kind: 'node', name }), 'kubelet', own, send);
  };
  const nameOf = (ref: ClusterTarget): string => inCluster(withoutCluster(targetText(ref)), clusterName);
  return {
    cluster,
    server: endpoint.base.href,
    isInsecure: endpoint.tls.insecure === true,
    podNamespace,
    actions: (userAgent, deadlineSeconds) =>
      clusterActions({ endpoint: { ...endpoint, userAgent }, send, deadlineSeconds }),
    target(ref) {
      const base = new URL(endpoint.base);
      base.pathname = base.pathname.replace(/\/+$/, '') + proxyPath(ref, namespace);
      const name = nameOf(ref.kind === 'pod' ? { ...ref, namespace: ref.namespace ?? namespace } : ref);
      const via = ref.kind === 'apiserver' ? 'api-server' : 'api-server-proxy';
      return endpointConnection(name, via, { ...endpoint, base }, send);
    },
    kubelet,
    async findKubelet(name) {
      const path = `/api/v1/nodes/${name}`;
      const reply = await cluster.get(path, NODE_LIMITS);
      const notOpened = (why: Reply): NotOpened => ({
        kind: 'not-opened',
        address: cluster.address,
        path,
        reply: why,
      });
      if (reply.kind !== 'answer' || reply.status !== 200) return notOpened(reply);
      const found = kubelet(name, replyJson(reply, NODE_LIMITS.maxBytes));
      if (found !== undefined) return found;
      const message = `the Node object of ${name} has no address`;
      return notOpened({ kind: 'other', message, tls: undefined, tookSeconds: reply.tookSeconds });
    },
  };
}

/** What precedes the target's own path in a request to the API server. */
function proxyPath(ref: ClusterTarget, namespace: string): string {
  if (ref.kind === 'node') return `/api/v1/nodes/${ref.name}/proxy`;
  if (ref.kind !== 'pod') return '';
  const pod = `${ref.scheme === 'https' ? 'https:' : ''}${ref.name}${ref.port === undefined ? '' : `:${ref.port}`}`;
  return `/api/v1/namespaces/${ref.namespace ?? namespace}/pods/${pod}/proxy`;
}

/** Where the kubelet of a Node object listens; undefined if the object has no address yet. */
function kubeletUrl(node: KubeObject): URL | undefined {
  const status = recordOf(node['status']);
  const addresses = Array.isArray(status['addresses']) ? status['addresses'].map(recordOf) : [];
  const ofType = (type: string): string => textOf(addresses.find(one => one['type'] === type)?.['address']);
  const address = ADDRESS_TYPES.map(ofType).find(one => one !== '');
  if (address === undefined) return undefined;
  const { Port: port } = recordOf(recordOf(status['daemonEndpoints'])['kubeletEndpoint']);
  const host = address.includes(':') ? `[${address}]` : address;
  const text = `https://${host}:${typeof port === 'number' ? port : DEFAULT_PORT}`;
  return URL.canParse(text) ? new URL(text) : undefined;
}

/** Where the API server is, by kubeconfig or inside a pod. */
interface KubeAccess {
  readonly context: string;
  readonly namespace: string;
  /** That of the pod which this process runs in; undefined if the cluster is another one. */
  readonly podNamespace: string | undefined;
  readonly endpoint: Endpoint;
}

async function openKubeAccess(options: KubeOptions, files: CredentialFiles): Promise<KubeAccess> {
  const config = await readKubeconfig({ path: options.kubeconfig, cwd: options.cwd, env: options.env });
  if (config !== undefined) return accessOf(choose(config, options), options, files);
  if ((options.env['KUBERNETES_SERVICE_HOST'] ?? '') !== '') {
    const pod = await insidePod(options);
    return { ...accessOf(pod, options, files), podNamespace: pod.namespace || undefined };
  }
  throw new FormatError(
    'there is no kubeconfig: give --kubeconfig FILE, set KUBECONFIG, or put one at ~/.kube/config; ' +
      'targets such as http://localhost:6060 need none',
  );
}

function choose(config: Kubeconfig, options: KubeOptions): Chosen {
  const name = options.context || config.currentContext;
  const names = config.contexts.map(context => context.name).join(', ') || 'none';
  if (name === '') throw new FormatError(`the kubeconfig has no current context; give --context, there are ${names}`);
  const context = config.contexts.find(one => one.name === name)?.fields;
  if (context === undefined) throw new FormatError(`the kubeconfig has no context ${name}; there are ${names}`);
  const cluster = config.clusters.find(one => one.name === context['cluster'])?.fields;
  if (cluster === undefined || text(cluster['server']) === '')
    throw new FormatError(
      `the kubeconfig's context ${name} names the cluster ${text(context['cluster'])}, which is missing`,
    );
  const user = config.users.find(one => one.name === context['user'])?.fields ?? {};
  return { context: name, namespace: text(context['namespace']), cluster, user };
}

async function insidePod({ env }: KubeOptions): Promise<Chosen> {
  const host = env['KUBERNETES_SERVICE_HOST'] ?? '';
  const server = `https://${host.includes(':') ? `[${host}]` : host}:${env['KUBERNETES_SERVICE_PORT'] ?? '443'}`;
  const namespace = await readFile(`${SERVICE_ACCOUNT}/namespace`, 'utf8').catch(() => '');
  return {
    context: 'in-cluster',
    namespace: namespace.trim(),
    cluster: { server, 'certificate-authority': `${SERVICE_ACCOUNT}/ca.crt` },
    user: { tokenFile: `${SERVICE_ACCOUNT}/token` },
  };
}

function accessOf(chosen: Chosen, options: KubeOptions, files: CredentialFiles): KubeAccess {
  const { cluster } = chosen;
  const server = text(cluster['server']);
  if (!URL.canParse(server)) throw new FormatError(`the kubeconfig's server ${server} is not a URL`);
  const base = new URL(server);
  const proxyUrl = text(cluster['proxy-url']);
  const serverName = text(cluster['tls-server-name']);
  const insecure = options.insecure || cluster['insecure-skip-tls-verify'] === true;
  return {
    context: chosen.context,
    namespace: options.namespace || chosen.namespace || 'default',
    podNamespace: undefined,
    endpoint: {
      base,
      // A SOCKS proxy comes as an agent with the credentials.
      ...(proxyUrl === '' || isSocks(proxyUrl) ? {} : { proxyUrl }),
      tls: { ...(serverName === '' ? {} : { serverName }), insecure },
      credentials: credentialsOf(chosen, options, files),
    },
  };
}
