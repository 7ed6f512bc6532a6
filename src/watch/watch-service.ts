/** What the server can request from a running watch. All answers come from memory and the store, without a scrape. */
import type { CycleObservation } from '../evidence/cycle/cycle.ts';
import type { Attributes } from '../evidence/target.ts';
import type { LeaderStore } from '../store/ports.ts';
import type { FleetQuery, FleetRow, FleetView, NodeStanding } from './views/fleet.ts';
import type { MissingRight } from './state/cluster-states.ts';
import type { TargetEntry } from './state/watched-target.ts';
import type {
  CaptureView,
  CohortIncidentView,
  CohortsView,
  FileOrigin,
  IncidentNote,
  IncidentsQuery,
  IncidentSummary,
  IncidentsView,
  IncidentView,
  NewNote,
  RolloutView,
  TargetView,
  WatchEvent,
  WatchStatus,
} from './watch-model.ts';
import type { ReportAudience } from '../report/issue/issue-facts.ts';
import type { Resource } from '../evidence/resource.ts';
import type { CatalogueView } from '../knowledge/view.ts';
import type { IncidentFigures } from './views/incidents-view.ts';

/** Why there is nothing to hand out about an incident. */
export interface EvidenceRefusal {
  readonly refused: string;
}

/** Why a requested capture was not started, with the next step. */
export interface CaptureRefusal {
  readonly refused: string;
}

export interface WatchService {
  status(): WatchStatus;
  /** The fleet in the last hours; everything that is not asked for is as in `WHOLE_FLEET`. */
  fleet(hours: number, asked?: Partial<FleetQuery>): Promise<FleetView>;
  /** The rows of these targets, as far as they are watched. */
  fleetRows(names: readonly string[], hours: number): readonly FleetRow[];
  /** With so many changes of attributes at most; 20,000 if not given. */
  cohorts(mostChanges?: number): Promise<CohortsView>;
  /** Who had which value of an attribute when; of the resource that leaks, if none is asked for. */
  rollout(attribute: string, hours: number, resource: Resource | undefined): Promise<RolloutView>;
  /** undefined when there is no such target. */
  target(name: string, from: number | undefined, to: number | undefined): Promise<TargetView | undefined>;
  /** All, newest first. */
  incidents(): readonly IncidentSummary[];
  incidentsView(query: IncidentsQuery): Promise<IncidentsView>;
  incident(id: string): Promise<IncidentView | undefined>;
  cohortIncident(id: string): Promise<CohortIncidentView | undefined>;
  capture(id: string): CaptureView | undefined;
  /** The stored file, checked against its hash. */
  profile(sha256: string): Promise<Uint8Array | undefined>;
  /** Undefined when no capture has it. */
  origin(sha256: string): FileOrigin | undefined;
  catalogue(): CatalogueView;
  /** A redacted bundle of the incident's evidence; undefined when there is no such incident. */
  bundle(incidentId: string): Promise<Uint8Array | EvidenceRefusal | undefined>;
  report(incidentId: string, audience: ReportAudience): Promise<string | EvidenceRefusal | undefined>;
  /** Undefined when there is no such incident. */
  annotate(incidentId: string, note: NewNote): IncidentNote | undefined;
  /** Undefined when there is no such target. */
  captureNow(target: string, reason?: string): Promise<{ readonly captureId: string } | CaptureRefusal | undefined>;
  /** In OpenMetrics, without the final `# EOF`. */
  metrics(): string;
  /** Returns a function that stops it. */
  subscribe(listener: (event: WatchEvent) => void): () => void;
  stop(): Promise<void>;
}

/** A running watch: what feeds it, what acts on it, and what the server asks of it. `create-watch.ts` makes it. */
export interface Watch extends WatchService {
  /** Resumes where the store ends, then runs until `stop`. */
  start(): Promise<void>;
  addTarget(entry: TargetEntry): void;
  removeTarget(name: string): void;
  /** From elsewhere, such as a Prometheus. */
  addSample(target: string, at: number, values: Readonly<Record<string, number>>): void;
  /** What a target is; nothing if there is no such target. */
  describe(target: string, attributes: Attributes, at?: number): void;
  /** What the API server says about a node. */
  addObservation(target: string, observation: CycleObservation): void;
  /** Worst first; `cluster` where there are several. */
  nodeStandings(cluster?: string): readonly NodeStanding[];
  /** Something about the plans of an incident changed; with a text, it is a step of its timeline. */
  notePlan(incidentId: string, text?: string): void;
  /** Undefined when it works again. `cluster`: where there are several. */
  setMissingRight(kind: string, right: MissingRight | undefined, cluster?: string): void;
  /** Whether the nodes of one of several clusters can be listed: `null`, or why not. */
  setClusterProblem(cluster: string, why: string | null): void;
  /** While old samples are loaded, only `evaluate` judges, in time order. */
  setBackfilling(isBackfill: boolean): void;
  /** Among replicas: looks into the store for what the others did not send. */
  resync(): Promise<void>;
  /** Where this replica writes what only the leader may; undefined while it does not lead. */
  asLeader(): LeaderStore | undefined;
  /** Commits, and resolves when the detector has received everything. */
  settle(): Promise<void>;
  /** The recording is over: judges all of it, waits for captures, and ends the story. */
  finish(): Promise<void>;
  /** What is known about an open incident now, besides its summary. */
  figures(incidentId: string): IncidentFigures;
  /** Judges the samples up to a time; the samples up to now are judged every few minutes anyway. */
  evaluate(at?: number): Promise<void>;
}
