/**
 * What can be observed, in the user's notation.
 *
 *     node/worker-17                     the kubelet of a node
 *     apiserver                          the API server of the kubeconfig's context (kcp too)
 *     pod/kube-system/etcd-cp-1:2381     a port of a pod; with https: pod/ns/https:name:8443
 *     http://localhost:6060              any Go daemon; /debug/pprof or /metrics and what follows is dropped
 *     unix:///run/kcp/debug.sock         a socket
 *     cluster/prod-eu/node/worker-17     one of the first three, in one of several clusters
 */
export type TargetRef =
  | (InCluster & { readonly kind: 'node'; readonly name: string })
  | (InCluster & { readonly kind: 'apiserver' })
  | (InCluster & {
      readonly kind: 'pod';
      /** Undefined: that of the kubeconfig's context. */
      readonly namespace: string | undefined;
      readonly name: string;
      readonly scheme: 'http' | 'https';
      readonly port: number | undefined;
    })
  | { readonly kind: 'url'; readonly url: string }
  | { readonly kind: 'unix'; readonly socketPath: string };

interface InCluster {
  /** Only where there are several clusters. */
  readonly cluster?: string;
}

export type TargetKind = TargetRef['kind'];

/** The kind of a target, from its name; undefined for other names, such as those from Prometheus labels. */
export function targetKind(target: string): TargetKind | undefined {
  const ref = parseTargetRef(target);
  return typeof ref === 'string' ? undefined : ref.kind;
}

/** `worker-17` for `node/worker-17`; undefined if it is not a node. */
export function nodeName(target: string): string | undefined {
  const ref = parseTargetRef(target);
  return typeof ref !== 'string' && ref.kind === 'node' ? ref.name : undefined;
}

/** `prod-eu` for `cluster/prod-eu/node/worker-17`; undefined if its name has no cluster. */
export function clusterOf(target: string): string | undefined {
  return splitCluster(target)?.cluster;
}

/** The name of a target of the cluster, where there are several; without a cluster, the target itself. */
export function inCluster(target: string, cluster: string | undefined): string {
  return cluster === undefined ? target : `${CLUSTER_PREFIX}${cluster}/${target}`;
}

/** `node/worker-17` for `cluster/prod-eu/node/worker-17`. */
export function withoutCluster(target: string): string {
  return splitCluster(target)?.rest ?? target;
}

/** As the name of a cluster in the names of targets: contexts of a kubeconfig may be called anything. '' if nothing is left. */
export function clusterName(text: string): string {
  const name = text.replace(/[^A-Za-z0-9._-]+/g, '-').replace(/^[-._]+/, '');
  return name.slice(0, MAX_CLUSTER_LENGTH).replace(/[-._]+$/, '');
}

/**
 * Its name in evidence: a node by its bare name, everything else as the user named it. Nodes of several clusters may
 * have the same name, so theirs keep the cluster.
 */
export function nameInEvidence(target: string): string {
  return clusterOf(target) === undefined ? (nodeName(target) ?? target) : target;
}

const NAME = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/;
const CLUSTER_PREFIX = 'cluster/';
const MAX_CLUSTER_LENGTH = 100;
const CLUSTER = /^cluster\/([A-Za-z0-9](?:[A-Za-z0-9._-]{0,98}[A-Za-z0-9])?)\/(.+)$/;
const POD = /^(?:([^/]+)\/)?(?:(https?):)?([^/:]+)(?::(\d{1,5}))?$/;
const KNOWN = 'node/NAME, apiserver, pod/NAMESPACE/NAME:PORT, http(s)://HOST:PORT or unix:///PATH';

/** The target, or what is wrong with its name. */
export function parseTargetRef(text: string, namespace?: string): TargetRef | string {
  if (!text.startsWith(CLUSTER_PREFIX)) return parseWithoutCluster(text, namespace);
  const split = splitCluster(text);
  if (split === undefined) return `${text}: a target of one of several clusters is cluster/NAME/node/NAME`;
  const { cluster, rest } = split;
  const ref = rest.startsWith(CLUSTER_PREFIX) ? 'it is in two clusters' : parseWithoutCluster(rest, namespace);
  if (typeof ref === 'string') return `${text}: ${ref}`;
  if (ref.kind === 'url' || ref.kind === 'unix') return `${text}: an address is in no cluster; give ${rest} alone`;
  return { ...ref, cluster };
}

