/** Which part of the work is this watch's own. */

import type { Leadership, ReplicaMember } from '../replicas/update.ts';

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
