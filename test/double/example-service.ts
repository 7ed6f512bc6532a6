/** A static watch of three nodes: the example in docs/api.md, and the service for server tests. */
import type {
  CaptureView,
  CohortsView,
  FileOrigin,
  IncidentSummary,
  IncidentView,
  TargetView,
  WatchEvent,
  WatchStatus,
} from '../../src/watch/watch-model.ts';
import type { CohortIncidentView, RolloutView } from '../../src/watch/watch-model.ts';
import { weighDetected } from '../../src/judge/ledger/metric-evidence.ts';
import type { WatchService } from '../../src/watch/watch-service.ts';
import { listedIncidents } from './listed-incidents.ts';
import { EXAMPLE_FLEET } from './example-fleet.ts';
import { servedFleet } from './served-fleet.ts';
import type { CatalogueView } from '../../src/knowledge/view.ts';

const NOW = 1_794_772_000;
const HOUR = 3600;
const MIB = 1024 * 1024;
const MEMORY_LIMIT = { value: 260 * MIB, from: 'cgroup', of: 'resident memory' };

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
  grafana: 'https://grafana.example.com/d/kubelet?var-node={node}&from={from}&to={to}',
  story: [],
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
  acknowledged: { at: NOW - 30 * HOUR, by: 'kim' },
  cohort: null,
  partOf: 'c-20261114-1506',
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
  notes: [{ at: NOW - 30 * HOUR, by: 'kim', text: 'Upgrade planned for Wed.', acknowledges: true }],
  cause: EXAMPLE_FLEET.rows[0]?.cause ?? null,
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
      limit: { ...MEMORY_LIMIT, level: 192 * MIB, perHour: [(68 * MIB) / 26, (68 * MIB) / 15] },
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
  firstSampleAt: NOW - 70 * HOUR,
  trends: [
    {
      metric: 'go_gc_heap_live_bytes',
      from: NOW - 2 * HOUR,
      at: NOW,
      to: NOW + HOUR,
      valueFrom: 114.5 * MIB,
      valueAt: 116 * MIB,
      valueTo: 116.8 * MIB,
      lowTo: 116.7 * MIB,
      highTo: 116.9 * MIB,
    },
  ],
  limits: [{ resource: 'live heap', value: 260 * MIB, from: 'cgroup' }],
  cycle: null,
  incidents: [INCIDENT],
  analysis: null,
  cause: EXAMPLE_FLEET.rows[0]?.cause ?? null,
  ledgers: [],
  todo: INCIDENT_VIEW.todo,
};

const COHORT_INCIDENT: IncidentSummary = {
  id: 'c-20261114-1506',
  target: 'version v1.36.0',
  resource: 'live heap',
  verdict: 'leak',
  openedAt: NOW - 30 * HOUR,
  closedAt: null,
  sentence: 'v1.36.0 leaks on 9 of 10 nodes, 0 of 30 elsewhere: stop the rollout.',
  acknowledged: null,
  cohort: { attribute: 'version', value: 'v1.36.0', folded: 9, open: 9 },
  partOf: null,
};

const COHORTS: CohortsView = {
  schema: 'oakum.cohorts/v1',
  at: NOW,
  sentence:
    'version v1.36.0: live heap grows 780 KiB/h (760 KiB to 800 KiB) on 9 of 10 targets with it, and on 0 of 30 without it.',
  cohorts: [
    {
      attribute: 'version',
      value: 'v1.36.0',
      resource: 'live heap',
      unit: 'bytes',
      verdict: 'leak',
      ratePerHour: [778_240, 798_720, 819_200],
      perPod: null,
      spreadPerHour: 1024,
      targets: 10,
      observed: 10,
      leaking: ['node/worker-1'],
      leakingCount: 1,
      against: [{ target: 'node/worker-2', ratePerHour: 0, differs: ['kernel 6.1.0-28, not 6.8.0-51'] }],
      controls: 30,
      controlsLeaking: 0,
      equalAges: false,
      since: '2026-11-14T15:06:40Z',
      windowHours: 33,
      chance: 1e-9,
      leastChance: 1.2e-9,
      vetoes: [],
      alternatives: [],
      onset: [],
      hoursForOne: 14,
      sentence:
        'version v1.36.0: live heap grows 780 KiB/h (760 KiB to 800 KiB) on 9 of 10 targets with it, and on 0 of 30 without it',
    },
  ],
  changes: [{ at: NOW - 34 * HOUR, target: 'node/worker-1', attribute: 'version', from: 'v1.35.7', to: 'v1.36.0' }],
  incidents: [COHORT_INCIDENT],
};

