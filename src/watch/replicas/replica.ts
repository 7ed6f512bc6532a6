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
