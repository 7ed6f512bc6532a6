/** The programs of the lab, and the Go modules they are built from. */

/** The first has the context leak kubernetes#139823, the second its fix. */
export const KUBERNETES_VERSIONS = ['1.36.0', '1.36.3'] as const;
export type KubernetesVersion = (typeof KUBERNETES_VERSIONS)[number];

export function isKubernetesVersion(value: unknown): value is KubernetesVersion {
  return KUBERNETES_VERSIONS.some(version => version === value);
}

/** Kubelets may be of another patch release than the control plane. */
export const CONTROL_PLANE_VERSION: KubernetesVersion = '1.36.3';
const ETCD_VERSION = '3.6.8';

const COMMITS: Readonly<Record<KubernetesVersion, string>> = {
  '1.36.0': 'ecf6decece6a6de25a57aad9ba90b6ce580f6f78',
  '1.36.3': '0f29094e5b73085e3802ecc1298ecae13866bfe6',
};

/** A Go module of the lab: either a release of Kubernetes with its staging modules, or the standard library only. */
export type LabModule = KubernetesVersion | 'plain';

export interface Program {
  readonly name: string;
  readonly module: LabModule;
  /** A folder of lab/go as './NAME', or the path of a package elsewhere. */
  readonly package: string;
}

export type ProgramName =
  | 'kube-apiserver'
  | 'kube-controller-manager'
  | 'kube-scheduler'
  | 'etcd'
  | 'kubectl'
  | 'daemon'
  | 'keeper'
  | 'certificates'
  | `kubelet-${KubernetesVersion}`;

function ofControlPlane(name: ProgramName, path = `k8s.io/kubernetes/cmd/${name}`): Program {
  return { name, module: CONTROL_PLANE_VERSION, package: path };
}

/** In the order in which they are built: what is quick and what others wait for comes first. */
export const PROGRAMS: Readonly<Record<ProgramName, Program>> = {
  certificates: { name: 'certificates', module: 'plain', package: './certificates' },
  daemon: { name: 'daemon', module: 'plain', package: './daemon' },
  keeper: { name: 'keeper', module: 'plain', package: './keeper' },
  etcd: ofControlPlane('etcd', 'go.etcd.io/etcd/server/v3'),
  'kube-apiserver': ofControlPlane('kube-apiserver'),
  'kube-controller-manager': ofControlPlane('kube-controller-manager'),
  'kube-scheduler': ofControlPlane('kube-scheduler'),
  kubectl: ofControlPlane('kubectl'),
  // In the field the binary is called kubelet, and profiles say so.
  'kubelet-1.36.0': { name: 'kubelet', module: '1.36.0', package: './node' },
  'kubelet-1.36.3': { name: 'kubelet', module: '1.36.3', package: './node' },
};

/** Kubernetes requires these at v0.0.0 and replaces them by its own staging folders, which a module zip does not have. */
const STAGING =
  'api apiextensions-apiserver apimachinery apiserver cli-runtime client-go cloud-provider cluster-bootstrap ' +
  'code-generator component-base component-helpers controller-manager cri-api cri-client cri-streaming ' +
  'csi-translation-lib dynamic-resource-allocation endpointslice externaljwt kms kube-aggregator ' +
  'kube-controller-manager kube-proxy kube-scheduler kubectl kubelet metrics mount-utils pod-security-admission ' +
  'sample-apiserver sample-cli-plugin sample-controller streaming';

export function goModOf(module: LabModule): string {
  if (module === 'plain') return 'module lab\n\ngo 1.24\n';
  const stagingVersion = module.replace(/^1\./, 'v0.');
  return [
    'module lab',
    '',
    'go 1.26.0',
    '',
    // The line of a dependency does not count.
    'godebug default=go1.26',
    '',
    `require go.etcd.io/etcd/server/v3 v${ETCD_VERSION}`,
    `require k8s.io/kubernetes v${module}`,
    '',
    ...STAGING.split(' ').map(name => `replace k8s.io/${name} => k8s.io/${name} ${stagingVersion}`),
    '',
  ].join('\n');
}

/** Stripped as the releases are; without the version a build calls itself v0.0.0-master. */
export function linkerFlagsOf(module: LabModule): string {
  if (module === 'plain') return '-s -w';
  const [major, minor] = module.split('.');
  const values = {
    gitVersion: `v${module}`,
    gitCommit: COMMITS[module],
    gitTreeState: 'clean',
    gitMajor: major,
    gitMinor: minor,
  };
  const packages = ['k8s.io/component-base/version', 'k8s.io/client-go/pkg/version'];
  const settings = packages.flatMap(path =>
    Object.entries(values).map(([name, value]) => `-X ${path}.${name}=${value}`),
  );
  return ['-s -w', ...settings].join(' ');
}
