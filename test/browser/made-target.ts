/** A made-up target that has leaked since Tuesday and was restarted on Sunday, and its incident. */
import type { Analysis, Finding, ResourceLedger } from '../../src/judge/analysis.ts';
import type { ResourceDetection } from '../../src/judge/detect/recorded-detection.ts';
import type {
  CaptureView,
  ChartSeries,
  IncidentSummary,
  IncidentView,
  TargetCause,
  TargetView,
} from '../../src/watch/watch-model.ts';
import { NOW } from './made-fleet.ts';

export const TARGET = 'node/worker-01';
const MIB = 1024 * 1024;
const HOUR = 3600;
const FROM = NOW - 168 * HOUR;
const STEP = 1800;
const RESTART = NOW - 70 * HOUR;
const ONSET = NOW - 32 * HOUR;
const LIMIT = 260 * MIB;

function wave(index: number, period: number): number {
  return Math.sin((index * 2 * Math.PI) / period) + 0.4 * Math.sin(index * 2.39);
}

function series(metric: string, unit: ChartSeries['unit'], value: (at: number, i: number) => number): ChartSeries {
  const times: number[] = [];
  const values: number[] = [];
  for (let at = FROM, i = 0; at <= NOW; at += STEP, i++) {
    if (Math.abs(at - RESTART) < 2 * STEP) continue;
    times.push(at);
    values.push(value(at, i));
  }
  return { metric, unit, times, values };
}

const grown = (at: number): number => (Math.max(0, at - ONSET) / HOUR) * 0.76 * MIB;
const heap = (at: number, i: number): number => 92 * MIB + grown(at) + wave(i, 48) * 1.6 * MIB;

const SERIES: readonly ChartSeries[] = [
  series('go_goroutines', 'count', (_, i) => Math.round(486 + 9 * wave(i, 48))),
  series('go_gc_heap_live_bytes', 'bytes', heap),
  series('process_resident_memory_bytes', 'bytes', (at, i) => heap(at, i) * 1.45 + 24 * MIB),
  series('kubelet_running_pods', 'count', (_, i) => 58 + Math.round(2 * wave(i, 48))),
  series('kubelet_started_pods_total', 'count', (_, i) => 6 * i + Math.round(2 * Math.sin(i / 8))),
  series('kubelet_pleg_age_seconds', 'seconds', (_, i) => 1.2 + 0.4 * Math.abs(wave(i, 20))),
  series('process_open_fds', 'count', (_, i) => Math.round(212 + 4 * wave(i, 48))),
];

export const CAPTURES: readonly CaptureView[] = [
  capture('c-1', NOW - 69 * HOUR, 'first of life', 'The process began 1 h ago.', '1'),
  capture('c-2', NOW - 20 * HOUR, 'slope', 'Live heap grows and reaches its limit within 72 h.', '2'),
  capture('c-3', NOW - 2 * HOUR, 'heap ramp', 'Live heap is 25 MiB above the last capture.', '3'),
];

function capture(id: string, at: number, trigger: string, reason: string, digit: string): CaptureView {
  const file = (kind: 'heap' | 'goroutine', bytes: number): CaptureView['files'][number] => ({
    kind,
    sha256: `${kind === 'heap' ? 'a' : 'b'}${digit}`.repeat(32),
    bytes,
    at,
    truncated: null,
  });
  return { id, target: TARGET, at, trigger, reason, files: [file('heap', 212_440), file('goroutine', 18_204)] };
}

function detection(changes: Partial<ResourceDetection>): ResourceDetection {
  return {
    resource: 'goroutines',
    verdict: 'healthy',
    metric: 'go_goroutines',
    unit: 'count',
    level: 486,
    slopePerHour: 0.02,
    slopeInterval: [-0.1, 0.14],
    onset: null,
    timeToLimitHours: null,
    limit: null,
    clock: null,
    explanation: null,
    reasons: ['Flat for 7 d: 486 goroutines.', 'The slope is within its own error.'],
    history: [],
    ...changes,
  };
}

const RESOURCES: readonly ResourceDetection[] = [
  detection({
    resource: 'live heap',
    verdict: 'leak',
    metric: 'go_gc_heap_live_bytes',
    unit: 'bytes',
    level: 116 * MIB,
    slopePerHour: 0.76 * MIB,
    slopeInterval: [0.71 * MIB, 0.82 * MIB],
    onset: new Date(ONSET * 1000).toISOString(),
    timeToLimitHours: [15, 26],
    limit: { value: LIMIT, level: 192 * MIB, perHour: [(LIMIT - 192 * MIB) / 26, (LIMIT - 192 * MIB) / 15] },
    clock: { per: 'pod start', amount: 5_840 },
    reasons: [
      'Live heap grows 0.76 MiB/h (90 %: 0.71 to 0.82) since Tue 04:00.',
      'Pods (58) and pod starts (12 per hour) are flat: they explain 0.02 MiB/h of it.',
      'It rose in 31 of the last 32 hours.',
      'A fall to 95 MiB, or six flat hours, would change this verdict.',
    ],
  }),
  detection({}),
];

