/**
 * What can leak: one row per resource, with everything the program needs to know about it.
 *
 *     name in sentences     in JSON of findings   metric it is read from      growth that matters
 *     and in detections     and in the catalogue  (best first)
 *     live heap             heap                  go_gc_heap_live_bytes ...   6 MiB and 5 %
 */
import { NATIVE_MEMORY, SERIES_COUNT } from './metric-names.ts';

export type Resource =
  | 'goroutines'
  | 'live heap'
  | 'memory outside the Go heap'
  | 'stacks'
  | 'threads'
  | 'file descriptors'
  | 'metric series';

/** As the schema `oakum.analysis/v1` and the catalogue spell it. */
export type ResourceSlug =
  'goroutines' | 'heap' | 'native-memory' | 'stacks' | 'threads' | 'file-descriptors' | 'metric-series';

export type ResourceUnit = 'bytes' | 'count';

/** Growth matters above the larger of two thresholds: an amount, and a share of the level. */
export interface LeastGrowth {
  readonly amount: number;
  readonly share: number;
}

export interface ResourceFacts {
  readonly resource: Resource;
  readonly slug: ResourceSlug;
  readonly unit: ResourceUnit;
  readonly isPlural: boolean;
  /** Best first. */
  readonly metrics: readonly string[];
  readonly leastGrowth: LeastGrowth;
}

const MIB = 1024 * 1024;

export const RESOURCES: readonly ResourceFacts[] = [
  {
    resource: 'goroutines',
    slug: 'goroutines',
    unit: 'count',
    isPlural: true,
    metrics: ['go_goroutines', 'go_sched_goroutines_goroutines'],
    leastGrowth: { amount: 20, share: 0.03 },
  },
  {
    resource: 'live heap',
    slug: 'heap',
    unit: 'bytes',
    isPlural: false,
    // The live heap after a collection has no sawtooth. The others have one, so only their floor counts.
    metrics: [
      'go_gc_heap_live_bytes',
      'go_memstats_heap_inuse_bytes',
      'go_memstats_heap_alloc_bytes',
      'go_memstats_alloc_bytes',
    ],
    leastGrowth: { amount: 6 * MIB, share: 0.05 },
  },
  {
    resource: 'memory outside the Go heap',
    slug: 'native-memory',
    unit: 'bytes',
    isPlural: false,
    metrics: [NATIVE_MEMORY],
    // It wobbles by what the runtime maps and has not touched yet, and by file pages that come and go.
    leastGrowth: { amount: 16 * MIB, share: 0.1 },
  },
  {
    resource: 'stacks',
    slug: 'stacks',
    unit: 'bytes',
    isPlural: true,
    metrics: ['go_memory_classes_heap_stacks_bytes', 'go_memstats_stack_inuse_bytes'],
    leastGrowth: { amount: 2 * MIB, share: 0.1 },
  },
  {
    resource: 'threads',
    slug: 'threads',
    unit: 'count',
    isPlural: true,
    metrics: ['go_sched_threads_total_threads', 'go_threads'],
    // The runtime keeps every thread it ever needed, so bursts ratchet the number up.
    leastGrowth: { amount: 25, share: 0.25 },
  },
  {
    resource: 'file descriptors',
    slug: 'file-descriptors',
    unit: 'count',
    isPlural: true,
    metrics: ['process_open_fds'],
    leastGrowth: { amount: 20, share: 0.05 },
  },
  {
    resource: 'metric series',
    slug: 'metric-series',
    unit: 'count',
    isPlural: true,
    metrics: [SERIES_COUNT, 'scrape_samples_scraped'],
    // A kubelet with 50 pods has about 1,800.
    leastGrowth: { amount: 200, share: 0.05 },
  },
];

/**
 * What is resident beyond what the Go runtime holds: memory of C code, mapped files, stacks of threads. Undefined if the
 * process does not tell. It may be below 0, where the runtime holds pages that it has not touched.
 */
export function nativeBytesIn(values: Readonly<Record<string, number | undefined>>): number | undefined {
  const resident = values['process_resident_memory_bytes'];
  const [total, released] = [values['go_memory_classes_total_bytes'], values['go_memory_classes_heap_released_bytes']];
  const [sys, returned] = [values['go_memstats_sys_bytes'], values['go_memstats_heap_released_bytes']];
  const held = (total ?? NaN) - (released ?? NaN);
  const native = (resident ?? NaN) - (Number.isFinite(held) ? held : (sys ?? NaN) - (returned ?? NaN));
  return Number.isFinite(native) ? native : undefined;
}

