/** A continuous profiler: profiles of the past. Every method throws a Failure if it cannot answer. */

export type PastKind = 'heap' | 'goroutine';

export interface PastQuery {
  /** Label matchers without braces, such as `service_name="kubelet"`. */
  readonly selector: string;
  /** Which of the processes that the selector finds; all by default. */
  readonly accepts?: ((labels: PastLabels) => boolean) | undefined;
  readonly fromSeconds: number;
  readonly toSeconds: number;
  readonly signal: AbortSignal;
}

export type PastLabels = Readonly<Record<string, string>>;

/** One kind of profile of one process, at times at which there is one, oldest first. */
export interface PastProfiles {
  readonly kind: PastKind;
  /** Those that tell processes apart. */
  readonly labels: PastLabels;
  /** The matchers that select this process, without braces. */
  readonly selector: string;
  readonly atSeconds: readonly number[];
  /** Each profile was taken at its time or up to this long before. */
  readonly withinSeconds: number;
}

export interface PastProfile {
  /** When it was taken. */
  readonly atSeconds: number;
  /** As profile.proto, not compressed. */
  readonly bytes: Uint8Array;
}

export interface ProfileHistory {
  readonly address: string;
  find(query: PastQuery): Promise<readonly PastProfiles[]>;
  /** A profile of one of its times. */
  read(profiles: PastProfiles, atSeconds: number, signal: AbortSignal): Promise<PastProfile>;
}