const FINDING: Finding = {
  target: TARGET,
  verdict: 'leak',
  resource: 'heap',
  family: {
    id: 'h-3c1f09a2d4',
    title: 'kubelet.(*podWorkers).startPodSync → context.withCancel',
    frames: [
      'context.withCancel',
      'context.WithCancel',
      'k8s.io/kubernetes/pkg/kubelet.(*podWorkers).startPodSync',
      'k8s.io/kubernetes/pkg/kubelet.(*podWorkers).podWorkerLoop',
    ],
    places: [
      'context/context.go:292',
      'context/context.go:245',
      'k8s.io/kubernetes/pkg/kubelet/pod_workers.go:1155',
      null,
    ],
    at: 'k8s.io/kubernetes/pkg/kubelet/pod_workers.go:1155',
    createdBy: null,
    createdAt: null,
    state: null,
    labels: [],
  },
  count: 44_310,
  bytes: 21.3 * MIB,
  share: 0.61,
  life: { number: 2, of: 2 },
  growth: {
    from: 1.2 * MIB,
    to: 21.3 * MIB,
    delta: 20.1 * MIB,
    perHour: 0.7 * MIB,
    perOperation: 486,
    monotone: true,
  },
  waitMinutes: null,
  owner: { name: 'kubelet', inferred: false },
  cause: null,
  matches: [
    {
      id: 'kubelet-pod-worker-contexts',
      ref: 'kubernetes#139823',
      title: 'pod workers keep a cancelled context for every sync',
      grade: 'confirmed',
      affected: 'affected',
      fixedIn: ['v1.36.3'],
      sideEffects: [],
      workaround: 'Restart the kubelet of the node outside of peak hours.',
      hazards: ['Do not drain: the leak follows pod starts, and draining makes more of them.'],
      why: ['All 2 frames are in the stack, in order.', 'v1.36.0 is affected: from v1.36.0, fixed in v1.36.3.'],
    },
  ],
  reasons: ['+20.1 MiB between the first and the last heap profile, never fell.'],
  advice: ['Upgrade the kubelet to v1.36.3.'],
};

/** The same family in the life before the restart; of an older version, without a ledger. */
const EARLIER: Finding = {
  ...FINDING,
  life: { number: 1, of: 2 },
  growth: { ...FINDING.growth, delta: 30 * MIB, perHour: 0.65 * MIB } as Finding['growth'],
};

const ANALYSIS: Analysis = {
  schema: 'oakum.analysis/v1',
  sentence: 'The live heap leaks: +20.1 MiB under kubelet.(*podWorkers).startPodSync.',
  verdict: 'leak',
  reasons: ['Three heap profiles over 67 h.'],
  inputs: [],
  findings: [FINDING, EARLIER],
  missing: [],
};

const SUMMARY: IncidentSummary = {
  id: 'i-1',
  target: TARGET,
  resource: 'live heap',
  verdict: 'leak',
  openedAt: NOW - 24 * HOUR,
  closedAt: null,
  sentence: 'Known leak kubernetes#139823, fixed in v1.36.3. Evidence saved. Safe to wait until Thu.',
  acknowledged: null,
  cohort: null,
  partOf: null,
};

const CAUSE: TargetCause = {
  kind: 'known leak',
  text: 'kubernetes#139823, fixed in v1.36.3',
  ref: 'kubernetes#139823',
  isConfirmed: true,
  fixedIn: ['v1.36.3'],
  title: 'pod workers keep a cancelled context for every sync',
};

const TODO: readonly string[] = [
  'Upgrade the kubelet to v1.36.3.',
  'Until then, restart it before Thu 03:00: `systemctl restart kubelet`.',
];

const LEDGER: ResourceLedger = {
  target: TARGET,
  resource: 'heap',
  verdict: 'leak',
  probability: 0.999,
  entries: [
    {
      kind: 'metric-trend',
      logOdds: 8,
      shows: 'trend of live heap',
      sentence: 'live heap rises 0.76 MiB/h, and pods do not explain it',
      strength: 'proof',
      counted: true,
    },
  ],
  vetoes: [],
};