/** What `nativeBytesIn` reads. */
export const NATIVE_PARTS: readonly string[] = [
  'process_resident_memory_bytes',
  'go_memory_classes_total_bytes',
  'go_memory_classes_heap_released_bytes',
  'go_memstats_sys_bytes',
  'go_memstats_heap_released_bytes',
];

interface Column {
  readonly times: Float64Array;
  readonly values: Float64Array;
}

/** Of series of the same scrapes; undefined if none has what it takes. */
export function nativeSeriesIn(find: (metric: string) => Column | undefined): Column | undefined {
  const resident = find('process_resident_memory_bytes');
  if (resident === undefined) return undefined;
  const at = NATIVE_PARTS.map(name => {
    const one = find(name);
    return [name, new Map(one === undefined ? [] : Array.from(one.times, (time, i) => [time, one.values[i]]))] as const;
  });
  const values = Float64Array.from(
    resident.times,
    time => nativeBytesIn(Object.fromEntries(at.map(([name, known]) => [name, known.get(time)]))) ?? NaN,
  );
  return values.some(Number.isFinite) ? { times: resident.times, values } : undefined;
}

/** Memory of the whole process: a substitute for the live heap if the runtime's own figures are missing. */
export const RESIDENT_METRICS: readonly string[] = [
  'process_resident_memory_bytes',
  'container_memory_working_set_bytes',
];

/** Values from here on mean "no limit": Go uses the largest int64, cgroups nearly that. */
const NO_LIMIT: number = 2 ** 60;

export function isLimit(value: number | undefined): value is number {
  return value !== undefined && value > 0 && value < NO_LIMIT;
}

/** What the API server says a node has for its pods; watch adds it to samples if nothing harder is known. */
export const NODE_ALLOCATABLE = 'node_allocatable_memory_bytes';

/** Memory limits in a sample, hardest first: the kernel kills at the cgroup's limit. */
const MEMORY_LIMIT_METRICS = ['container_spec_memory_limit_bytes', 'go_gc_gomemlimit_bytes', NODE_ALLOCATABLE] as const;

/** Where a memory limit comes from. */
export type LimitSource = 'cgroup' | 'GOMEMLIMIT' | 'node allocatable' | 'given';

const LIMIT_SOURCES: Readonly<Record<(typeof MEMORY_LIMIT_METRICS)[number], LimitSource>> = {
  container_spec_memory_limit_bytes: 'cgroup',
  go_gc_gomemlimit_bytes: 'GOMEMLIMIT',
  [NODE_ALLOCATABLE]: 'node allocatable',
};

/** Undefined when the sample has no limit. */
export function limitSourceIn(values: Readonly<Record<string, number | undefined>>): LimitSource | undefined {
  const metric = MEMORY_LIMIT_METRICS.find(name => isLimit(values[name]));
  return metric === undefined ? undefined : LIMIT_SOURCES[metric];
}

/** A cgroup without a limit reports 0, or a number near the largest; the runtime's own limit counts then. */
export function memoryLimitIn(values: Readonly<Record<string, number | undefined>>): number | undefined {
  return MEMORY_LIMIT_METRICS.map(name => values[name]).find(isLimit);
}

/** The Go runtime aborts a program that needs more. */
export const GO_THREAD_LIMIT = 10_000;

const BY_NAME: ReadonlyMap<Resource, ResourceFacts> = new Map(RESOURCES.map(one => [one.resource, one]));
const BY_SLUG: ReadonlyMap<ResourceSlug, ResourceFacts> = new Map(RESOURCES.map(one => [one.slug, one]));

export function factsOf(resource: Resource): ResourceFacts {
  return BY_NAME.get(resource) as ResourceFacts;
}

export function slugOf(resource: Resource): ResourceSlug {
  return factsOf(resource).slug;
}

export function resourceOf(slug: ResourceSlug): Resource {
  return (BY_SLUG.get(slug) as ResourceFacts).resource;
}

/** The verb form for a sentence about it: `live heap grows`, `goroutines grow`. */
export function verbOf(resource: Resource, singular: 'grows' | 'rises'): string {
  return factsOf(resource).isPlural ? singular.slice(0, -1) : singular;
}
