/** Answers of every verdict, as an analysis gives them, for the tests of what prints them. */
import { causeById } from '../../src/knowledge/cause-of.ts';
import type { Analysis, AnalysisInput, Finding } from '../../src/judge/analysis.ts';
import type { Match } from '../../src/knowledge/known-leak-match.ts';
import type { Ledger } from '../../src/judge/ledger/ledger.ts';

const KUBELET = 'k8s.io/kubernetes/pkg/kubelet';

export function input(path: string, over: Partial<AnalysisInput> = {}): AnalysisInput {
  const rest = { kind: 'heap', target: 'worker-17', truncated: null, goVersion: 'go1.26.7', error: null } as const;
  return { path, takenAt: '2026-11-15T07:12:25Z', since: null, ...rest, ...over };
}

export const MATCH: Match = {
  id: 'kubelet-pod-sync-context',
  ref: 'kubernetes#139823',
  title: 'startPodSync leaves a context behind at every pod sync',
  culprit: 'k8s.io/kubernetes/pkg/kubelet.(*podWorkers).startPodSync',
  grade: 'confirmed',
  affected: 'affected',
  fixedIn: ['v1.36.3', 'v1.37.0'],
  sideEffects: ['v1.36.3 and v1.36.4 fail exec readiness probes while a pod terminates (kubernetes#140882)'],
  workaround: 'Restart kubelets on a rolling schedule.',
  hazards: [],
  fixedKeeps: 'none',
  why: ['context.withCancel under startPodSync is in the stack', 'v1.36.1 is in 1.36.0 to 1.36.2'],
};

const LEDGER: Ledger = {
  verdict: 'leak',
  probability: 0.9933,
  claims: { stays: 0.999, unbounded: 0.1, unwanted: 0.993 },
  entries: [
    {
      kind: 'profile-growth',
      claims: ['stays', 'unwanted'],
      logOdds: 8,
      shows: 'growth between profiles',
      sentence: 'grew in 8 of 8 intervals',
      strength: 'proof',
      counted: true,
    },
  ],
  vetoes: [],
};

export const HEAP: Finding = {
  target: 'worker-17',
  verdict: 'leak',
  resource: 'heap',
  family: {
    id: 'h-1a2b3c4d5e',
    title: 'kubelet.(*podWorkers).startPodSync → context.withCancel',
    frames: [
      'context.withCancel',
      'context.WithCancel',
      `${KUBELET}.(*podWorkers).startPodSync`,
      `${KUBELET}.(*podWorkers).podWorkerLoop`,
    ],
    places: ['context/context.go:292', 'context/context.go:245', `${KUBELET}/pod_workers.go:1155`, null],
    at: `${KUBELET}/pod_workers.go:1155`,
    createdBy: null,
    createdAt: null,
    caller: null,
    state: null,
    labels: [],
  },
  count: 44_310,
  bytes: 22_334_218,
  share: 0.614,
  life: null,
  growth: {
    from: 1_258_291,
    to: 22_334_218,
    delta: 21_075_927,
    perHour: 41_812_000,
    perHourRange: [35_900_000, 47_700_000],
    perOperation: 486,
    monotone: true,
    seconds: 1890,
    compared: 'sampled, and of this family alone; the live heap, counted, rises 41.8 MiB/h in all',
  },
  retention: {
    retainedShare: [0.988, 1, 1],
    samples: 212,
    liveSamples: 212,
    allocatedObjects: 44_310,
    liveObjects: 44_310,
    allocatedBytes: 22_334_218,
    liveBytes: 22_334_218,
    sites: 5,
    keptSites: 2,
    perHour: [36_300_000, 41_700_000, 47_700_000],
    ageSeconds: 1930,
    ageFrom: 'metrics',
    isOneTime: false,
    store: null,
    undecided: null,
    since: {
      seconds: 1847,
      samples: 200,
      allocatedBytes: 21_075_927,
      retainedBytes: 21_075_927,
      retainedShare: [0.985, 1, 1],
    },
  },
  waitMinutes: null,
  ages: null,
  holds: [],
  lock: null,
  owner: { name: KUBELET, inferred: false },
  cause: causeById('context-pod-sync') ?? null,
  matches: [MATCH, { ...MATCH, id: 'other', ref: 'kubernetes#111773', grade: 'possible', affected: 'not-affected' }],
  reasons: ['grew in 8 of 8 intervals', '212 samples, standard error 1.5 MiB'],
  advice: [],
  ledger: LEDGER,
  decides: null,
};