export function madeTarget(changes: Partial<TargetView> = {}): TargetView {
  return {
    schema: 'oakum.target/v1',
    target: TARGET,
    at: NOW,
    from: FROM,
    to: NOW,
    sentence: 'Live heap grows 0.76 MiB/h since Tue 04:00, pods flat; limit in 15-26 h.',
    verdict: 'leak',
    attributes: { version: 'v1.36.0', pool: 'general', kernel: '6.12.9', zone: 'eu-1a' },
    resources: RESOURCES,
    series: SERIES,
    epochs: [
      { from: FROM, to: RESTART - STEP },
      { from: RESTART + STEP, to: null },
    ],
    events: [
      { at: RESTART - STEP, kind: 'oom', text: 'kubelet killed: its cgroup reached 512 MiB' },
      { at: RESTART + STEP, kind: 'restart', text: 'kubelet started' },
      { at: NOW - 40 * HOUR, kind: 'condition', text: 'NodeNotReady for 40 s' },
      { at: NOW - 24 * HOUR, kind: 'verdict', text: 'live heap: healthy to watch' },
      { at: NOW - 18 * HOUR, kind: 'verdict', text: 'live heap: watch to leak' },
      ...CAPTURES.map(({ at, trigger }) => ({ at, kind: 'capture' as const, text: `captured: ${trigger}` })),
    ],
    captures: CAPTURES,
    trends: [
      {
        metric: 'go_gc_heap_live_bytes',
        from: ONSET,
        at: NOW,
        to: NOW + 26 * HOUR,
        valueFrom: 92 * MIB,
        valueAt: 116 * MIB,
        valueTo: 136 * MIB,
        lowTo: 131 * MIB,
        highTo: 142 * MIB,
      },
      {
        metric: 'process_resident_memory_bytes',
        from: NOW,
        at: NOW,
        to: NOW + 26 * HOUR,
        valueFrom: 192 * MIB,
        valueAt: 192 * MIB,
        valueTo: null,
        lowTo: LIMIT,
        highTo: 192 * MIB + ((LIMIT - 192 * MIB) / 15) * 26,
      },
    ],
    firstSampleAt: FROM - 24 * HOUR,
    limits: [{ resource: 'live heap', value: LIMIT, from: 'cgroup' }],
    cycle: null,
    incidents: [SUMMARY],
    analysis: ANALYSIS,
    cause: CAUSE,
    ledgers: [LEDGER],
    todo: TODO,
    ...changes,
  };
}

export function madeIncident(changes: Partial<IncidentView> = {}): IncidentView {
  return {
    schema: 'oakum.incident/v1',
    ...SUMMARY,
    timeline: [
      { at: ONSET, kind: 'slope', text: 'Live heap begins to rise, 0.76 MiB/h.', captureId: null },
      { at: NOW - 24 * HOUR, kind: 'watch', text: 'Verdict watch: a rise that pods do not explain.', captureId: null },
      { at: NOW - 20 * HOUR, kind: 'capture', text: 'Evidence taken: slope.', captureId: 'c-2' },
      { at: NOW - 18 * HOUR, kind: 'leak', text: 'Verdict leak: limit in 33 to 48 h.', captureId: null },
      { at: NOW - 2 * HOUR, kind: 'capture', text: 'Evidence taken: heap ramp.', captureId: 'c-3' },
    ],
    captures: CAPTURES,
    cycle: {
      target: TARGET,
      stage: 'healthy',
      sentence: 'Not near its limit; no kill seen since Sun 14:30.',
      timeline: [],
      deaths: [],
      rivals: [],
      reasons: ['Resident memory is 192 MiB of 512 MiB.'],
      advice: [],
    },
    afterRestart: {
      verdict: 'came back, intrinsic',
      text: 'The slope after the restart is the one before: 0.76 MiB/h.',
      slopes: {
        unit: 'bytes',
        before: { perHour: 0.75 * MIB, interval: [0.7 * MIB, 0.8 * MIB] },
        after: { perHour: 0.76 * MIB, interval: [0.71 * MIB, 0.82 * MIB] },
      },
      at: NOW - 3600,
      now: { perHour: 0.74 * MIB, interval: [0.72 * MIB, 0.76 * MIB] },
    },
    analysis: ANALYSIS,
    cause: CAUSE,
    notes: [],
    ledgers: [LEDGER],
    todo: TODO,
    avoid: ['Do not drain the node: the leak follows pod starts, and draining makes more of them.'],
    ...changes,
  };
}
