import type { StoredIncident, StoredVerdictChange, WatchedEvent } from './stored-records.ts';

/**
 * What happened to targets: events, verdict changes, incidents. Writes become durable with the next commit, and return
 * false if they are not taken; reads see what is committed.
 */
export interface TargetEvent extends WatchedEvent {
  readonly target: string;
}

export interface IncidentStore {
  addEvent(target: string, event: WatchedEvent): boolean;
  addVerdictChange(change: StoredVerdictChange): boolean;
  /** Replaces the incident of that id. */
  putIncident(incident: StoredIncident): boolean;

  /** In time order. */
  events(target: string, from: number, to: number): Promise<readonly WatchedEvent[]>;
  /** For all targets, or for these, in time order; if there are too many, the newest. */
  eventsOfKind(
    kind: WatchedEvent['kind'],
    from: number,
    to: number,
    targets?: readonly string[],
  ): Promise<readonly TargetEvent[]>;
  /** For one target or all, in time order. */
  verdictChanges(from: number, to: number, target?: string): Promise<readonly StoredVerdictChange[]>;
  /** Newest first. */
  incidents(): Promise<readonly StoredIncident[]>;
  incident(id: string): Promise<StoredIncident | undefined>;
}
