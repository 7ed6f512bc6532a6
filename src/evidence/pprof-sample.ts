/**
 * A sample of a process without metrics, from the text forms of its profiles:
 *
 *     /debug/pprof/goroutine?debug=1     goroutine profile: total 5529              the first line
 *     /debug/pprof/heap?gc=1&debug=1     # HeapAlloc = 52428800  # NumGC = 118      the last lines
 *
 * Values have the names under which Go programs expose them, so that everything behind reads one language.
 */
import { decodeText } from '../base/text.ts';
import { goroutineTotal } from '../profile/formats/goroutine-text/debug1.ts';
import { MEM_STATS_TITLE, MemStatsReader, type MemStats } from '../profile/formats/mem-stats.ts';
import { firstCollectionSeconds } from './snapshots/process-evidence.ts';

export interface PprofTexts {
  readonly goroutines: Uint8Array | undefined;
  readonly heap: Uint8Array | undefined;
  /** Whether the request for the heap collected garbage first: all that is allocated is live then. */
  readonly isCollected: boolean;
}

type Values = Readonly<Record<string, number>>;

/** Undefined when neither is what it should be. `before` is the last sample of the same target. */
export function sampleOfPprof(texts: PprofTexts, before: Values, atSeconds: number): Values | undefined {
  const goroutines = texts.goroutines === undefined ? undefined : goroutineTotal(texts.goroutines);
  const memStats = texts.heap === undefined ? undefined : memStatsIn(texts.heap);
  if (goroutines === undefined && memStats?.heapAllocBytes === undefined) return undefined;
  const values: Record<string, number> = {};
  const add = (name: string, value: number | undefined): void => {
    if (value !== undefined && Number.isFinite(value)) values[name] = value;
  };
  add('go_goroutines', goroutines);
  if (memStats === undefined) return values;
  add(START, startOf(memStats, before, atSeconds));
  if (texts.isCollected) add('go_gc_heap_live_bytes', memStats.heapAllocBytes);
  add('go_memstats_heap_alloc_bytes', memStats.heapAllocBytes);
  add('go_memstats_heap_inuse_bytes', memStats.heapInuseBytes);
  add('go_memstats_next_gc_bytes', memStats.nextGcBytes === undefined ? undefined : Number(memStats.nextGcBytes));
  add('go_memstats_stack_inuse_bytes', memStats.stack?.inuseBytes);
  add('go_memstats_buck_hash_sys_bytes', memStats.buckHashSysBytes);
  add(COLLECTIONS, memStats.numGc);
  return values;
}

const START = 'process_start_time_seconds';
const COLLECTIONS = 'go_gc_duration_seconds_count';

/**
 * The first collection, soon after the start; once it is known it stays, as long as the number of collections does not
 * fall. Unknown for a process that is first seen after more than 256 collections.
 */
function startOf(memStats: MemStats, before: Values, atSeconds: number): number | undefined {
  const { numGc = 0 } = memStats;
  const { [START]: known, [COLLECTIONS]: countedBefore } = before;
  const isRestarted = countedBefore !== undefined && numGc < countedBefore;
  if (known !== undefined && !isRestarted) return known;
  return firstCollectionSeconds(memStats) ?? (isRestarted ? atSeconds : undefined);
}

/** Only the lines after its title; a list of stacks may be large. */
function memStatsIn(text: Uint8Array): MemStats | undefined {
  const shown = decodeText(text.subarray(Math.max(0, text.length - MAX_TAIL_BYTES)));
  const from = shown.lastIndexOf(`\n${MEM_STATS_TITLE}`);
  if (from < 0) return undefined;
  const reader = new MemStatsReader();
  for (const line of shown.slice(from).split('\n')) reader.add(line);
  return reader.stats;
}

/** Two rings of 256 numbers of up to 20 digits, and some thirty short lines. */
const MAX_TAIL_BYTES = 64 * 1024;
