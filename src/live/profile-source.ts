/** Where profiles come from. */
import type { Profile } from '../profile/profile.ts';

export interface FetchedProfile {
  readonly profile: Profile;
  /** The URL it was fetched from; undefined for a file. */
  readonly url: string | undefined;
  /** What the reader noticed, a sentence each. */
  readonly notes: readonly string[];
}

export interface ProfileSource {
  /** Reads a file or fetches a URL; throws an Error whose message says what went wrong. */
  fetch(source: string): Promise<FetchedProfile>;
}
