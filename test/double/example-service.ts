/** A static watch of three nodes: the example in docs/api.md, and the service for server tests. */
import type {
  CaptureView,
  CatalogueView,
  FleetView,
  IncidentSummary,
  IncidentView,
  TargetView,
  WatchEvent,
  WatchStatus,
} from '../../src/model/watch.ts';
import { weighDetected } from '../../src/diagnosis/ledger/detected.ts';
import type { WatchService } from '../../src/engine/watch/watch-service.ts';

const NOW = 1_794_772_000;
const HOUR = 3600;
const MIB = 1024 * 1024;

export const EXAMPLE_SHA256: string = 'a1'.repeat(32);

const STATUS: WatchStatus = {
  schema: 'oakum.status/v1',
  version: '0.1.0',
  mode: 'cluster',
  cluster: 'production',
  startedAt: NOW - 200 * HOUR,
  now: NOW,
  pace: 1,
  targetCount: 3,
  lastRoundSeconds: 0.8,
  silent: [{ target: 'node/worker-3', why: 'connection refused' }],
  capturesAllowed: true,
  missingRights: [],
  store: { bytes: 48_234_496, degraded: null },
  story: [],
};

const FLEET: FleetView = {
  schema: 'oakum.fleet/v1',
  at: NOW,
  sentence: '1 of 3 nodes leaks, on v1.36.0; limit in about 19 h (15-26 h).',
  counts: { leak: 1, watch: 0, healthy: 1, unknown: 1 },
  bins: { from: NOW - 168 * HOUR, stepSeconds: 42 * HOUR, count: 4 },
  rows: [
    {
      target: 'node/worker-1',
      attributes: { version: 'v1.36.0', pool: 'general' },
      verdict: 'leak',
      resource: 'live heap',
      unit: 'bytes',
      level: 116 * MIB,
      slopePerHour: 796_918,
      timeToLimitHours: [15, 26],
      reason: 'live heap grows 0.76 MiB/h, pods flat',
      lastSampleAt: NOW - 20,
      stale: null,
      incidentId: 'i-1',
      heat: 'hhwl',
      spark: [96_468_992, 97_517_568, 104_857_600, 121_634_816],
    },
    {
      target: 'node/worker-2',
      attributes: { version: 'v1.36.3', pool: 'general' },
      verdict: 'healthy',
      resource: 'goroutines',
      unit: 'count',
      level: 486,
      slopePerHour: 0,
      timeToLimitHours: null,
      reason: 'goroutines flat at 486',
      lastSampleAt: NOW - 18,
      stale: null,
      incidentId: null,
      heat: 'hhhh',
      spark: [484, 487, 485, 486],
    },
    {
      target: 'node/worker-3',
      attributes: {},
      verdict: 'unknown',
      resource: null,
      unit: 'count',
      level: null,
      slopePerHour: null,
      timeToLimitHours: null,
      reason: 'never answered',
      lastSampleAt: null,
      stale: 'connection refused',
      incidentId: null,
      heat: '----',
      spark: [null, null, null, null],
    },
  ],
};

const CAPTURE: CaptureView = {
  id: 'c-1',
  target: 'node/worker-1',
  at: NOW - 2 * HOUR,
  trigger: 'slope',
  reason: 'Live heap grows and reaches its limit within 72 h.',
  files: [{ kind: 'heap', sha256: EXAMPLE_SHA256, bytes: 212_440, at: NOW - 2 * HOUR, truncated: null }],
};

const INCIDENT: IncidentSummary = {
  id: 'i-1',
  target: 'node/worker-1',
  resource: 'live heap',
  verdict: 'leak',
  openedAt: NOW - 40 * HOUR,
  closedAt: null,
  sentence: 'Known leak kubernetes#139823, fixed in v1.36.3. Evidence saved.',
};

const INCIDENT_VIEW: IncidentView = {
  ...INCIDENT,
  schema: 'oakum.incident/v1',
  timeline: [
    { at: NOW - 40 * HOUR, kind: 'watch', text: 'Live heap grows, pods flat.', captureId: null },
    { at: NOW - 2 * HOUR, kind: 'capture', text: 'Evidence taken: heap.', captureId: 'c-1' },
  ],
  captures: [CAPTURE],
  cycle: null,
  afterRestart: null,
  analysis: null,
  ledgers: [],
  todo: ['Upgrade the kubelet to v1.36.3.'],
  avoid: ['Do not restart before the evidence is saved.'],
};

