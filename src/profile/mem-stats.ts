/**
 * `runtime.MemStats` from the end of a heap profile at debug=1: heap, stacks, garbage collector and memory from the
 * system, all at the same time. Every field may be missing: releases differ, and captures are cut short. Values that do
 * not fit a double (byte counters, nanoseconds since 1970, "never") are bigints.
 */

/** Memory of one runtime structure: in use, and obtained from the system. */
export interface InuseOfSys {
  readonly inuseBytes: number;
  readonly sysBytes: number;
}

export interface MemStats {
  readonly allocBytes?: number;
  readonly totalAllocBytes?: bigint;
  readonly sysBytes?: number;
  readonly lookups?: number;
  readonly mallocs?: number;
  readonly frees?: number;
  readonly heapAllocBytes?: number;
  readonly heapSysBytes?: number;
  readonly heapIdleBytes?: number;
  readonly heapInuseBytes?: number;
  readonly heapReleasedBytes?: number;
  readonly heapObjects?: number;
  /** Goroutine stacks. They are not part of the heap, so goroutine growth can be told from heap growth. */
  readonly stack?: InuseOfSys;
  readonly mspan?: InuseOfSys;
  readonly mcache?: InuseOfSys;
  /** The profiler's own hash tables. */
  readonly buckHashSysBytes?: number;
  readonly gcSysBytes?: number;
  readonly otherSysBytes?: number;
  /** The heap size that starts the next collection; 2^64 - 1 when collection is off. */
  readonly nextGcBytes?: bigint;
  /** When the last collection ended, in nanoseconds since 1970; 0 when there was none. */
  readonly lastGcNanos?: bigint;
  /** The last 256 pauses, a ring: pause n is at (n + 255) % 256. */
  readonly pauseNanos?: readonly number[];
  readonly pauseEndNanos?: readonly bigint[];
  readonly numGc?: number;
  readonly numForcedGc?: number;
  readonly gcCpuFraction?: number;
  readonly debugGc?: boolean;
  readonly maxRssBytes?: number;
}
