/**
 * What replicas send each other through the store that they share, besides what the store keeps.
 *
 *     await exchange.publish(update);                     // after each commit
 *     const { updates, isComplete } = await exchange.read();   // what the others published since the last reading
 */
import type { ReplicaUpdate, SentVerdict, Roster } from './update.ts';
import type { LeaderStore } from '../../store/ports.ts';

export interface UpdatesRead {
  /** In the order in which each replica published them. */
  readonly updates: readonly { readonly from: string; readonly update: ReplicaUpdate }[];
  /** False if some are gone before they were read: whoever reads must look at the store itself. */
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
