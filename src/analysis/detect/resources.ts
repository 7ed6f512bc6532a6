/** What can leak, from which metric it is read, and how much of it matters. */
import type { DetectedResource } from '../../model/detection.ts';

/** How an hour's samples become one value. */
export type Aggregate =
  | 'median'
  | 'low' // the 20th percentile: bursts do not count
  | 'floor' // the lowest: a sawtooth between collections
  | 'mean';

export interface ResourceSource {
  readonly metric: string;
  readonly aggregate: Aggregate;
}

export interface ResourceRule {
  readonly resource: DetectedResource;
  readonly unit: 'bytes' | 'count';
  /** Best first. */
  readonly sources: readonly ResourceSource[];
  /** Growth over a window below both of these does not matter. */
  readonly leastGrowth: number;
  readonly leastShare: number;
  /** What one pod usually holds, with its spread: where the fleet starts from before it has learned. */
  readonly perPod: number;
  readonly perPodSpread: number;
}

const MIB = 1024 * 1024;

/** The verb that a sentence about the resource needs: `live heap grows`, `goroutines grow`. */
export function verbOf(resource: DetectedResource, singular: 'grows' | 'rises'): string {
  return resource === 'live heap' ? singular : singular.slice(0, -1);
}

export const RESOURCE_RULES: readonly ResourceRule[] = [
  {
    resource: 'goroutines',
    unit: 'count',
    sources: sources('low', 'go_goroutines', 'go_sched_goroutines_goroutines', 'kubelet_goroutines'),
    leastGrowth: 20,
    leastShare: 0.03,
    perPod: 4,
    perPodSpread: 6,
  },
  {
    resource: 'live heap',
    unit: 'bytes',
    sources: [
      ...sources('median', 'go_gc_heap_live_bytes'),
      ...sources('floor', 'go_memstats_heap_inuse_bytes', 'go_memstats_heap_alloc_bytes', 'go_memstats_alloc_bytes'),
      // Without the runtime's own figures, resident memory is all there is.
      ...sources('low', 'process_resident_memory_bytes', 'container_memory_working_set_bytes'),
    ],
    leastGrowth: 6 * MIB,
    leastShare: 0.05,
    perPod: 0.2 * MIB,
    perPodSpread: 0.5 * MIB,
  },
  {
    resource: 'stacks',
    unit: 'bytes',
    sources: sources('median', 'go_memory_classes_heap_stacks_bytes', 'go_memstats_stack_inuse_bytes'),
    leastGrowth: 2 * MIB,
    leastShare: 0.1,
    perPod: 0.03 * MIB,
    perPodSpread: 0.06 * MIB,
  },
  {
    resource: 'threads',
    unit: 'count',
    sources: sources('low', 'go_sched_threads_total_threads', 'go_threads'),
    // The runtime keeps every thread it ever needed, so bursts ratchet them up.
    leastGrowth: 25,
    leastShare: 0.25,
    perPod: 0.05,
    perPodSpread: 0.3,
  },
  {
    resource: 'file descriptors',
    unit: 'count',
    sources: sources('low', 'process_open_fds'),
    leastGrowth: 20,
    leastShare: 0.05,
    perPod: 1.5,
    perPodSpread: 3,
  },
  {
    resource: 'metric series',
    unit: 'count',
    sources: sources('median', 'oakum_scrape_series', 'scrape_samples_scraped'),
    leastGrowth: 500,
    leastShare: 0.05,
    perPod: 60,
    perPodSpread: 100,
  },
];

function sources(aggregate: Aggregate, ...metrics: string[]): ResourceSource[] {
  return metrics.map(metric => ({ metric, aggregate }));
}

/** The first of these that a target exposes counts its pods. */
export const POD_METRICS = ['kubelet_running_pods', 'kubelet_running_pod_count', 'kubelet_active_pods'] as const;
