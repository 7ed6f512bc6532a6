/** What the server can request from a running watch. All answers come from memory and the store, without a scrape. */
import type {
  CaptureView,
  CatalogueView,
  FleetView,
  IncidentSummary,
  IncidentView,
  TargetView,
  WatchEvent,
  WatchStatus,
} from '../../model/watch.ts';
import type { ReportAudience } from '../../model/issue-facts.ts';

/** Why a requested capture was not started, with the next step. */
export interface CaptureRefusal {
  readonly refused: string;
}

export interface WatchService {
  status(): WatchStatus;
  fleet(hours: number): FleetView;
  /** undefined when there is no such target. */
  target(name: string, from: number | undefined, to: number | undefined): Promise<TargetView | undefined>;
  incidents(): readonly IncidentSummary[];
  incident(id: string): Promise<IncidentView | undefined>;
  capture(id: string): CaptureView | undefined;
  /** The stored file, checked against its hash. */
  profile(sha256: string): Promise<Uint8Array | undefined>;
  catalogue(): CatalogueView;
  /** A redacted bundle of the incident's evidence. */
  bundle(incidentId: string): Promise<Uint8Array | undefined>;
  report(incidentId: string, audience: ReportAudience): Promise<string | undefined>;
  captureNow(target: string): Promise<{ readonly captureId: string } | CaptureRefusal | undefined>;
  /** In OpenMetrics, without the final `# EOF`. */
  metrics(): string;
  /** Returns a function that stops it. */
  subscribe(listener: (event: WatchEvent) => void): () => void;
  stop(): Promise<void>;
}