function splitCluster(text: string): { readonly cluster: string; readonly rest: string } | undefined {
  const [, cluster, rest] = CLUSTER.exec(text) ?? [];
  return cluster === undefined || rest === undefined ? undefined : { cluster, rest };
}

function parseWithoutCluster(text: string, namespace: string | undefined): TargetRef | string {
  if (text === 'apiserver' || text === 'kube-apiserver') return { kind: 'apiserver' };
  if (/^https?:\/\//i.test(text)) return parseUrl(text);
  if (text.startsWith('unix:')) {
    const path = text.replace(/^unix:(?:\/\/)?/, '');
    return path.startsWith('/') ? { kind: 'unix', socketPath: path } : `${text}: a socket is unix:///absolute/path`;
  }
  const slash = text.indexOf('/');
  const rest = text.slice(slash + 1);
  switch (slash < 0 ? '' : text.slice(0, slash)) {
    case 'node':
    case 'nodes':
    case 'no':
      return NAME.test(rest) ? { kind: 'node', name: rest } : `${text}: ${rest || 'nothing'} is not a valid node name`;
    case 'pod':
    case 'pods':
    case 'po':
      return parsePod(text, rest, namespace);
    default:
      if (NAME.test(text)) return `${text} is not a target; did you mean node/${text}? Targets are ${KNOWN}`;
      return `${text === '' ? 'an empty text' : text} is not a target; targets are ${KNOWN}`;
  }
}

function parsePod(text: string, rest: string, namespace: string | undefined): TargetRef | string {
  const [, ofText, scheme, name = '', portText] = POD.exec(rest) ?? [];
  if (!NAME.test(name)) return `${text}: a pod is pod/NAMESPACE/NAME or pod/NAMESPACE/NAME:PORT`;
  const port = portText === undefined ? undefined : Number(portText);
  if (port !== undefined && (port < 1 || port > 65_535)) return `${text}: ${port} is not a port`;
  return { kind: 'pod', namespace: ofText ?? namespace, name, scheme: scheme === 'https' ? 'https' : 'http', port };
}

function parseUrl(text: string): TargetRef | string {
  if (!URL.canParse(text)) return `${text} is not a URL`;
  const url = new URL(text);
  if (url.username !== '' || url.password !== '')
    return `${url.host}: a password in a URL ends up in files and process lists; use --token-file`;
  // People paste URLs from curl: drop the endpoint to get the daemon.
  const base = url.pathname.replace(/\/(?:debug\/pprof|metrics)(?:\/.*)?$/, '').replace(/\/+$/, '');
  return { kind: 'url', url: `${url.origin}${base}` };
}

/** In the form that `parseTargetRef` reads. */
export function targetText(ref: TargetRef): string {
  return inCluster(bareText(ref), 'cluster' in ref ? ref.cluster : undefined);
}

function bareText(ref: TargetRef): string {
  switch (ref.kind) {
    case 'node':
      return `node/${ref.name}`;
    case 'apiserver':
      return 'apiserver';
    case 'pod': {
      // A pod may be called http, and pod/ns/http:80 would be read as a scheme.
      const scheme = ref.scheme === 'https' || /^https?$/.test(ref.name) ? `${ref.scheme}:` : '';
      const port = ref.port === undefined ? '' : `:${ref.port}`;
      return `pod/${ref.namespace === undefined ? '' : `${ref.namespace}/`}${scheme}${ref.name}${port}`;
    }
    case 'url':
      return ref.url;
    case 'unix':
      return `unix://${ref.socketPath}`;
  }
}

/** What a target is: `version`, `go`, `kernel`, `pool`, `gate/NAME`, `daemonset/NAME` ... An empty value is unknown. */
export type Attributes = Readonly<Record<string, string>>;
