/** What can leak: where its level is read and how much growth is worth a word. */
import type { DetectedResource } from '../../model/detection.ts';
import { ofTargets, type Scope } from './scope.ts';

/**
 * Growth counts when it is both: more than `least`, and more than `share` of the lowest level of two weeks. Of the level
 * of the day it would be less and less, the longer the leak lasts.
 */
export interface Materiality {
  readonly least: number;
  readonly share: number;
}

export interface Resource {
  readonly resource: DetectedResource;
  /** In names of series: `oakum:goroutines:floor1h`. */
  readonly key: string;
  readonly alert: string;
  readonly unit: 'bytes' | 'count';
  /** The hourly level, free of what comes and goes within minutes. */
  readonly hourly: (scope: Scope) => string;
  /** In a day. */
  readonly watch: Materiality;
  /** In three days. */
  readonly leak: Materiality;
  /** It piles up while calls to the container runtime fail or hang, and goes when they end. */
  readonly waitsForRuntime: boolean;
}

const MIB = 2 ** 20;

export const RESOURCES: readonly Resource[] = [
  {
    resource: 'goroutines',
    key: 'goroutines',
    alert: 'OakumGoroutinesRising',
    unit: 'count',
    hourly: scope => `quantile_over_time(0.2, ${ofTargets(scope, 'go_goroutines')}[1h])`,
    watch: { least: 20, share: 0.03 },
    leak: { least: 20, share: 0.03 },
    waitsForRuntime: true,
  },
  {
    resource: 'live heap',
    key: 'live_heap_bytes',
    alert: 'OakumLiveHeapRising',
    unit: 'bytes',
    // What the last collection left alive has no sawtooth; the heap in use, all that old versions tell, is one.
    hourly: scope =>
      `quantile_over_time(0.5, ${ofTargets(scope, 'go_gc_heap_live_bytes')}[1h])\n` +
      `or min_over_time(${ofTargets(scope, 'go_memstats_heap_inuse_bytes')}[1h])`,
    watch: { least: 6 * MIB, share: 0.05 },
    leak: { least: 6 * MIB, share: 0.05 },
    waitsForRuntime: false,
  },
  {
    resource: 'file descriptors',
    key: 'open_fds',
    alert: 'OakumFileDescriptorsRising',
    unit: 'count',
    hourly: scope => `min_over_time(${ofTargets(scope, 'process_open_fds')}[1h])`,
    watch: { least: 20, share: 0.05 },
    leak: { least: 25, share: 0.05 },
    waitsForRuntime: true,
  },
  {
    resource: 'threads',
    key: 'threads',
    alert: 'OakumThreadsRising',
    unit: 'count',
    hourly: scope => `min_over_time(${ofTargets(scope, 'go_threads')}[1h])`,
    // The runtime keeps threads it once needed: a few more now and then are no leak.
    watch: { least: 10, share: 0.2 },
    leak: { least: 10, share: 0.15 },
    waitsForRuntime: true,
  },
  {
    resource: 'metric series',
    key: 'metric_series',
    alert: 'OakumMetricSeriesRising',
    unit: 'count',
    // Of a kubelet's endpoints only the one that has go_goroutines; cAdvisor's follows the pods.
    hourly: scope =>
      `quantile_over_time(0.5, ${ofTargets(scope, 'scrape_samples_scraped')}[1h]) and ${ofTargets(scope, 'go_goroutines')}`,
    watch: { least: 200, share: 0.05 },
    leak: { least: 250, share: 0.05 },
    waitsForRuntime: false,
  },
];