const COHORT_INCIDENT_VIEW: CohortIncidentView = {
  ...COHORT_INCIDENT,
  schema: 'oakum.cohort-incident/v1',
  cohort: { attribute: 'version', value: 'v1.36.0', folded: 9, open: 9 },
  verdicts: COHORTS.cohorts,
  members: [
    {
      target: 'node/worker-1',
      role: 'grows',
      verdict: 'leak',
      resource: 'live heap',
      unit: 'bytes',
      slopePerHour: 798_720,
      timeToLimitHours: [15, 26],
      since: NOW - 34 * HOUR,
      differs: [],
      incidentId: 'i-1',
    },
    {
      target: 'node/worker-2',
      role: 'against',
      verdict: 'healthy',
      resource: 'live heap',
      unit: 'bytes',
      slopePerHour: 0,
      timeToLimitHours: null,
      since: NOW - 34 * HOUR,
      differs: ['kernel 6.1.0-28, not 6.8.0-51'],
      incidentId: null,
    },
  ],
  moreMembers: 0,
  causes: [],
  known: [
    {
      id: 'kubelet-startpodsync-context',
      ref: 'kubernetes#139823',
      title: 'A context stays behind after every pod sync',
      fixedIn: ['1.36.3', '1.37.0'],
    },
  ],
  timeline: [{ at: NOW - 30 * HOUR, kind: 'leak', text: `proved: ${COHORTS.cohorts[0]?.sentence}`, captureId: null }],
  notes: [],
  todo: ['stop the rollout of v1.36.0: it is on 25 % of the targets'],
};

const ROLLOUT: RolloutView = {
  schema: 'oakum.rollout/v1',
  at: NOW,
  attribute: 'version',
  resource: 'live heap',
  unit: 'bytes',
  bins: { from: NOW - 48 * HOUR, stepSeconds: 12 * HOUR, count: 4 },
  values: [
    { value: 'v1.36.0', targets: [0, 10, 10, 10], growth: [null, 0, 9_584_640, 19_169_280] },
    { value: 'v1.35.7', targets: [40, 30, 30, 30], growth: [0, 4096, 2048, 6144] },
  ],
  moreValues: 0,
};

const ORIGIN: FileOrigin = {
  schema: 'oakum.origin/v1',
  kind: 'heap',
  at: CAPTURE.at,
  startedAt: NOW - 70 * HOUR,
  capture: CAPTURE,
  incident: INCIDENT,
  captures: [CAPTURE],
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
      targetCount: 1,
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
    ...servedFleet(EXAMPLE_FLEET),
    cohorts: () => Promise.resolve(COHORTS),
    target: name => Promise.resolve(only(TARGET.target, TARGET)(name)),
    rollout: () => Promise.resolve(ROLLOUT),
    incidents: () => [COHORT_INCIDENT, INCIDENT],
    incidentsView: listedIncidents([COHORT_INCIDENT, INCIDENT], NOW),
    incident: id => Promise.resolve(incident(id)),
    cohortIncident: id => Promise.resolve(only(COHORT_INCIDENT.id, COHORT_INCIDENT_VIEW)(id)),
    capture: only(CAPTURE.id, CAPTURE),
    profile: sha256 => Promise.resolve(only(EXAMPLE_SHA256, new Uint8Array([0x1f, 0x8b, 8, 0]))(sha256)),
    origin: only(EXAMPLE_SHA256, ORIGIN),
    catalogue: () => CATALOGUE,
    bundle: id => Promise.resolve(only(INCIDENT.id, new Uint8Array([0x1f, 0x8b, 1, 2]))(id)),
    report: (id, audience) => Promise.resolve(only(INCIDENT.id, `# For ${audience}\n`)(id)),
    annotate: (id, note) => only(INCIDENT.id, { ...note, at: NOW })(id),
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
