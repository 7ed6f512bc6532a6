/** What the parts of watch share. */
import type { Analysis } from '../../judge/analysis.ts';
import type { KnownLeak } from '../../knowledge/known-leak.ts';
import type { WatchEvent, WatchStatus } from '../watch-model.ts';
import { type Exchange, ALONE, type Share } from '../replicas/ports.ts';
import type { CaptureGate } from '../../live/capture/capture-gate.ts';
import type { DescribedTargets } from '../../evidence/read-attribute-file.ts';
import type { CohortVerdict } from '../../judge/cohorts/cohort-model.ts';
import type { Background, DescribedRow, DetectorRow } from '../background.ts';
import { CAPTURE_POLICY, CaptureBudget, type CapturePolicy, RoutineBudget } from './capture-policy.ts';
import type { WatchClock } from '../../base/clock.ts';
import { ClusterStates, MissingRights } from './cluster-states.ts';
import { idSuffix, Incidents } from './incidents.ts';
import type { UpdateDraft } from '../replicas/update-draft.ts';
import { NodeFacts } from './node-facts.ts';
import type { ScratchFolder, ProfileHistory } from '../../live/ports.ts';
import { Story } from './story.ts';
import type { WatchedTarget } from './watched-target.ts';
import type { WatchStore } from '../../store/ports.ts';
import type { StoredCapture, StoredIncident } from '../../store/records.ts';

export interface WatchOptions {
  readonly mode: WatchStatus['mode'];
  readonly cluster: string;
  /** Their names, if there are several. */
  readonly clusters?: readonly string[] | undefined;
  /** Those of them of which no captures may be taken. */
  readonly clustersWithoutCapture?: ReadonlySet<string> | undefined;
  readonly oakumVersion: string;
  readonly pace: number;
  /** How long an hour of the detector lasts by the clock; 3600 unless the cluster is accelerated. */
  readonly hourSeconds: number;
  readonly intervalSeconds: number;
  /** Concurrent scrapes, and how long each may take. */
  readonly concurrency: number;
  readonly deadlineSeconds: number;
  /** The least time between two evaluations and between two commits. */
  readonly evaluateSeconds: number;
  readonly commitSeconds: number;
  readonly capturesAllowed: boolean;
  /** Collect garbage before heap profiles. */
  readonly gc: boolean;
  readonly policy: CapturePolicy;
  /** Used if no metric and no setting of a target has one. */
  readonly memoryLimitBytes: number | undefined;
  /** The template of links to a dashboard. */
  readonly grafana?: string | undefined;
  /** What the user says targets are, by name. */
  readonly described: DescribedTargets;
}

type Defaults = Omit<WatchOptions, 'mode' | 'cluster' | 'oakumVersion'>;

export const WATCH_DEFAULTS: Defaults = {
  pace: 1,
  hourSeconds: 3600,
  intervalSeconds: 60,
  concurrency: 100,
  deadlineSeconds: 10,
  evaluateSeconds: 300,
  commitSeconds: 2,
  capturesAllowed: false,
  gc: true,
  policy: CAPTURE_POLICY,
  memoryLimitBytes: undefined,
  described: new Map(),
};

/** The defaults for a lab that runs `timeScale` times faster; no target is scraped more often than its values change. */
export function defaultsAt(timeScale: number): Defaults {
  const faster = (seconds: number, least: number): number => Math.max(least, seconds / timeScale);
  return {
    ...WATCH_DEFAULTS,
    hourSeconds: 3600 / timeScale,
    evaluateSeconds: faster(WATCH_DEFAULTS.evaluateSeconds, 5),
    policy: {
      ...CAPTURE_POLICY,
      cooldownSeconds: faster(CAPTURE_POLICY.cooldownSeconds, 60),
      warmUpSeconds: faster(CAPTURE_POLICY.warmUpSeconds, 60),
      routineSeconds: faster(CAPTURE_POLICY.routineSeconds, 300),
    },
  };
}

export interface WatchPorts {
  readonly clock: WatchClock;
  readonly random: () => number;
  readonly store: WatchStore;
  readonly background: Background;
  readonly scratchFolder: () => ScratchFolder;
  readonly gate: CaptureGate;
  /** Both undefined if the watch is alone. */
  readonly share?: Share | undefined;
  readonly exchange?: Exchange | undefined;
  /** Undefined without a continuous profiler. */
  readonly profiler?: ProfilerSource | undefined;
  readonly catalogue: readonly KnownLeak[];
  /** One line for the terminal. */
  readonly log: (line: string) => void;
}

