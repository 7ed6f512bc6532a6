/** What a replica sends the others: what it has committed since the last update. */
import type { CohortVerdict } from '../../judge/cohorts/cohort-model.ts';
import type { TargetVerdict } from '../../judge/detect/detection.ts';
import type { Resource } from '../../evidence/resource.ts';
import type { StoredIncident, StoredCapture } from '../../store/records.ts';
import type { Attributes } from '../../evidence/target.ts';

export interface ReplicaUpdate {
  readonly samples: readonly NewSample[];
  readonly attributes: readonly (readonly [target: string, attributes: Attributes])[];
  readonly verdicts: readonly SentVerdict[];
  readonly incidents: readonly StoredIncident[];
  readonly captures: readonly StoredCapture[];
  /** Why targets do not answer; null if they do again. */
  readonly silent: readonly (readonly [target: string, why: string | null])[];
  /** The leader's; absent if they did not change. */
  readonly cohorts?: readonly CohortVerdict[] | undefined;
  /** Captures that someone asked for at a replica that does not sample the target, and what became of them. */
  readonly requests: readonly CaptureRequest[];
  readonly answers: readonly CaptureAnswer[];
}

export interface NewSample {
  readonly target: string;
  readonly at: number;
  readonly values: Readonly<Record<string, number>>;
}

/** The newest verdict of the replica that judges a target. */
export interface SentVerdict {
  readonly target: string;
  readonly at: number;
  /** From the metrics alone. */
  readonly detected: TargetVerdict;
  /** With what captures and cohorts add; absent if that is nothing. */
  readonly verdict?: TargetVerdict | undefined;
  /** What the captures of this life prove to leak. */
  readonly proved: readonly Resource[];
}

export interface CaptureRequest {
  readonly id: string;
  readonly target: string;
  readonly reason: string;
}

export interface CaptureAnswer {
  readonly id: string;
  readonly captureId?: string | undefined;
  readonly refused?: string | undefined;
}

export const EMPTY_UPDATE: ReplicaUpdate = {
  samples: [],
  attributes: [],
  verdicts: [],
  incidents: [],
  captures: [],
  silent: [],
  requests: [],
  answers: [],
};

/** Several watches that share one store and its targets. */
export interface ReplicaMember {
  /** `oakum-1` */
  readonly id: string;
  /** Where its API is; null if others cannot reach it. */
  readonly address: string | null;
}

export interface Leadership {
  readonly id: string;
  /** Grows with every change of the leader: whoever has an older one must not act any more. */
  readonly term: number;
}

/** Who lives and who leads, as one authority says it to all. */
export interface Roster {
  /** By id. */
  readonly members: readonly ReplicaMember[];
  /** Null while nobody leads. */
  readonly leader: Leadership | null;
}

/** The roster as a replica shows it. */
export interface ReplicasView extends Roster {
  /** This one. */
  readonly id: string;
  readonly isLeader: boolean;
  /** How many of the targets each of the members samples. */
  readonly shares: Readonly<Record<string, number>>;
  /** A sentence while it cannot reach the others; null if all is well. */
  readonly trouble: string | null;
}
