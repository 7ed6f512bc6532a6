/**
 * `oakum watch`: samples, judges, keeps evidence and answers the server.
 *
 *     const watch = createWatch(ports, options, readSelf);
 *     await watch.start();                       // resumes where the store ends
 *     watch.addTarget({ name: 'node/worker-17', connection, attributes: {} });
 *
 *     targets -> samples -> store
 *                        -> detector -> verdicts -> incidents
 *                        -> triggers -> captures -> analysis -> matches
 */
import type { CycleObservation } from '../evidence/cycle/cycle.ts';
import type { Resource } from '../evidence/resource.ts';
import type { Attributes } from '../evidence/target.ts';
import type { CatalogueView } from '../knowledge/view.ts';
import type { ReportAudience } from '../report/issue/issue-facts.ts';
import type { LeaderStore } from '../store/ports.ts';
import { Evaluation } from './evaluation.ts';
import { bundleOf, reportOf, catalogueView, originView, captureView } from './views/evidence-view.ts';
import { annotate, noteObservation, notePlan } from './incidents/life-cycle.ts';
import { logEnd } from './incidents/fleet-events.ts';
import { repeatWork, stopwatch } from './loops.ts';
import { publishingStore, UpdateDraft } from './replicas/update-draft.ts';
import type { MissingRight } from './state/cluster-states.ts';
import { describeTarget } from './state/describe-target.ts';
import { newWatchState, type WatchOptions, type WatchPorts, type WatchState } from './state/watch-state.ts';
import { selfName, type TargetEntry } from './state/watched-target.ts';
import { TargetRoster } from './target-roster.ts';
import { cohortIncidentView, cohortsView } from './views/cohort-views.ts';
import type { FleetQuery, FleetRow, FleetView, NodeStanding } from './views/fleet.ts';
import { fleetRows, nodeStandings } from './views/fleet-rows.ts';
import { FleetViews } from './views/fleet-view.ts';
import { incidentView } from './views/incident-view.ts';
import { allIncidents, incidentsView, incidentFigures, type IncidentFigures } from './views/incidents-view.ts';
import { rolloutView } from './views/rollout-view.ts';
import { selfMetrics, targetMetrics } from './views/metrics.ts';
import { statusView } from './views/status-view.ts';
import { targetView } from './views/target-view.ts';
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
import type { CaptureRefusal, EvidenceRefusal, Watch } from './watch-service.ts';

/** Between two events of the status. */
const STATUS_SECONDS = 2;

type OwnFigures = () => Readonly<Record<string, number>>;

export function createWatch(ports: WatchPorts, options: WatchOptions, self: OwnFigures): Watch {
  return new RunningWatch(ports, options, self);
}

class RunningWatch implements Watch {
  #toldTrouble = '';
  readonly #state: WatchState;
  readonly #self: OwnFigures;
  readonly #roster: TargetRoster;
  readonly #evaluation: Evaluation;
  readonly #fleet: FleetViews;
  readonly #listeners = new Set<(event: WatchEvent) => void>();
  readonly #stop = new AbortController();
  #loops: readonly Promise<void>[] = [];
  #sinceStatus: () => number = () => Infinity;

