/** What the snapshots say about each target: build, lives, and its metrics at the beginning and at the end. */
import type { MetricSeries, Snapshot } from '../../evidence/snapshots/snapshot.ts';
import type { IssueTarget, Life, Measured } from './issue-facts.ts';
import { SERIES_COUNT } from '../../evidence/metric-names.ts';
import { isOfProcess } from '../../evidence/snapshots/snapshot.ts';
import { firstSampleSeconds, seriesOfProcess } from '../../evidence/snapshots/process-series.ts';
import { labelOf } from '../../evidence/snapshots/read-metrics.ts';
import { targetFacts } from '../../judge/process/target-facts.ts';

export function issueTargets(snapshots: readonly Snapshot[]): IssueTarget[] {
  const observed = snapshots.filter(isOfProcess);
  const names = [...new Set(observed.map(({ process }) => process.target))];
  return names.map(name => {
    const own = observed.filter(({ process }) => process.target === name);
    const facts = targetFacts(own);
    const series = own.find(
      ({ series }) => series !== undefined && labelOf(series, 'kubernetes_build_info', 'platform'),
    );
    return {
      name,
      component: facts.component,
      version: facts.version,
      goVersion: facts.goVersion,
      buildId: own.map(({ process }) => process.buildId).findLast(id => id !== ''),
      platform: series?.series === undefined ? undefined : labelOf(series.series, 'kubernetes_build_info', 'platform'),
      cgroupVersion: facts.cgroupVersion,
      unusualGates: unusualGates(own),
      lives: lives(own),
    };
  });
}

function lives(snapshots: readonly Snapshot[]): Life[] {
  const keys = [...new Set(snapshots.map(({ process }) => process.key))];
  return keys.map(key => {
    const own = snapshots.filter(({ process }) => process.key === key);
    const times = own.flatMap(({ takenAtSeconds, takenAtFrom, series }) =>
      takenAtSeconds === undefined || takenAtFrom === 'file'
        ? []
        : [firstSampleSeconds(series) ?? takenAtSeconds, takenAtSeconds],
    );
    return {
      startedAtSeconds: own.map(({ process }) => process.startTimeSeconds).find(start => start !== undefined),
      fromSeconds: times.length === 0 ? undefined : Math.min(...times),
      toSeconds: times.length === 0 ? undefined : Math.max(...times),
      measured: measuredOf(seriesOfProcess(own, key)),
    };
  });
}

/** In the order of importance; the first name that exists counts. */
const METRICS: readonly (readonly [what: string, unit: Measured['unit'], ...names: string[]])[] = [
  ['resident memory', 'bytes', 'process_resident_memory_bytes'],
  ['live heap', 'bytes', 'go_gc_heap_live_bytes'],
  ['heap objects', 'bytes', 'go_memory_classes_heap_objects_bytes', 'go_memstats_heap_alloc_bytes'],
  ['heap unused', 'bytes', 'go_memory_classes_heap_unused_bytes'],
  ['heap free, not returned', 'bytes', 'go_memory_classes_heap_free_bytes'],
  ['stacks', 'bytes', 'go_memory_classes_heap_stacks_bytes', 'go_memstats_stack_inuse_bytes'],
  ['profiler buckets', 'bytes', 'go_memory_classes_profiling_buckets_bytes', 'go_memstats_buck_hash_sys_bytes'],
  ['goroutines', 'count', 'go_goroutines'],
  ['threads', 'count', 'go_threads'],
  ['file descriptors', 'count', 'process_open_fds'],
  ['running pods', 'count', 'kubelet_running_pods'],
  ['pods started', 'count', 'kubelet_started_pods_total'],
  ['metric series', 'count', SERIES_COUNT],
];

function measuredOf(series: ReadonlyMap<string, MetricSeries>): Measured[] {
  return METRICS.flatMap(([what, unit, ...names]) => {
    const found = names.map(name => series.get(name)).find(one => one !== undefined);
    const [from, to] = [found?.values.at(0), found?.values.at(-1)];
    if (found === undefined || from === undefined || to === undefined) return [];
    return [{ what, unit, from, to, fromSeconds: known(found.times.at(0)), toSeconds: known(found.times.at(-1)) }];
  });
}

function known(seconds: number | undefined): number | undefined {
  return Number.isNaN(seconds) ? undefined : seconds;
}

function unusualGates(snapshots: readonly Snapshot[]): string[] {
  const gates = new Set<string>();
  for (const { series } of snapshots) {
    for (const { name, labels, values } of series?.values() ?? []) {
      if (name !== 'kubernetes_feature_enabled') continue;
      const isOn = values[values.length - 1] === 1;
      if (labels['stage'] === 'ALPHA' && isOn) gates.add(`${labels['name']}=true`);
      if (labels['stage'] === 'BETA' && !isOn) gates.add(`${labels['name']}=false`);
    }
  }
  return [...gates].sort();
}
