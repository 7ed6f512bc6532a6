/** What the parts of watch share. */
import type { KnownLeak } from '../../knowledge/known-leak.ts';
import type { StoryEvent, WatchEvent, WatchStatus } from '../watch-model.ts';
import type { Exchange } from '../replicas/ports.ts';
import type { CaptureGate } from '../../live/capture/capture-gate.ts';
import type { DescribedTargets } from '../../evidence/read-attribute-file.ts';
import type { CohortVerdict } from '../../judge/cohorts/cohort-model.ts';
import type { Background, DescribedRow, DetectorRow } from '../background.ts';
import { CAPTURE_POLICY, type CaptureBudget, type CapturePolicy, type RoutineBudget } from './capture-policy.ts';
import type { WatchClock } from '../../base/clock.ts';
import type { ClusterStates, MissingRights } from './cluster-states.ts';
import type { Incidents } from './incidents.ts';
import type { UpdateDraft } from '../replicas/update-draft.ts';
import type { NodeFacts } from './node-facts.ts';
import type { ScratchFolder } from '../../live/capture/capture-folder.ts';
import type { Share } from './share.ts';
import type { WatchedTarget } from './watched-target.ts';
import type { ProfileHistory } from '../../live/ports.ts';
import type { WatchStore } from '../../store/ports.ts';
import type { StoredCapture } from '../../store/records.ts';

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
  pastProfiles: number;
  failedProfilerReads: number;
}

export function newCounters(): WatchCounters {
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
    pastProfiles: 0,
    failedProfilerReads: 0,
  };
}

/** Logs `19:57:20 node/worker-17 what happened`; a demo shows the same on its pages. */
export function tell({ ports, options, story, targets }: WatchState, at: number, target: string, text: string): void {
  const eventTime = story.eventTime(at);
  ports.log(`${clockText(eventTime)} ${target} ${text}`);
  if (options.mode !== 'demo') return;
  story.add({ at: eventTime, kind: 'event', target, incidentId: targets.get(target)?.incidentId ?? null, text });
}

/** The same about the whole fleet. */
export function tellOfFleet({ ports, options, story }: WatchState, event: Omit<StoryEvent, 'target'>): void {
  const at = story.eventTime(event.at);
  ports.log(`${clockText(at)} ${event.text}`);
  if (options.mode === 'demo') story.add({ ...event, at, target: null });
}

function clockText(at: number): string {
  return new Date(at * 1000).toISOString().slice(11, 19);
}

/**
 * What watch has concluded, event by event, as it happened and in the words of the pages. A demo shows it.
 *
 *     19:57:03  node/leak-b  watch: live heap grows 46.4 MiB/h, at 50 pods; limit in 57m to 3h16m
 *     19:57:06  node/leak-b  confirmed as kubernetes#139823: A context stays behind after every pod sync
 */
const MAX_EVENTS = 200;

export class Story {
  #events: readonly StoryEvent[] = [];
  readonly #states = new Map<string, string>();

  get events(): readonly StoryEvent[] {
    return this.#events;
  }

  /** Samples are older than what is concluded from them: no event has a time before that of the last one. */
  eventTime(at: number): number {
    return Math.max(at, this.#events.at(-1)?.at ?? at);
  }

  add(event: StoryEvent): void {
    this.#events = [...this.#events, event].slice(-MAX_EVENTS);
  }

  /** True if this is another state of `about` than at the last event. */
  isNew(about: string, state: string): boolean {
    if (this.#states.get(about) === state) return false;
    this.#states.set(about, state);
    return true;
  }
}
