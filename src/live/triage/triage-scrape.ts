/** What one scrape of a target shows, before it is compared with anything. */
import { readExposition } from '../../evidence/formats/read-exposition.ts';
import { canonicalName, isUsedFor } from '../../evidence/metric-names.ts';
import { factsOf, isLimit } from '../../evidence/resource.ts';
import type { OomCycle } from '../../evidence/cycle/cycle.ts';
import type { TriageScrape, MemorySplit } from './triage.ts';
import type { Answer } from '../reply.ts';
import { factsOfMetrics } from '../../evidence/scrape-facts.ts';
import { forEachSample } from '../../evidence/formats/exposition.ts';

export function readScrape(answer: Answer, cycle: OomCycle | undefined): TriageScrape {
  const facts = factsOfMetrics(answer.body);
  const values = valuesOf(answer.body);
  const value = (...names: readonly string[]): number | null =>
    names.map(name => values.get(name)).find(found => found !== undefined) ?? null;
  // The process's start time is by the same clock.
  const now = answer.dateSeconds ?? answer.headAtSeconds;
  const start = facts.startTimeSeconds;
  const goLimit = value('go_gc_gomemlimit_bytes');
  return {
    tookSeconds: answer.tookSeconds,
    component: values.has('kubelet_running_pods') ? 'kubelet' : null,
    version: facts.version || null,
    goVersion: facts.goVersion || null,
    upSeconds: start === undefined ? null : Math.max(0, now - start),
    pods: value('kubelet_running_pods'),
    goroutines: value(...factsOf('goroutines').metrics),
    threads: value(...factsOf('threads').metrics),
    openFiles: value(...factsOf('file descriptors').metrics),
    maxFiles: value('process_max_fds'),
    residentBytes: value('process_resident_memory_bytes'),
    goLimitBytes: goLimit !== null && isLimit(goLimit) ? goLimit : null,
    memoryLimit: goLimit !== null && isLimit(goLimit) ? { bytes: goLimit, from: 'GOMEMLIMIT' } : null,
    memory: memorySplit(values) ?? null,
    cycle: cycleOf(cycle),
    // Other exporters serve metrics as well.
    problem: values.size === 0 ? 'the metrics have nothing about a Go process; check the address' : null,
  };
}

/** When the metrics could not be read. What the API server says about the node may still be known. */
export function noScrape(problem: string, tookSeconds: number, cycle: OomCycle | undefined): TriageScrape {
  return {
    tookSeconds,
    component: null,
    version: null,
    goVersion: null,
    upSeconds: null,
    pods: null,
    goroutines: null,
    threads: null,
    openFiles: null,
    maxFiles: null,
    residentBytes: null,
    goLimitBytes: null,
    memoryLimit: null,
    memory: null,
    cycle: cycleOf(cycle),
    problem,
  };
}

function cycleOf(cycle: OomCycle | undefined): TriageScrape['cycle'] {
  if (cycle === undefined) return { stage: 'unknown', sentence: 'nothing is known', advice: [] };
  return { stage: cycle.stage, sentence: cycle.sentence, advice: cycle.advice };
}

/** The series of one name are added up; metrics of the process have one each. */
function valuesOf(bytes: Uint8Array): Map<string, number> {
  const values = new Map<string, number>();
  forEachSample(readExposition(bytes, { select: name => isUsedFor(name, 'triage') }), (series, value) => {
    const name = canonicalName(series.name);
    values.set(name, (values.get(name) ?? 0) + value);
  });
  return values;
}

/**
 * Where the memory of a Go process is, from one scrape.
 *
 *     go_memory_classes_heap_objects    live | new or garbage      cut at go_gc_heap_live_bytes
 *     ..._heap_unused                   inside spans that hold objects
 *     ..._heap_stacks, os_stacks        stacks
 *     ..._profiling_buckets             the runtime's own records; never shrink
 *     ..._heap_free                     free and not returned
 *     ..._total - ..._heap_released     all of it
 *
 * Undefined when the process exports neither the runtime's memory classes nor the older figures.
 */
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
