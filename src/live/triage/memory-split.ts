/**
 * Where the memory of a Go process is, from one scrape.
 *
 *     go_memory_classes_heap_objects    live | new or garbage      cut at go_gc_heap_live_bytes
 *     ..._heap_unused                   inside spans that hold objects
 *     ..._heap_stacks, os_stacks        stacks
 *     ..._profiling_buckets             the runtime's own records; never shrink
 *     ..._heap_free                     free and not returned
 *     ..._total - ..._heap_released     all of it
 */
import type { MemorySplit } from './triage.ts';

/** Undefined when the process exports neither the runtime's memory classes nor the older figures. */
export function memorySplit(values: ReadonlyMap<string, number>): MemorySplit | undefined {
  return splitOfClasses(values) ?? splitOfMemStats(values);
}

function splitOfClasses(values: ReadonlyMap<string, number>): MemorySplit | undefined {
  const of = (name: string): number => values.get(`go_memory_classes_${name}_bytes`) ?? 0;
  if (!values.has('go_memory_classes_heap_objects_bytes')) return undefined;
  return split({
    objects: of('heap_objects'),
    live: values.get('go_gc_heap_live_bytes'),
    unused: of('heap_unused'),
    stacks: of('heap_stacks') + of('os_stacks'),
    profilerBuckets: of('profiling_buckets'),
    unreturned: of('heap_free'),
    all: of('total') - of('heap_released'),
  });
}

function splitOfMemStats(values: ReadonlyMap<string, number>): MemorySplit | undefined {
  const of = (name: string): number => values.get(`go_memstats_${name}_bytes`) ?? 0;
  if (!values.has('go_memstats_heap_inuse_bytes')) return undefined;
  return split({
    objects: of('heap_alloc'),
    live: values.get('go_gc_heap_live_bytes'),
    unused: of('heap_inuse') - of('heap_alloc'),
    stacks: of('stack_sys'),
    profilerBuckets: of('buck_hash_sys'),
    unreturned: of('heap_idle') - of('heap_released'),
    all: of('sys') - of('heap_released'),
  });
}

interface Parts {
  readonly objects: number;
  readonly live: number | undefined;
  readonly unused: number;
  readonly stacks: number;
  readonly profilerBuckets: number;
  readonly unreturned: number;
  readonly all: number;
}

function split({ objects, live, unused, stacks, profilerBuckets, unreturned, all }: Parts): MemorySplit {
  const known = objects + unused + stacks + profilerBuckets + unreturned;
  // Objects that were live at the last collection may have been freed since.
  const liveBytes = live === undefined || live <= 0 ? null : Math.min(live, objects);
  return {
    liveBytes,
    newBytes: objects - (liveBytes ?? 0),
    unusedBytes: Math.max(0, unused),
    stackBytes: stacks,
    profilerBucketBytes: profilerBuckets,
    unreturnedBytes: Math.max(0, unreturned),
    otherBytes: Math.max(0, all - known),
  };
}
