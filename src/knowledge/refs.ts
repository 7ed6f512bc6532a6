/** `kubernetes#139823` or `CVE-2025-64329`, and where it is. */

const REPOSITORIES: Readonly<Record<string, string>> = {
  kubernetes: 'kubernetes/kubernetes',
  'client-go': 'kubernetes/client-go',
  'apiserver-network-proxy': 'kubernetes-sigs/apiserver-network-proxy',
  kcp: 'kcp-dev/kcp',
  cadvisor: 'google/cadvisor',
  containerd: 'containerd/containerd',
  'cri-o': 'cri-o/cri-o',
  etcd: 'etcd-io/etcd',
  runc: 'opencontainers/runc',
  'argo-cd': 'argoproj/argo-cd',
  'argo-workflows': 'argoproj/argo-workflows',
  calico: 'projectcalico/calico',
  'cert-manager': 'cert-manager/cert-manager',
  cilium: 'cilium/cilium',
  'cluster-api': 'kubernetes-sigs/cluster-api',
  consul: 'hashicorp/consul',
  'controller-runtime': 'kubernetes-sigs/controller-runtime',
  coredns: 'coredns/coredns',
  istio: 'istio/istio',
  karpenter: 'kubernetes-sigs/karpenter',
  keda: 'kedacore/keda',
  'kube-state-metrics': 'kubernetes/kube-state-metrics',
  kubevirt: 'kubevirt/kubevirt',
  kyverno: 'kyverno/kyverno',
  longhorn: 'longhorn/longhorn',
  moby: 'moby/moby',
  nomad: 'hashicorp/nomad',
  prometheus: 'prometheus/prometheus',
  tetragon: 'cilium/tetragon',
  vault: 'hashicorp/vault',
};

/** A known short name or owner/name, and a number; or a CVE. */
export function isRef(ref: string): boolean {
  return refUrl(ref) !== undefined;
}

export function refUrl(ref: string): string | undefined {
  if (CVE.test(ref)) return CVES + ref;
  const match = /^([\w.-]+(?:\/[\w.-]+)?)#([1-9]\d{0,8})$/.exec(ref);
  if (match === null) return undefined;
  const [, name = '', number] = match;
  if (name === 'rhbz') return `https://bugzilla.redhat.com/show_bug.cgi?id=${number}`;
  const repository = name.includes('/') ? name : Object.hasOwn(REPOSITORIES, name) ? REPOSITORIES[name] : undefined;
  // GitHub leads from an issue's address to a pull request of that number.
  return repository === undefined ? undefined : `https://github.com/${repository}/issues/${number}`;
}

const CVE = /^CVE-\d{4}-\d{4,7}$/;
const CVES = 'https://www.cve.org/CVERecord?id=';

const SHORT_NAMES: ReadonlyMap<string, string> = new Map(
  Object.entries(REPOSITORIES).map(([name, repository]) => [repository, name]),
);

/** The other way: of an address that `refUrl` gives, or that of its pull request. */
export function refOf(url: string): string | undefined {
  const bug = /^https:\/\/bugzilla\.redhat\.com\/show_bug\.cgi\?id=(\d+)$/.exec(url);
  if (bug !== null) return `rhbz#${bug[1]}`;
  if (url.startsWith(CVES)) return url.slice(CVES.length);
  const [, repository, number] = /^https:\/\/github\.com\/([\w.-]+\/[\w.-]+)\/(?:issues|pull)\/(\d+)$/.exec(url) ?? [];
  return repository === undefined ? undefined : `${SHORT_NAMES.get(repository) ?? repository}#${number}`;
}
