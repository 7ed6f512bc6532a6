/** A running watch: what feeds it, what acts on it, and what the server asks of it. `create-watch.ts` makes it. */
import type { CycleObservation } from '../evidence/cycle/cycle.ts';
import type { TargetEntry } from './state/watched-target.ts';
import type { IncidentFigures } from './views/incident-figures.ts';
import type { WatchService } from './watch-service.ts';
import type { Attributes } from '../evidence/target.ts';
import type { LeaderStore } from '../store/ports.ts';
import type { NodeStanding } from './fleet/fleet.ts';
import type { MissingRight } from './state/cluster-states.ts';

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
  /** While the past is loaded, only `evaluate` judges, in time order. */
  setBackfilling(isBackfill: boolean): void;
  /** Among replicas: looks into the store for what the others did not tell. */
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
