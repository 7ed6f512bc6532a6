/** What the evidence says about the target itself: program, version, feature gates. */
import type { TargetFacts } from '../../knowledge/preconditions.ts';
import { productOfFrames, productOfProcess, productWithMetric } from '../../knowledge/product.ts';
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

/** By the binary that its profiles name, by a metric that only it exposes, or by code that only it runs. */
function componentOf(snapshots: readonly Snapshot[], series: readonly MetricSeries[]): string | undefined {
  for (const { profile } of snapshots) {
    const binary = productOfProcess(profile?.mappings[0]?.file ?? '');
    if (binary !== undefined) return binary.name;
  }
  const metrics = new Set(series.map(({ name }) => name));
  const frames = new Set(
    snapshots.flatMap(({ families }) => families?.counts.flatMap(({ family }) => family.frames) ?? []),
  );
  return (productWithMetric(metrics) ?? productOfFrames(frames))?.name;
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
