/** Trends on made-up recordings, evaluated by Prometheus itself: what alerts, when, and what never does. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { TREND_RULES } from '../../src/report/rules/trend-rules.ts';
import { ruleGroups } from '../../src/report/rules/rule-set.ts';
import { OPTIONS } from './options.ts';
import {
  type AlertCheck,
  labelsOf,
  type OverTime,
  type Process,
  testRules,
  withoutAnnotations,
  withPromtool,
} from './recording.ts';

const GROUPS = withoutAnnotations(ruleGroups(OPTIONS));
const MB = 1e6;

const season: OverTime = hours => Math.sin((hours / 24) * 2 * Math.PI);
/** Repeatable noise between -1 and 1. */
const noise = (seed: number): OverTime => {
  return hours => {
    const scrambled = Math.sin(hours * 12.9898 + seed * 78.233) * 43758.5453;
    return 2 * (scrambled - Math.floor(scrambled)) - 1;
  };
};

interface Shape {
  readonly goroutines?: OverTime;
  readonly heapMb?: OverTime;
  readonly pods?: OverTime;
  readonly startedAtHours?: OverTime;
}

/** A kubelet with 40 pods, a daily season and noise, unless the shape says otherwise. */
function kubelet(shape: Shape, seed = 1): Process {
  const { goroutines = () => 300, heapMb = () => 60, pods = () => 40, startedAtHours = () => 0 } = shape;
  const wobble = noise(seed);
  return {
    go_goroutines: hours => Math.round(goroutines(hours) + 8 * season(hours) + 6 * wobble(hours)),
    go_gc_heap_live_bytes: hours => Math.round((heapMb(hours) + season(hours) + 0.8 * wobble(hours)) * MB),
    kubelet_running_pods: pods,
    process_start_time_seconds: hours => startedAtHours(hours) * 3600,
  };
}

interface Case {
  readonly shape: Shape;
  readonly more?: Process;
  /** Alert and verdict -> hours: it does not fire before the first, and does from the second on. */
  readonly fires?: Readonly<Record<string, readonly [number, number]>>;
}

const SEVERITIES: Readonly<Record<string, string>> = { watch: 'warning', leak: 'critical' };
const DAYS = 7;

/** Checks all trend alerts every six hours: those that the cases name fire, and no others. */
function trendProblems(cases: Readonly<Record<string, Case>>): string {
  const processes = mapValues(cases, ({ shape, more }, index) => ({ ...kubelet(shape, index), ...more }));
  const firing = Object.entries(cases).flatMap(([name, { fires = {} }]) =>
    Object.entries(fires).map(([what, hours]) => ({ name, what, hours })),
  );
  const checks: AlertCheck[] = [];
  for (const { alert, resource } of TREND_RULES) {
    const expected = firing.filter(({ what }) => what.startsWith(alert));
    for (let atHours = 6; atHours <= DAYS * 24; atHours += 6) {
      if (expected.some(({ hours: [after, from] }) => atHours >= after && atHours < from)) continue;
      const now = expected.filter(({ hours: [, from] }) => atHours >= from);
      const alerts = now.map(({ name, what }) => {
        const [, verdict] = what.split(' ');
        return { exp_labels: { ...labelsOf(name), severity: SEVERITIES[verdict], verdict, resource } };
      });
      checks.push({ alertname: alert, atHours, alerts });
    }
  }
  return testRules(GROUPS, { processes, hours: DAYS * 24, stepMinutes: 60 }, checks);
}

function mapValues<A, B>(from: Readonly<Record<string, A>>, make: (value: A, index: number) => B): Record<string, B> {
  return Object.fromEntries(Object.entries(from).map(([key, value], index) => [key, make(value, index)]));
}

const ramp: OverTime = hours => 20 + Math.floor(hours / 2);
const leakingHeap: OverTime = hours => 60 + (15 * hours) / 24;
/** A sawtooth of three hours above the live heap. */
const inUse: OverTime = hours => {
  return hours % 24 === 13 ? NaN : Math.round(leakingHeap(hours) * MB * (1 + 0.3 * (hours % 3)));
};
/** Calls to the container runtime: one a second, a fifth of which fails. */
const hungRuntime: Process = {
  kubelet_runtime_operations_total: hours => hours * 3600,
  kubelet_runtime_operations_errors_total: hours => hours * 720,
};

