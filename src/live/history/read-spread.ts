/** Some of the profiles of one kind and process, spread over the time. */
import { Failure } from '../../base/failure.ts';
import { oneLine } from '../../base/text-layout.ts';
import type { PastProfile, PastProfiles, ProfileHistory } from '../profile-history.ts';

/** For each kind and process. */
export const SNAPSHOTS = 8;

/** The same in a watch, which keeps what it reads. */
export const PAST_MOMENTS = 4;

/** A profile, or why there is none of that time. */
export type SpreadProfile = PastProfile | { readonly atSeconds: number; readonly problem: string };

export async function* readSpread(
  history: ProfileHistory,
  profiles: PastProfiles,
  signal: AbortSignal,
  count: number = SNAPSHOTS,
): AsyncGenerator<SpreadProfile> {
  for (const atSeconds of spread(profiles.atSeconds, count)) {
    if (signal.aborted) return;
    try {
      yield await history.read(profiles, atSeconds, signal);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      yield { atSeconds, problem: oneLine(error.message) };
    }
  }
}

/** The first, the last, and others at equal distances. */
export function spread(times: readonly number[], count: number): number[] {
  if (times.length <= count) return [...times];
  const chosen = Array.from({ length: count }, (_, i) => Math.round((i * (times.length - 1)) / (count - 1)));
  return chosen.flatMap(i => times[i] ?? []);
}
