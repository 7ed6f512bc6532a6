/** Facts about the process in one scrape. */
import { readExposition } from './formats/read-exposition.ts';
import { canonicalName, isUsedFor } from './metric-names.ts';
import type { Collection } from './capture.ts';
import { forEachSample } from './formats/exposition.ts';
import { isLimit } from './resource.ts';
import { ruleFor } from './recording/source.ts';

interface MetricsFacts {
  /** `v1.36.0`; '' when unknown. */
  readonly version: string;
  readonly goVersion: string;
  readonly goroutines: number | undefined;
  readonly residentBytes: number | undefined;
  readonly startTimeSeconds: number | undefined;
  /** What the last garbage collection left alive; undefined where only sums with garbage are told. */
  readonly liveHeapBytes: number | undefined;
  /** With what is garbage by now; at least as much as is live. */
  readonly heapBytes: number | undefined;
  /** The last garbage collection. */
  readonly collection: Collection | undefined;
  /** 1 or 2; undefined when the kubelet does not know it. */
  readonly cgroupVersion: number | undefined;
  /** Names of the feature gates that are on. */
  readonly featuresOn: readonly string[];
  /** All series, also those that an analysis cannot use. */
  readonly seriesCount: number;
  /** The names that were read; doctor says which of its names are missing. */
  readonly names: ReadonlySet<string>;
}

export function factsOfMetrics(bytes: Uint8Array): MetricsFacts {
  const read = readExposition(bytes, { select: name => isUsedFor(name, 'triage', 'doctor', 'attributes', 'capture') });
  const values = new Map<string, number>();
  const featuresOn: string[] = [];
  let [version, goVersion] = ['', ''];
  forEachSample(read, ({ name: ownName, labels }, value) => {
    const name = canonicalName(ownName);
    values.set(name, value);
    if (name === 'kubernetes_build_info') {
      version = labels['git_version'] ?? '';
      goVersion = labels['go_version'] ?? '';
    } else if (name === 'go_info' && goVersion === '') goVersion = labels['version'] ?? '';
    else if (name === 'etcd_server_version' && version === '') version = labels['server_version'] ?? '';
    else if (name === 'kubernetes_feature_enabled' && value === 1) featuresOn.push(labels['name'] ?? '');
  });
  return {
    version,
    goVersion,
    goroutines: values.get('go_goroutines'),
    residentBytes: values.get('process_resident_memory_bytes'),
    startTimeSeconds: values.get('process_start_time_seconds'),
    liveHeapBytes: values.get('go_gc_heap_live_bytes'),
    heapBytes: values.get('go_memstats_heap_alloc_bytes') ?? values.get('go_memory_classes_heap_objects_bytes'),
    collection: collectionIn(values),
    cgroupVersion: values.get('kubelet_cgroup_version') || undefined,
    featuresOn,
    seriesCount: read.scrapes.at(-1)?.seriesCount ?? 0,
    names: new Set(values.keys()),
  };
}

function collectionIn(values: ReadonlyMap<string, number>): Collection | undefined {
  const number = values.get('go_gc_cycles_total_gc_cycles_total') ?? values.get('go_gc_duration_seconds_count');
  const ended = values.get('go_memstats_last_gc_time_seconds') ?? 0;
  const atSeconds = ended > 0 ? ended : undefined;
  return number === undefined && atSeconds === undefined ? undefined : { number, atSeconds };
}

/** The memory limit of a kubelet's cgroup, as cAdvisor shows it in `/metrics/cadvisor`. */
export const CGROUP_LIMIT = 'container_spec_memory_limit_bytes';

/** Undefined when the kubelet's cgroup has none. */
export function cgroupLimitIn(body: Uint8Array): number | undefined {
  let limit: number | undefined;
  forEachSample(readExposition(body, { select: name => name === CGROUP_LIMIT }), (series, value) => {
    if (ruleFor(series)?.metric === CGROUP_LIMIT && isLimit(value)) limit = Math.min(limit ?? Infinity, value);
  });
  return limit;
}