/** Each in its own cluster, so that none has a fleet to learn from. */
const ALONE: Readonly<Record<string, Case>> = {
  'heap leaks 15 MB a day/a': {
    shape: { heapMb: leakingHeap },
    fires: { 'OakumLiveHeapRising watch': [57, 72], 'OakumLiveHeapRising leak': [104, 120] },
  },
  'goroutines leak a tenth a day/a': {
    shape: { goroutines: hours => 300 + (30 * hours) / 24 },
    fires: { 'OakumGoroutinesRising watch': [57, 72], 'OakumGoroutinesRising leak': [104, 120] },
  },
  'goroutines pile up behind a hung runtime, a leak is not said/a': {
    shape: { goroutines: hours => 300 + (30 * hours) / 24 },
    more: hungRuntime,
    fires: { 'OakumGoroutinesRising watch': [57, 72] },
  },
  'metric series leak/a': {
    shape: {},
    more: { scrape_samples_scraped: hours => Math.round(2000 + (300 * hours) / 24) },
    fires: { 'OakumMetricSeriesRising watch': [57, 72], 'OakumMetricSeriesRising leak': [104, 120] },
  },
  'threads leak/a': {
    shape: {},
    more: { go_threads: hours => Math.round(30 + (15 * hours) / 24) },
    fires: { 'OakumThreadsRising watch': [57, 72], 'OakumThreadsRising leak': [104, 120] },
  },
  'memory outside the Go heap leaks/a': {
    shape: {},
    more: {
      process_resident_memory_bytes: hours => Math.round((150 + (40 * hours) / 24) * MB),
      go_memory_classes_total_bytes: () => 120 * MB,
      go_memory_classes_heap_released_bytes: () => 20 * MB,
    },
    fires: {
      'OakumNativeMemoryRising watch': [57, 72],
      'OakumNativeMemoryRising leak': [104, 120],
    },
  },
  'resident memory follows what the runtime holds/a': {
    shape: {},
    more: {
      process_resident_memory_bytes: hours => Math.round((150 + (40 * hours) / 24) * MB),
      go_memstats_sys_bytes: hours => Math.round((130 + (40 * hours) / 24) * MB),
      go_memstats_heap_released_bytes: () => 10 * MB,
    },
  },
  'heap leaks, told by the heap in use alone, no scrapes for an hour each day/a': {
    shape: {},
    more: { go_gc_heap_live_bytes: () => NaN, go_memstats_heap_inuse_bytes: inUse },
    fires: { 'OakumLiveHeapRising watch': [57, 78], 'OakumLiveHeapRising leak': [104, 132] },
  },
  'nothing happens/a': { shape: {} },
  'pods rise by twelve a day and everything with them/a': {
    shape: { pods: ramp, goroutines: hours => 60 + 12 * ramp(hours), heapMb: hours => 40 + 0.5 * ramp(hours) },
  },
  'one step/a': {
    shape: { goroutines: hours => (hours > 101.3 ? 500 : 300), heapMb: hours => (hours > 101.3 ? 110 : 60) },
  },
  'a restart every 60 hours, filling up after each/a': {
    shape: {
      startedAtHours: hours => Math.floor(hours / 60) * 60,
      goroutines: hours => 300 + 100 * (1 - Math.exp(-(hours % 60) / 3)),
      heapMb: hours => 60 + 40 * (1 - Math.exp(-(hours % 60) / 3)),
    },
  },
  'growth too small to matter/a': {
    shape: { goroutines: hours => 300 + (4 * hours) / 24, heapMb: hours => 60 + hours / 24 },
  },
  'a strong daily season/a': {
    shape: { goroutines: hours => 300 + 100 * season(hours), heapMb: hours => 60 + 30 * season(hours) },
  },
  'settles after a start/a': {
    shape: {
      goroutines: hours => 300 + 150 * (1 - Math.exp(-hours / 15)),
      heapMb: hours => 60 + 30 * (1 - Math.exp(-hours / 15)),
    },
  },
};

/** Pods that come and go by the dozen, at different hours for each kubelet. */
const churn = (seed: number): OverTime => {
  return hours => 40 + Math.round(12 * noise(seed)(Math.floor(hours / 5)));
};
const following = (pods: OverTime): Shape => ({
  pods,
  goroutines: hours => 60 + 12 * pods(hours),
  heapMb: hours => 40 + 0.5 * pods(hours),
});

const FLEET: Readonly<Record<string, Case>> = {
  ...Object.fromEntries([1, 2, 3, 4, 5].map(n => [`fleet/healthy-${n}`, { shape: following(churn(n)) }])),
  'fleet/ramp': { shape: following(ramp) },
  'fleet/leak-and-ramp': {
    shape: { ...following(ramp), heapMb: hours => 40 + 0.5 * ramp(hours) + (25 * hours) / 24 },
    fires: { 'OakumLiveHeapRising watch': [57, 72], 'OakumLiveHeapRising leak': [104, 120] },
  },
};

describe('trends', withPromtool, () => {
  it('a single process: leaks alert in time, other growth never does', () => {
    assert.equal(trendProblems(ALONE), '');
  });

  it('a fleet: learns the cost of a pod, and finds a leak under a ramp of pods', () => {
    assert.equal(trendProblems(FLEET), '');
  });
});
