/** What the server can request from a running watch. All answers come from memory and the store, without a scrape. */
import type { FleetQuery, FleetRow, FleetView } from './fleet/fleet.ts';
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
