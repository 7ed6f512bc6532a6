/**
 * Five days of made-up metrics of 24 kubelets: after three days, eight of them get v1.36.0 and leak 1.2 MiB/h of live
 * heap, except the one that runs cri-o.
 */
const START_SECONDS = Date.UTC(2026, 7, 4) / 1000;
const STEP_SECONDS = 1200;
const HOURS = 120;
const ROLLOUT_HOUR = 72;
const NODES = 24;
const CANARIES = 8;
/** Runs another container runtime. */
const ODD = 5;
const MIB = 2 ** 20;

type Value = (node: number, hour: number) => number;

const noise: Value = (node, hour) => 0.5 * Math.sin(hour / 7 + node * 1.7) + 0.3 * Math.sin(hour / 1.3 + node * 2.9);
const isNew = (node: number, hour: number): boolean => node < CANARIES && hour >= ROLLOUT_HOUR;
const startHour: Value = (node, hour) => (isNew(node, hour) ? ROLLOUT_HOUR : -300);

const METRICS: Readonly<Record<string, Value>> = {
  go_gc_heap_live_bytes: (node, hour) => {
    const leaked = isNew(node, hour) && node !== ODD ? 1.2 * (hour - ROLLOUT_HOUR) : 0;
    return Math.round((52 + noise(node, hour) + leaked) * MIB);
  },
  kubelet_running_pods: () => 40,
  process_start_time_seconds: (node, hour) => START_SECONDS + startHour(node, hour) * 3600,
  process_cpu_seconds_total: (node, hour) => (hour - startHour(node, hour)) * 72,
};

const secondsOf = (hour: number): number => START_SECONDS + Math.round(hour * 3600);
const STEPS = Array.from({ length: (HOURS * 3600) / STEP_SECONDS }, (_, step) => (step * STEP_SECONDS) / 3600);

interface Series {
  readonly metric: Readonly<Record<string, string>>;
  readonly values: readonly (readonly [number, string])[];
}

const nodeName = (node: number): string => `worker-${node + 1}`;

function answer(result: readonly Series[]): string {
  return JSON.stringify({ status: 'success', data: { resultType: 'matrix', result } });
}

/** File name -> answer of /api/v1/query_range. */
export function recordedRollout(): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  const nodes = Array.from({ length: NODES }, (_, node) => node);
  for (const [name, value] of Object.entries(METRICS)) {
    const series = nodes.map(node => ({
      metric: { __name__: name, node: nodeName(node) },
      values: STEPS.map(hour => [secondsOf(hour), String(value(node, hour))] as const),
    }));
    files.set(`${name}.json`, answer(series));
  }
  const builds = nodes.flatMap(node =>
    ['v1.35.7', 'v1.36.0'].flatMap((version): Series[] => {
      const hours = STEPS.filter(hour => isNew(node, hour) === (version === 'v1.36.0'));
      const metric = { __name__: 'kubernetes_build_info', node: nodeName(node), git_version: version };
      return hours.length === 0 ? [] : [{ metric, values: hours.map(hour => [secondsOf(hour), '1'] as const) }];
    }),
  );
  files.set('kubernetes_build_info.json', answer(builds));
  return files;
}

/** What the nodes are, as `--attributes` takes it. */
export function rolloutAttributes(): string {
  const rows = Array.from({ length: NODES }, (_, node) => {
    const runtime = node === ODD || node === NODES - 1 ? 'cri-o://1.31.2' : 'containerd://2.0.1';
    return `${nodeName(node)},${'abc'[node % 3]},${runtime}\n`;
  });
  return `target,pool,runtime\n${rows.join('')}`;
}
