/** Two weeks of made-up metrics of three kubelets: worker-17 leaks live heap, worker-18 only gets more pods. */
const START_SECONDS = Date.UTC(2026, 7, 4) / 1000;
const STEP_SECONDS = 600;
const DAYS = 14;
const MIB = 2 ** 20;

type Level = (hour: number) => number;

/** Noise without a trend, the same on every run. */
const noise: Level = hour => Math.sin(hour * 12.9898) + 0.6 * Math.sin(hour * 78.233);

const morePods: Level = hour => 30 + Math.floor(hour / 16);

interface Kubelet {
  readonly node: string;
  readonly pods: Level;
  readonly liveHeapMib: Level;
}

const FLEET: readonly Kubelet[] = [
  { node: 'worker-16', pods: () => 40, liveHeapMib: hour => 48 + noise(hour) },
  { node: 'worker-17', pods: () => 40, liveHeapMib: hour => 48 + 0.8 * Math.max(0, hour - 60) + noise(hour) },
  { node: 'worker-18', pods: morePods, liveHeapMib: hour => 20 + 0.7 * morePods(hour) + noise(hour) },
];

const METRICS: Readonly<Record<string, (kubelet: Kubelet, hour: number) => number>> = {
  go_goroutines: ({ pods }, hour) => Math.round(180 + 6 * pods(hour) + 4 * noise(hour)),
  go_gc_heap_live_bytes: ({ liveHeapMib }, hour) => Math.round(liveHeapMib(hour) * MIB),
  kubelet_running_pods: ({ pods }, hour) => pods(hour),
  process_resident_memory_bytes: ({ liveHeapMib }, hour) => Math.round((60 + 1.4 * liveHeapMib(hour)) * MIB),
  process_start_time_seconds: () => START_SECONDS - 86_400,
  process_cpu_seconds_total: (_, hour) => 3600 + 72 * hour,
};

const HOURS = Array.from({ length: (DAYS * 86_400) / STEP_SECONDS }, (_, step) => (step * STEP_SECONDS) / 3600);

const secondsOf = (hour: number): number => START_SECONDS + Math.round(hour * 3600);

/** Node -> its scrapes, one after the other, as our recorder writes them. */
export function recordedScrapes(): ReadonlyMap<string, string> {
  return new Map(
    FLEET.map(kubelet => {
      const scrape = (hour: number): string =>
        [
          `# OAKUM scrape ts=${secondsOf(hour)} node=${kubelet.node} status=200`,
          ...Object.entries(METRICS).map(([name, value]) => `${name} ${value(kubelet, hour)}`),
          '',
        ].join('\n');
      return [kubelet.node, HOURS.map(scrape).join('')];
    }),
  );
}

/** An answer of Prometheus' /api/v1/query_range. */
export function rangeAnswer(metric: keyof typeof METRICS): string {
  const value = METRICS[metric];
  const result = FLEET.map(kubelet => ({
    metric: { __name__: metric, node: kubelet.node, instance: `${kubelet.node}:10250`, job: 'kubelet' },
    values: HOURS.map(hour => [secondsOf(hour), String(value?.(kubelet, hour))]),
  }));
  return JSON.stringify({ status: 'success', data: { resultType: 'matrix', result } });
}
