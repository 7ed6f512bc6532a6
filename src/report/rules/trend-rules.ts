/** What the rules watch: where its level is read and how much growth is worth a word. */
import { factsOf, type LeastGrowth, type Resource, type ResourceUnit } from '../../model/resource.ts';
import { ofTargets, type Scope } from './scope.ts';

export interface TrendRule {
  readonly resource: Resource;
  /** In names of series: `oakum:goroutines:floor1h`. */
  readonly key: string;
  readonly alert: string;
  readonly unit: ResourceUnit;
  /** The hourly level, free of what comes and goes within minutes. */
  readonly hourly: (scope: Scope) => string;
  /** In a day. Its share is of the lowest level of two weeks: of today's level a leak would be less and less. */
  readonly watch: LeastGrowth;
  /** In three days. */
  readonly leak: LeastGrowth;
  /** It piles up while calls to the container runtime fail or hang, and goes when they end. */
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
    // What the last collection left alive has no sawtooth; the heap in use, all that old versions tell, is one.
    hourly: scope =>
      `quantile_over_time(0.5, ${ofTargets(scope, 'go_gc_heap_live_bytes')}[1h])\n` +
      `or min_over_time(${ofTargets(scope, 'go_memstats_heap_inuse_bytes')}[1h])`,
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
    // Within a day or three, fewer count than over the two weeks that the detector sees.
    watch: { amount: 10, share: 0.2 },
    leak: { amount: 10, share: 0.15 },
    waitsForRuntime: true,
  },
  {
    ...common('metric series'),
    key: 'metric_series',
    alert: 'OakumMetricSeriesRising',
    // Of a kubelet's endpoints only the one that has go_goroutines; cAdvisor's follows the pods.
    hourly: scope =>
      `quantile_over_time(0.5, ${ofTargets(scope, 'scrape_samples_scraped')}[1h]) and ${ofTargets(scope, 'go_goroutines')}`,
    waitsForRuntime: false,
  },
];

function common(resource: Resource): Pick<TrendRule, 'resource' | 'unit' | 'watch' | 'leak'> {
  const { unit, leastGrowth } = factsOf(resource);
  return { resource, unit, watch: leastGrowth, leak: leastGrowth };
}
