/** Verdict changes, incidents and plans as a store keeps them. */
import type { Verdict } from '../judge/verdict.ts';
import type { Resource } from '../evidence/resource.ts';

export interface StoredVerdictChange {
  readonly at: number;
  readonly target: string;
  readonly resource: Resource;
  readonly from: Verdict;
  readonly to: Verdict;
  readonly reason: string;
}

/** A plan that was made for an incident. */
export interface StoredPlan {
  readonly id: string;
  readonly incidentId: string;
  /** As they call themselves. */
  readonly madeBy: string;
  readonly madeAt: number;
  /** A Plan; its own hash tells whether it was changed. */
  readonly document: object;
}

export interface StoredIncident {
  readonly id: string;
  readonly target: string;
  readonly openedAt: number;
  readonly closedAt: number | null;
  /** Version of the document's schema. */
  readonly version: number;
  /** Serialisable as JSON. */
  readonly document: object;
}

export interface WatchedEvent {
  readonly at: number;
  /** The text of a `change` is `ATTRIBUTE: FROM -> TO`. */
  readonly kind: 'restart' | 'reboot' | 'oom' | 'condition' | 'event' | 'verdict' | 'capture' | 'change' | 'note';
  readonly text: string;
}
