/**
 * How replicas work together: which share of the work is whose, who leads, and what they send each other through the
 * store that they share, besides what the store keeps.
 *
 *     await exchange.publish(update);                     // after each commit
 *     const { updates, isComplete } = await exchange.read();   // what the others published since the last reading
 */
import type { CohortVerdict } from '../../judge/cohorts/cohort-model.ts';
import type { TargetVerdict } from '../../judge/detect/detection.ts';
import type { Resource } from '../../evidence/resource.ts';
import type { StoredIncident, StoredCapture } from '../../store/records.ts';
import type { Attributes } from '../../evidence/target.ts';
import type { LeaderStore } from '../../store/ports.ts';

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

interface Leadership {
  readonly id: string;
  /** Grows with every change of the leader: a replica with an older one must not act any more. */
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

export interface UpdatesRead {
  /** In the order in which each replica published them. */
  readonly updates: readonly { readonly from: string; readonly update: ReplicaUpdate }[];
  /** False if some are gone before they were read: the reader must look at the store itself. */
  readonly isComplete: boolean;
}

export interface Exchange {
  /** Updates are kept for some minutes. Rejects if the store does not answer. */
  publish(update: ReplicaUpdate): Promise<void>;
  /** The first reading begins with what was published in the last minutes, also by an earlier process of this replica. */
  read(): Promise<UpdatesRead>;
  /** The newest verdict on each target. */
  putVerdicts(verdicts: readonly SentVerdict[]): Promise<void>;
  /** Those that are newer than `since`, in Unix seconds; some at a time. */
  verdicts(since: number): AsyncIterable<readonly SentVerdict[]>;
  /** For the leader of this term; from its first commit on, those of earlier terms are refused. */
  lead(term: number): LeaderStore;
  /** True if nobody else takes a capture of the target; for so long, or until it is released. */
  claimCapture(target: string, seconds: number): Promise<boolean>;
  releaseCapture(target: string): Promise<void>;
}

/**
 * Which replicas of a watch live, and which of them leads. One authority decides, such as a database or an API server,
 * and never by the clocks of the replicas.
 *
 *     const { members, leader } = await membership.beat();      // every two seconds
 *     if (await membership.leadsNow(leader.term)) act();         // right before each action
 */
export interface MembershipTimes {
  /** Without a beat for this long, a replica counts as dead. */
  readonly leaseSeconds: number;
  /** A replica that had no answer for this long considers itself out; less than the lease. */
  readonly giveUpSeconds: number;
  readonly beatSeconds: number;
}

/** As client-go does for leaders, a little faster: a replica's targets are sampled again within 30 s. */
export const MEMBERSHIP_TIMES: MembershipTimes = { leaseSeconds: 12, giveUpSeconds: 8, beatSeconds: 2 };

export interface Membership {
  /** For messages: `PostgreSQL at db:5432`. */
  readonly authority: string;
  /**
   * Joins, or renews this replica's place. Takes the leadership if nobody has it, and renews it if this replica has it.
   * Rejects with a usage Failure if another process that lives has this id, with another one if a right is missing, and
   * with any error if the authority does not answer.
   */
  beat(): Promise<Roster>;
  /** Asks the authority: whether this replica leads at this moment, and with this term. Rejects if it does not answer. */
  leadsNow(term: number): Promise<boolean>;
  /** Others need not wait until it counts as dead. */
  leave(): Promise<void>;
}

/** Which part of the work is this watch's own. */
export interface Share {
  /** Of this replica; undefined if the watch is alone. */
  readonly id: string | undefined;
  readonly members: readonly ReplicaMember[];
  readonly leader: Leadership | null;
  /** Whether it may lead at this moment, and in which term; undefined if it does not, or the watch is alone. */
  readonly isLeader: boolean;
  readonly term: number | undefined;
  /** A sentence while it cannot reach the others; null if all is well. */
  readonly trouble: string | null;
  /** Whether it samples and judges the target at this moment. */
  owns(target: string): boolean;
  /** Undefined while nobody does. */
  ownerOf(target: string): string | undefined;
  /** Calls back when shares or the leadership change. */
  subscribe(listener: () => void): () => void;
}

export const ALONE: Share = {
  id: undefined,
  members: [],
  leader: null,
  isLeader: true,
  term: undefined,
  trouble: null,
  owns: () => true,
  ownerOf: () => undefined,
  subscribe: () => () => {},
};
