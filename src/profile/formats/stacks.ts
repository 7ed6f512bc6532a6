/** What every reader of profiles and dumps returns. */
import type { GoroutineDump } from '../goroutine-dump.ts';
import type { MemStats } from '../mem-stats.ts';
import type { Profile } from '../profile.ts';

export interface Stacks {
  readonly profile: Profile;
  readonly dump?: GoroutineDump;
  readonly memStats?: MemStats;
  /** Set if the text says which of the two kinds of contention it is about. */
  readonly contention?: 'mutex' | 'block';
  /** What the reader noticed and a user should know, a sentence each. */
  readonly notes: readonly string[];
}
