/** A continuous profiler: profiles of the past. Every method throws a Failure if it cannot answer. */

export type PastKind = 'heap' | 'goroutine';

export interface PastQuery {
  /** Label matchers without braces, such as `service_name="kubelet"`. */
  readonly selector: string;
  readonly fromSeconds: number;
  readonly toSeconds: number;
  readonly signal: AbortSignal;
}

/** One kind of profile of one process, at the times at which it was taken, oldest first. */
export interface PastProfiles {
  readonly kind: PastKind;
  readonly labels: Readonly<Record<string, string>>;
  readonly atSeconds: readonly number[];
}

export interface ProfileHistory {
  readonly address: string;
  find(query: PastQuery): Promise<readonly PastProfiles[]>;
  /** The profile of one of its times, as profile.proto. */
  read(profiles: PastProfiles, atSeconds: number, signal: AbortSignal): Promise<Uint8Array>;
}