const TARGET: TargetView = {
  schema: 'oakum.target/v1',
  target: 'node/worker-1',
  at: NOW,
  from: NOW - 2 * HOUR,
  to: NOW,
  sentence: 'Live heap grows 0.76 MiB/h since Tue 04:10, pods flat; limit in 15-26 h.',
  verdict: 'leak',
  attributes: { version: 'v1.36.0', pool: 'general' },
  resources: [
    {
      resource: 'live heap',
      verdict: 'leak',
      metric: 'go_gc_heap_live_bytes',
      unit: 'bytes',
      level: 116 * MIB,
      slopePerHour: 796_918,
      slopeInterval: [740_000, 850_000],
      onset: '2026-11-13T20:06:40Z',
      timeToLimitHours: [15, 26],
      clock: { per: 'pod start', amount: 7400 },
      explanation: null,
      reasons: ['live heap grows 0.76 MiB/h, pods flat'],
      ledger: weighDetected({
        resource: 'live heap',
        verdict: 'leak',
        reasons: ['live heap grows 0.76 MiB/h, pods flat'],
      }),
      history: [115.4 * MIB, null, 116 * MIB],
    },
  ],
  series: [
    {
      metric: 'go_gc_heap_live_bytes',
      unit: 'bytes',
      times: [NOW - HOUR, NOW],
      values: [115.2 * MIB, 116 * MIB],
    },
  ],
  epochs: [{ from: NOW - 70 * HOUR, to: null }],
  events: [{ at: NOW - 1.5 * HOUR, kind: 'condition', text: 'MemoryPressure became False.' }],
  captures: [CAPTURE],
  trends: [
    {
      resource: 'live heap',
      from: NOW - 32 * HOUR,
      to: NOW + 20 * HOUR,
      valueFrom: 92 * MIB,
      valueTo: 132 * MIB,
      lowTo: 129 * MIB,
      highTo: 135 * MIB,
    },
  ],
  limits: [{ resource: 'live heap', value: 160 * MIB, from: 'cgroup' }],
  cycle: null,
  incidents: [INCIDENT],
  analysis: null,
};

const CATALOGUE: CatalogueView = {
  schema: 'oakum.catalogue/v1',
  sentence: '1 known leak, 1 matches this fleet.',
  leaks: [
    {
      id: 'kubelet-pod-sync-context',
      title: 'A context stays behind after every pod sync',
      component: 'kubelet',
      grade: 'seen',
      affected: 'from 1.36.0, before 1.36.3',
      fixedIn: ['1.36.3', '1.37.0'],
      references: ['https://github.com/kubernetes/kubernetes/pull/139823'],
      summary: 'Every sync of a pod leaves a context behind.',
      targets: ['node/worker-1'],
    },
  ],
};

export interface ExampleService extends WatchService {
  /** Sends an event to all listeners. */
  readonly tell: (event: WatchEvent) => void;
  readonly listenerCount: () => number;
}

export function exampleService(changes: Partial<WatchService> = {}): ExampleService {
  const listeners = new Set<(event: WatchEvent) => void>();
  const only = <T>(wanted: string, value: T): ((given: string) => T | undefined) => {
    return given => (given === wanted ? value : undefined);
  };
  const incident = only(INCIDENT.id, INCIDENT_VIEW);
  return {
    status: () => STATUS,
    fleet: () => FLEET,
    target: name => Promise.resolve(only(TARGET.target, TARGET)(name)),
    incidents: () => [INCIDENT],
    incident: id => Promise.resolve(incident(id)),
    capture: only(CAPTURE.id, CAPTURE),
    profile: sha256 => Promise.resolve(only(EXAMPLE_SHA256, new Uint8Array([0x1f, 0x8b, 8, 0]))(sha256)),
    catalogue: () => CATALOGUE,
    bundle: id => Promise.resolve(only(INCIDENT.id, new Uint8Array([0x1f, 0x8b, 1, 2]))(id)),
    report: (id, audience) => Promise.resolve(only(INCIDENT.id, `# For ${audience}\n`)(id)),
    captureNow: name =>
      Promise.resolve(
        name === 'node/worker-3'
          ? { refused: 'it does not answer; oakum doctor node/worker-3 says why' }
          : only(TARGET.target, { captureId: 'c-2' })(name),
      ),
    metrics: () => '# TYPE oakum_targets gauge\noakum_targets 3\n',
    subscribe: listener => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    stop: () => Promise.resolve(),
    ...changes,
    tell: event => listeners.forEach(listener => listener(event)),
    listenerCount: () => listeners.size,
  };
}