/** A continuous profiler, and which of its profiles to look at. */
export interface ProfilerSource {
  readonly history: ProfileHistory;
  /** Label matchers for all targets, besides those from their names; '' for none. */
  readonly selector: string;
  readonly sinceSeconds: number;
}

export interface WatchState {
  readonly options: WatchOptions;
  readonly ports: WatchPorts;
  readonly startedAt: number;
  readonly share: Share;
  /** What is to be sent to other replicas; undefined if the watch is alone. */
  readonly outgoing: UpdateDraft | undefined;
  readonly targets: Map<string, WatchedTarget>;
  readonly nodes: NodeFacts;
  readonly incidents: Incidents;
  /** Newest last; the store says which ones it has dropped. */
  readonly captures: Map<string, StoredCapture>;
  /** What captures of an incident or of a target showed, by its id or name; the newest last. */
  readonly analyses: Map<string, CaptureAnalysis>;
  /** The ids of captures that are being stored: several targets may be captured in one second. */
  readonly newCaptureIds: Set<string>;
  readonly budget: CaptureBudget;
  readonly routineBudget: RoutineBudget;
  /** How often the continuous profiler may be asked. */
  readonly profilerBudget: CaptureBudget;
  /** The targets whose profiles are being read from it. */
  readonly readingProfiler: Set<string>;
  /** Samples that the detector has not received yet. */
  readonly pending: DetectorRow[];
  /** What the detector has not received about targets yet. */
  readonly described: DescribedRow[];
  /** From the last evaluation, worst first. */
  cohorts: readonly CohortVerdict[];
  readonly missingRights: MissingRights;
  readonly clusters: ClusterStates;
  readonly story: Story;
  readonly counters: WatchCounters;
  /** Captures that are being taken. */
  readonly working: Set<Promise<void>>;
  readonly stopping: AbortSignal;
  readonly emit: (event: WatchEvent) => void;
}

interface CaptureAnalysis {
  /** The captures that it is of. */
  readonly key: string;
  readonly analysis: Analysis;
}

export interface WatchCounters {
  samples: number;
  failures: number;
  evaluations: number;
  evaluationSeconds: number;
  commits: number;
  /** Of all of them together. */
  commitSeconds: number;
  captures: number;
  failedCaptures: number;
  putOffCaptures: number;
  profilerProfiles: number;
  failedProfilerReads: number;
}

/** What a state needs of the watch that it belongs to. */
type Surroundings = Pick<WatchState, 'outgoing' | 'stopping' | 'emit'> & {
  readonly saveAsLeader: (incident: StoredIncident) => void;
};

/** That of a watch which has just begun, and knows nothing yet. */
export function newWatchState(
  ports: WatchPorts,
  options: WatchOptions,
  { saveAsLeader, ...surroundings }: Surroundings,
): WatchState {
  const { share = ALONE } = ports;
  const save = (incident: StoredIncident): void => void ports.store.put({ kind: 'incident', record: incident });
  return {
    options,
    ports,
    startedAt: ports.clock.now(),
    share,
    ...surroundings,
    targets: new Map(),
    nodes: new NodeFacts(),
    incidents: new Incidents({ save, saveAsLeader }, idSuffix(share.id)),
    captures: new Map(),
    analyses: new Map(),
    newCaptureIds: new Set(),
    budget: new CaptureBudget(options.policy),
    routineBudget: new RoutineBudget(options.policy),
    profilerBudget: new CaptureBudget(options.policy),
    readingProfiler: new Set(),
    pending: [],
    described: [],
    cohorts: [],
    missingRights: new MissingRights(options.intervalSeconds),
    clusters: new ClusterStates(options.clusters ?? []),
    story: new Story(),
    counters: newCounters(),
    working: new Set(),
  };
}

function newCounters(): WatchCounters {
  return {
    samples: 0,
    failures: 0,
    evaluations: 0,
    evaluationSeconds: 0,
    commits: 0,
    commitSeconds: 0,
    captures: 0,
    failedCaptures: 0,
    putOffCaptures: 0,
    profilerProfiles: 0,
    failedProfilerReads: 0,
  };
}
