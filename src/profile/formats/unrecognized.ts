/** What users read about a file that no format claims. */
import { FormatError } from '../../base/errors.ts';
import type { GoroutineDump } from '../goroutine-dump.ts';
import type { MemStats } from './mem-stats.ts';
import type { Profile } from '../profile.ts';

/** Used by every command but `oakum pprof`, which has pprof's words. */
export const UNRECOGNIZED_FILE = 'not a profile, a dump, metrics, kubectl JSON or a log';

export const EMPTY_FILE = 'the file is empty';

/** The input is not a profile, or not the kind that its reader expected: another reader may know it. */
export class UnrecognizedProfileError extends FormatError {
  constructor(where: { line?: number; cause?: unknown } = {}) {
    super('unrecognized profile format', where);
  }
}

/** What every reader of profiles and dumps returns. */
export interface Stacks {
  readonly profile: Profile;
  readonly dump?: GoroutineDump;
  readonly memStats?: MemStats;
  /** Set if the text says which of the two kinds of contention it is about. */
  readonly contention?: 'mutex' | 'block';
  /** What the reader noticed and a user should know, a sentence each. */
  readonly notes: readonly string[];
}
