/** How old a process was when a profile of it was taken, and what tells so. */
import type { MemStats } from '../../profile/formats/mem-stats.ts';
import type { HeapTableAt } from './heap-tables.ts';
import type { ProcessEvidence } from './process-evidence.ts';

/** The source of the process's age. */
export type AgeSource =
  | 'metrics' // process_start_time_seconds
  | 'manifest' // the same, as recorded by a capture
  | 'memstats'; // its first garbage collection: it is at least as old as that

export interface ProcessAge {
  readonly seconds: number;
  readonly from: AgeSource;
}

export function ageAt(
  { process, series }: ProcessEvidence,
  { atSeconds, memStats }: HeapTableAt,
): ProcessAge | undefined {
  if (atSeconds === undefined) return undefined;
  const isMeasured = series?.has('process_start_time_seconds') === true;
  const { startTimeSeconds } = process;
  if (startTimeSeconds !== undefined) return age(atSeconds - startTimeSeconds, isMeasured ? 'metrics' : 'manifest');
  const first = firstCollectionSeconds(memStats);
  return first === undefined ? undefined : age(atSeconds - first, 'memstats');
}

function age(seconds: number, from: ProcessAge['from']): ProcessAge | undefined {
  return seconds > 0 ? { seconds, from } : undefined;
}

/** MemStats keeps the ends of the last 256 collections; a Go program has its first one soon after its start. */
export function firstCollectionSeconds(memStats: MemStats | undefined): number | undefined {
  const { numGc = 0, pauseEndNanos = [] } = memStats ?? {};
  if (numGc === 0 || numGc > pauseEndNanos.length) return undefined;
  const [first = 0n] = pauseEndNanos;
  return first > 0n ? Number(first / 1_000_000n) / 1000 : undefined;
}
