/** How the detector reads each resource: which value of an hour counts, and how much a pod usually adds. */
import { type LeastGrowth, RESIDENT_METRICS, type Resource, RESOURCES, type ResourceUnit } from './resource.ts';
import { spellings } from './metric-names.ts';

/** How an hour's samples become one value. */
export type Aggregate =
  | 'median'
  | 'low' // the 20th percentile, so bursts do not count
  | 'floor' // the lowest, since it has a sawtooth between collections
  | 'mean';

export interface ResourceSource {
  readonly metric: string;
  readonly aggregate: Aggregate;
}

export interface ResourceRule {
  readonly resource: Resource;
  readonly unit: ResourceUnit;
  /** Best first. */
  readonly sources: readonly ResourceSource[];
  readonly leastGrowth: LeastGrowth;
  /** How much one pod usually holds, and its spread: the prior before the fleet has learned. */
  readonly perPod: number;
  readonly perPodSpread: number;
}

const MIB = 1024 * 1024;

/** How much one pod usually holds, and its spread. */
const PER_POD: Readonly<Record<Resource, readonly [perPod: number, spread: number]>> = {
  goroutines: [4, 6],
  'live heap': [0.2 * MIB, 0.5 * MIB],
  'memory outside the Go heap': [0.05 * MIB, 0.3 * MIB],
  stacks: [0.03 * MIB, 0.06 * MIB],
  threads: [0.05, 0.3],
  'file descriptors': [1.5, 3],
  'metric series': [60, 100],
};

/** The goal of the collector, from which goal-heap.ts gets the live heap, and what is allocated. */
export const GOAL_METRIC = 'go_memstats_next_gc_bytes';
export const ALLOC_METRICS: readonly string[] = ['go_memstats_heap_alloc_bytes', 'go_memstats_alloc_bytes'];

const COUNTED_BETWEEN_BURSTS: ReadonlySet<Resource> = new Set<Resource>(['goroutines', 'threads', 'file descriptors']);

export const RESOURCE_RULES: readonly ResourceRule[] = RESOURCES.map(({ resource, unit, metrics, leastGrowth }) => {
  const [perPod, perPodSpread] = PER_POD[resource];
  return { resource, unit, sources: sourcesOf(resource, metrics), leastGrowth, perPod, perPodSpread };
});

function sourcesOf(resource: Resource, metrics: readonly string[]): ResourceSource[] {
  if (resource !== 'live heap') {
    const aggregate = COUNTED_BETWEEN_BURSTS.has(resource) ? 'low' : 'median';
    return metrics.flatMap(spellings).map(metric => ({ metric, aggregate }));
  }
  const [live, ...others] = metrics;
  return [
    ...(live === undefined ? [] : [{ metric: live, aggregate: 'median' as const }]),
    { metric: GOAL_METRIC, aggregate: 'median' },
    ...others.map(metric => ({ metric, aggregate: 'floor' as const })),
    // Without the runtime's own figures, only resident memory is left.
    ...RESIDENT_METRICS.map(metric => ({ metric, aggregate: 'low' as const })),
  ];
}

/** The first of these metrics that a target exposes gives its number of pods. */
export const POD_METRICS: readonly string[] = [...spellings('kubelet_running_pods'), 'kubelet_active_pods'];