  constructor(given: WatchPorts, options: WatchOptions, self: OwnFigures) {
    const { exchange } = given;
    const outgoing = exchange === undefined ? undefined : new UpdateDraft();
    const ports =
      exchange === undefined || outgoing === undefined
        ? given
        : { ...given, store: publishingStore(given.store, outgoing, exchange) };
    this.#self = self;
    this.#state = newWatchState(ports, options, {
      outgoing,
      stopping: this.#stop.signal,
      emit: event => this.#emit(event),
      saveAsLeader: incident => this.#roster.saveAsLeader(incident),
    });
    this.#fleet = new FleetViews(this.#state);
    this.#roster = new TargetRoster(this.#state);
    this.#evaluation = new Evaluation(this.#state);
  }

  async start(): Promise<void> {
    const { options, ports, share } = this.#state;
    await this.#roster.recall();
    // Its own samples would not have the time of a recording.
    if (options.hourSeconds === 3600)
      this.addTarget({
        name: selfName(share.id),
        connection: undefined,
        read: this.#self,
        attributes: { version: options.oakumVersion },
      });
    const repeat = (seconds: () => number, work: () => Promise<void>): Promise<void> =>
      repeatWork(ports, this.#stop.signal, seconds, work);
    this.#loops = [
      this.#roster.sampler.run(this.#stop.signal),
      repeat(
        () => options.commitSeconds,
        () => this.#commit(),
      ),
      repeat(
        () => this.#evaluation.pauseSeconds,
        () => this.#evaluation.regular(),
      ),
      repeat(
        () => options.commitSeconds,
        () => this.#evaluation.readHistory(),
      ),
    ];
  }

  async stop(): Promise<void> {
    const { working, ports } = this.#state;
    this.#stop.abort();
    await Promise.all(this.#loops);
    await Promise.all(working);
    this.#evaluation.flush();
    // This commit also sends the last update to the other replicas.
    if (ports.exchange !== undefined) await ports.store.commit();
    await ports.store.close();
    await ports.background.close();
  }

  async settle(): Promise<void> {
    await this.#commit();
    await this.#state.ports.background.settle();
  }

  async finish(): Promise<void> {
    await this.settle();
    await this.evaluate();
    // What the last captures show may change a verdict.
    await Promise.all(this.#state.working);
    logEnd(this.#state);
    this.#emit({ kind: 'status', status: this.status() });
  }

  async #commit(): Promise<void> {
    const { ports, share, counters } = this.#state;
    this.#evaluation.flush();
    const taken = stopwatch();
    await ports.store.commit();
    this.#tellTrouble();
    counters.commits++;
    counters.commitSeconds += taken();
    if (share.isLeader) await ports.store.maintain(ports.clock.now());
    await this.#roster.followReplicas();
    if (this.#sinceStatus() < STATUS_SECONDS) return;
    this.#sinceStatus = stopwatch();
    this.#emit({ kind: 'status', status: this.status() });
  }

  /** A disk that is full or gone is told once, and when it is over. */
  #tellTrouble(): void {
    const { ports } = this.#state;
    const { degraded } = ports.store.status();
    // The counts in the sentence change all the time.
    const kind = degraded?.replace(/\d+/g, '') ?? '';
    if (kind === this.#toldTrouble) return;
    this.#toldTrouble = kind;
    ports.log(degraded === null ? 'store: everything is kept again' : `store: ${degraded}`);
  }

  #emit(event: WatchEvent): void {
    if (event.kind === 'fleet') this.#fleet.forget();
    for (const listener of this.#listeners) listener(event);
  }

  subscribe(listener: (event: WatchEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  // What feeds it.

  addTarget(found: TargetEntry): void {
    this.#roster.add(found);
  }

  removeTarget(name: string): void {
    this.#roster.remove(name);
  }

  addSample(target: string, at: number, values: Readonly<Record<string, number>>): void {
    this.#roster.addSample(target, at, values);
  }

  describe(name: string, attributes: Attributes, at: number = this.#state.ports.clock.now()): void {
    const target = this.#state.targets.get(name);
    if (target !== undefined) describeTarget(this.#state, target, attributes, at);
  }

  addObservation(target: string, observation: CycleObservation): void {
    noteObservation(this.#state, target, observation);
  }

  setMissingRight(kind: string, right: MissingRight | undefined, cluster?: string): void {
    const { missingRights, ports } = this.#state;
    if (right === undefined) return missingRights.clear(kind, cluster);
    const added = missingRights.note(kind, right, ports.clock.now(), cluster);
    if (added !== undefined) ports.log(`${added.what}; ${added.command}`);
  }

  setClusterProblem(cluster: string, why: string | null): void {
    this.#state.clusters.note(cluster, why, this.#state.ports.clock.now());
  }

  setBackfilling(isBackfill: boolean): void {
    this.#evaluation.isBackfilling = isBackfill;
  }

  evaluate(at?: number): Promise<void> {
    return this.#evaluation.at(at);
  }

  resync(): Promise<void> {
    return this.#roster.resync();
  }

  // What acts on it.

  notePlan(id: string, text?: string): void {
    const incident = this.#state.incidents.get(id);
    if (incident !== undefined) notePlan(this.#state, incident, text);
  }

  annotate(id: string, note: NewNote): IncidentNote | undefined {
    const incident = this.#state.incidents.get(id);
    return incident && annotate(this.#state, incident, note);
  }

  captureNow(
    target: string,
    reason = 'a user asked for it',
  ): Promise<{ readonly captureId: string } | CaptureRefusal | undefined> {
    return this.#roster.capture(target, reason);
  }

  asLeader(): LeaderStore | undefined {
    return this.#roster.leaderStore;
  }

  nodeStandings(cluster?: string): readonly NodeStanding[] {
    return nodeStandings(this.#state, cluster);
  }

  figures(id: string): IncidentFigures {
    return incidentFigures(this.#state, id);
  }

  // What the server asks.

  status(): WatchStatus {
    return statusView(this.#state, this.#roster.sampler.roundSeconds());
  }

  metrics(): string {
    return selfMetrics(this.#state, this.#self(), this.#roster.sampler.lateCount) + targetMetrics(this.#state);
  }

  fleet(hours: number, asked?: Partial<FleetQuery>): Promise<FleetView> {
    return this.#fleet.view(hours, asked);
  }

  fleetRows(names: readonly string[], hours: number): readonly FleetRow[] {
    return fleetRows(this.#state, names, hours);
  }

  cohorts(mostChanges?: number): Promise<CohortsView> {
    return cohortsView(this.#state, mostChanges);
  }

  rollout(attribute: string, hours: number, resource: Resource | undefined): Promise<RolloutView> {
    return rolloutView(this.#state, attribute, hours, resource);
  }

  async target(name: string, from: number | undefined, to: number | undefined): Promise<TargetView | undefined> {
    const target = this.#state.targets.get(name);
    return target && targetView(this.#state, target, from, to);
  }

  incidents(): readonly IncidentSummary[] {
    return allIncidents(this.#state);
  }

  incidentsView(query: IncidentsQuery): Promise<IncidentsView> {
    return incidentsView(this.#state, query);
  }

  async incident(id: string): Promise<IncidentView | undefined> {
    const incident = this.#state.incidents.ofTarget(id);
    return incident && incidentView(this.#state, incident);
  }

  async cohortIncident(id: string): Promise<CohortIncidentView | undefined> {
    const incident = this.#state.incidents.ofCohort(id);
    return incident && cohortIncidentView(this.#state, incident);
  }

  capture(id: string): CaptureView | undefined {
    const capture = this.#state.captures.get(id);
    return capture && captureView(capture);
  }

  profile(sha256: string): Promise<Uint8Array | undefined> {
    return this.#state.ports.store.readProfile(sha256);
  }

  origin(sha256: string): FileOrigin | undefined {
    return originView(this.#state, sha256);
  }

  catalogue(): CatalogueView {
    return catalogueView(this.#state);
  }

  bundle(incidentId: string): Promise<Uint8Array | EvidenceRefusal | undefined> {
    return bundleOf(this.#state, incidentId);
  }

  report(incidentId: string, audience: ReportAudience): Promise<string | EvidenceRefusal | undefined> {
    return reportOf(this.#state, incidentId, audience);
  }
}
