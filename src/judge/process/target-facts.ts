/** What the evidence says about the target itself: program, version, feature gates. */
import type { TargetFacts } from '../../knowledge/preconditions.ts';
import type { MetricSeries, Snapshot } from '../../evidence/snapshots/snapshot.ts';

export interface GivenFacts {
  readonly component?: string | undefined;
  readonly version?: string | undefined;
}

/** From all snapshots of one target, in all its lives; what the user gave takes precedence. */
export function targetFacts(snapshots: readonly Snapshot[], given: GivenFacts = {}): TargetFacts {
  const series = snapshots.flatMap(snapshot => [...(snapshot.series?.values() ?? [])]);
  return {
    component: given.component ?? componentOf(snapshots, series),
    version: given.version ?? lastKnown(snapshots.map(({ process }) => process.version)),
    goVersion: lastKnown(snapshots.map(({ process }) => process.goVersion)),
    featureGates: featureGates(series),
    cgroupVersion: lastValue(series, 'kubelet_cgroup_version'),
  };
}

function lastKnown(values: readonly string[]): string | undefined {
  return values.findLast(value => value !== '');
}

/** A metric that only this component exposes. */
const TELLING_METRICS: readonly (readonly [metric: string, component: string])[] = [
  ['kubelet_running_pods', 'kubelet'],
  ['kubelet_running_containers', 'kubelet'],
  ['kubelet_started_pods_total', 'kubelet'],
];

/** A package that only this component runs. */
const TELLING_PACKAGES: readonly (readonly [prefix: string, component: string])[] = [
  ['k8s.io/kubernetes/cmd/kube-apiserver', 'kube-apiserver'],
  ['k8s.io/kubernetes/cmd/kube-controller-manager', 'kube-controller-manager'],
  ['k8s.io/kubernetes/cmd/kube-scheduler', 'kube-scheduler'],
  ['k8s.io/kubernetes/cmd/kube-proxy', 'kube-proxy'],
  ['k8s.io/kubernetes/cmd/kubelet', 'kubelet'],
  ['github.com/kcp-dev/kcp', 'kcp'],
  ['k8s.io/kubernetes/pkg/scheduler', 'kube-scheduler'],
  ['k8s.io/kubernetes/pkg/controlplane', 'kube-apiserver'],
  ['k8s.io/kubernetes/pkg/kubelet', 'kubelet'],
  ['github.com/containerd/containerd', 'containerd'],
  ['go.etcd.io/etcd', 'etcd'],
];

const BINARIES: ReadonlySet<string> = new Set([
  'kubelet',
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
  'kube-proxy',
  'kcp',
  'containerd',
  'etcd',
]);

function componentOf(snapshots: readonly Snapshot[], series: readonly MetricSeries[]): string | undefined {
  for (const { profile } of snapshots) {
    const file = profile?.mappings[0]?.file ?? '';
    const binary = file.slice(file.lastIndexOf('/') + 1);
    if (BINARIES.has(binary)) return binary;
  }
  for (const [metric, component] of TELLING_METRICS) if (series.some(({ name }) => name === metric)) return component;
  const frames = new Set(
    snapshots.flatMap(({ families }) => families?.counts.flatMap(({ family }) => family.frames) ?? []),
  );
  for (const [prefix, component] of TELLING_PACKAGES) {
    for (const frame of frames) if (frame.startsWith(prefix)) return component;
  }
  return undefined;
}

function featureGates(series: readonly MetricSeries[]): ReadonlyMap<string, boolean> | undefined {
  const gates = new Map<string, boolean>();
  for (const { name, labels, values } of series) {
    if (name === 'kubernetes_feature_enabled' && labels['name'] !== undefined) {
      gates.set(labels['name'], values[values.length - 1] === 1);
    }
  }
  return gates.size === 0 ? undefined : gates;
}

function lastValue(series: readonly MetricSeries[], name: string): number | undefined {
  return series.findLast(candidate => candidate.name === name)?.values.at(-1);
}
