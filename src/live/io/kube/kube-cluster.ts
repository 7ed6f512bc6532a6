/** A cluster and the processes in it, all reached with the same credentials. */
import type { KubeObject } from '../../../evidence/formats/kube-json/objects.ts';
import type { Reply } from '../../reply.ts';
import { replyJson } from '../../reply-json.ts';
import { inCluster, type TargetRef, targetText, withoutCluster } from '../../../evidence/target.ts';
import type { ClusterActions } from '../../cluster-actions.ts';
import type { CredentialFiles } from '../../credential-files.ts';
import { endpointConnection } from '../../endpoint-connection.ts';
import type { SendRequest } from '../../request-sender.ts';
import type { ClusterConnection, TargetConnection } from '../../target-connection.ts';
import { clusterActions } from './cluster-actions.ts';
import { openKubeAccess } from './kube-access.ts';
import type { KubeOptions } from './kube-credentials.ts';
import { kubeletUrl } from './kubelet-address.ts';

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
