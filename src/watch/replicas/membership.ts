/**
 * Which replicas of a watch live, and which of them leads. One authority decides, such as a database or an API server,
 * and never by the clocks of the replicas.
 *
 *     const { members, leader } = await membership.beat();      // every two seconds
 *     if (await membership.leadsNow(leader.term)) act();         // right before each action
 */
import type { Roster } from './replica.ts';

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
