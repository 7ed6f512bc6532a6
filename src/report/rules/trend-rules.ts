/** The resources that the rules watch: where to read the level, and how much growth matters. */
import { factsOf, type LeastGrowth, type Resource, type ResourceUnit } from '../../evidence/resource.ts';
import { ofTargets, type Scope } from './rule.ts';

export interface TrendRule {
  readonly resource: Resource;
  /** In names of series: `oakum:goroutines:floor1h`. */
  readonly key: string;
  readonly alert: string;
  readonly unit: ResourceUnit;
  /** The hourly level, without what comes and goes within minutes. */
  readonly hourly: (scope: Scope) => string;
  /** In a day. The share is of the lowest level of two weeks: a leak would be an ever smaller share of today's level. */
  readonly watch: LeastGrowth;
  /** In three days. */
  readonly leak: LeastGrowth;
  /** Piles up while calls to the container runtime fail or hang, and disappears when they end. */
  readonly waitsForRuntime: boolean;
}

export const TREND_RULES: readonly TrendRule[] = [
  {
    ...common('goroutines'),
    key: 'goroutines',
    alert: 'OakumGoroutinesRising',
    hourly: scope => `quantile_over_time(0.2, ${ofTargets(scope, 'go_goroutines')}[1h])`,
    waitsForRuntime: true,
  },
  {
    ...common('live heap'),
    key: 'live_heap_bytes',
    alert: 'OakumLiveHeapRising',
    // The live heap after a collection has no sawtooth; the heap in use, the only metric of old versions, has one.
    hourly: scope =>
      `quantile_over_time(0.5, ${ofTargets(scope, 'go_gc_heap_live_bytes')}[1h])\n` +
      `or min_over_time(${ofTargets(scope, 'go_memstats_heap_inuse_bytes')}[1h])`,
    waitsForRuntime: false,
  },
  {
    ...common('memory outside the Go heap'),
    key: 'native_memory_bytes',
    alert: 'OakumNativeMemoryRising',
    hourly: scope => `min_over_time((\n  ${nativeMemory(scope).replaceAll('\n', '\n  ')}\n)[1h:1m])`,
    waitsForRuntime: false,
  },
  {
    ...common('file descriptors'),
    key: 'open_fds',
    alert: 'OakumFileDescriptorsRising',
    hourly: scope => `min_over_time(${ofTargets(scope, 'process_open_fds')}[1h])`,
    waitsForRuntime: true,
  },
  {
    ...common('threads'),
    key: 'threads',
    alert: 'OakumThreadsRising',
    hourly: scope => `min_over_time(${ofTargets(scope, 'go_threads')}[1h])`,
    // Smaller than in the detector, which sees two weeks instead of one or three days.
    watch: { amount: 10, share: 0.2 },
    leak: { amount: 10, share: 0.15 },
    waitsForRuntime: true,
  },
  {
    ...common('metric series'),
    key: 'metric_series',
    alert: 'OakumMetricSeriesRising',
    // Only the endpoint of a kubelet that has go_goroutines; the one of cAdvisor follows the pods.
    hourly: scope =>
      `quantile_over_time(0.5, ${ofTargets(scope, 'scrape_samples_scraped')}[1h]) and ${ofTargets(scope, 'go_goroutines')}`,
    waitsForRuntime: false,
  },
];

/** Resident memory beyond what the runtime holds; programs with an old client library have only the second form. */
function nativeMemory(scope: Scope): string {
  const of = (name: string): string => ofTargets(scope, name);
  const resident = of('process_resident_memory_bytes');
  return (
    `${resident} - (${of('go_memory_classes_total_bytes')} - ${of('go_memory_classes_heap_released_bytes')})\n` +
    `or ${resident} - (${of('go_memstats_sys_bytes')} - ${of('go_memstats_heap_released_bytes')})`
  );
}

function common(resource: Resource): Pick<TrendRule, 'resource' | 'unit' | 'watch' | 'leak'> {
  const { unit, leastGrowth } = factsOf(resource);
  return { resource, unit, watch: leastGrowth, leak: leastGrowth };
}