export const LISTENER: Finding = {
  target: 'kcp',
  verdict: 'watch',
  resource: 'goroutines',
  family: {
    id: 'g-9f8e7d6c5b',
    title: 'cache.(*processorListener).run',
    frames: [
      'k8s.io/client-go/tools/cache.(*processorListener).run',
      'k8s.io/apimachinery/pkg/util/wait.(*Group).Start',
    ],
    places: ['k8s.io/client-go/tools/cache/shared_informer.go:972', 'k8s.io/apimachinery/pkg/util/wait/wait.go:72'],
    at: 'k8s.io/client-go/tools/cache/shared_informer.go:972',
    createdBy: 'k8s.io/apimachinery/pkg/util/wait.(*Group).Start',
    createdAt: 'k8s.io/apimachinery/pkg/util/wait/wait.go:70',
    caller: null,
    state: 'chan receive',
    labels: [
      { labels: { controller: 'KCPKubeResourceQuota', logicalcluster: '2j5lsf4ydtnftsi3' }, count: 29 },
      { labels: {}, count: 3 },
    ],
  },
  count: 1_232,
  bytes: null,
  share: 0.42,
  life: null,
  growth: {
    from: 1_032,
    to: 1_232,
    delta: 200,
    perHour: null,
    perHourRange: null,
    perOperation: 2,
    monotone: true,
    seconds: null,
    compared: null,
  },
  retention: null,
  waitMinutes: { median: 31, max: 5_352 },
  ages: {
    shape: 'steady',
    perHour: [78, 90, 104],
    sinceMinutes: 5_352,
    binMinutes: 180,
    bins: [
      261, 270, 259, 281, 266, 302, 240, 271, 268, 274, 255, 269, 280, 262, 270, 258, 291, 264, 276, 249, 272, 267, 281,
      270, 263, 258, 277, 262, 269, 190,
    ],
  },
  holds: [
    { what: 'descriptors', bytes: 504_627 },
    { what: 'label sets', bytes: 98_560 },
  ],
  lock: null,
  owner: { name: 'KCPKubeResourceQuota', inferred: true },
  cause: causeById('informer-handler') ?? null,
  matches: [],
  reasons: ['2.00 per operation'],
  advice: ['Remove the handler when its workspace goes.'],
  ledger: LEDGER,
  decides: 'what fills looks the same, but slows down: a set an hour later, from 08:43 on',
};

export const SAMPLES: Readonly<Record<string, Analysis>> = {
  leak: {
    schema: 'oakum.analysis/v1',
    sentence: 'worker-17 leaks: live heap grows 39.9 MiB/h in contexts of pod syncs, a known leak fixed in v1.36.3.',
    verdict: 'leak',
    reasons: ['pods flat at 50', 'goroutines flat at 412'],
    inputs: [
      input('heap-1.pb.gz'),
      input('heap-2.pb.gz', { takenAt: '2026-11-15T07:43:12Z' }),
      input('metrics.prom', { kind: 'metrics', since: '2026-11-15T06:40:00Z' }),
    ],
    findings: [HEAP, LISTENER],
    missing: [],
    ledgers: [],
  },
  healthy: {
    schema: 'oakum.analysis/v1',
    sentence: 'worker-3 is healthy: no family of 85 grew over 32 minutes.',
    verdict: 'healthy',
    reasons: [],
    inputs: [
      input('a.txt', { kind: 'goroutine', target: 'worker-3' }),
      input('b.txt', { kind: 'goroutine', target: 'worker-3' }),
    ],
    findings: [],
    missing: [],
    ledgers: [],
  },
  unknown: {
    schema: 'oakum.analysis/v1',
    sentence: 'Not enough to tell: one goroutine dump shows what there is, not what grows.',
    verdict: 'unknown',
    reasons: ['one snapshot of worker-17'],
    inputs: [
      input('g.txt', { kind: 'goroutine', takenAt: null, truncated: 'cut at 64 MiB', goVersion: null }),
      input('x.bin', { kind: 'unknown', error: 'not a profile' }),
    ],
    findings: [],
    missing: [
      {
        what: 'growth',
        why: 'there is only one goroutine profile; a second one some minutes later would show what grows',
        command: 'kubectl get --raw "/api/v1/nodes/$NODE/proxy/debug/pprof/goroutine" > goroutine-2.pb.gz',
      },
      {
        what: 'live heap',
        why: 'no heap profile',
        command: 'kubectl get --raw "/api/v1/nodes/$NODE/proxy/debug/pprof/heap" > heap.pb.gz',
      },
    ],
    ledgers: [],
  },
  'metrics-only': {
    schema: 'oakum.analysis/v1',
    sentence: 'worker-9 may leak file descriptors: 1,020 in 3 h, pods flat.',
    verdict: 'watch',
    reasons: [],
    inputs: [input('metrics.prom.gz', { kind: 'metrics', target: 'worker-9', goVersion: null })],
    findings: [
      {
        ...LISTENER,
        target: 'worker-9',
        resource: 'file-descriptors',
        family: {
          id: 'process_open_fds',
          title: 'process_open_fds',
          frames: [],
          places: [],
          at: null,
          createdBy: null,
          createdAt: null,
          caller: null,
          state: null,
          labels: [],
        },
        count: 1_380,
        share: 1,
        growth: {
          from: 360,
          to: 1_380,
          delta: 1_020,
          perHour: 340.4,
          perHourRange: null,
          perOperation: null,
          monotone: false,
          seconds: 7200,
          compared: null,
        },
        waitMinutes: null,
        ages: null,
        holds: [],
        lock: null,
        owner: { name: 'kubelet', inferred: true },
        cause: null,
        advice: [],
      },
    ],
    missing: [
      {
        what: 'the code',
        why: 'metrics name no functions',
        command: 'kubectl auth can-i get nodes --subresource=proxy',
      },
    ],
    ledgers: [],
  },
};
