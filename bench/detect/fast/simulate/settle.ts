/**
 * Turns what happens to a process into what its scrapes show.
 *
 *     course (+ leak) -> goroutines, reachable heap, descriptors, threads -> Go's memory -> metrics
 */
import type { Dice } from '../../simulate/dice.ts';
import { followed, wanderingColumn, type Column } from './columns.ts';
import { countersOf } from './counters.ts';
import type { Course, Life } from './course.ts';
import { runGoMemory, type GoMemory } from './go-memory.ts';
import type { ProcessTraits } from './process-traits.ts';
import { secondsOf, type Recording } from './recording.ts';
import { warmth } from './warm-up.ts';

const WANDER_TAUS_MINUTES = [5, 20, 80, 320, 1280];
/** A kubelet takes up the pods of its node within minutes of its start. */
const PODS_TAKEN_UP_MINUTES = 4;
const PODS_FELT_MINUTES = 1.5;
const GOROUTINES_PER_START = 8;
const STARTING_MINUTES = 2;

/** What a process needs of each resource, without a leak. */
export interface Levels {
  readonly goroutines: Column;
  readonly heapBytes: Column;
  readonly descriptors: Column;
  readonly threads: Column;
}

/** What a leak has added to each, minute by minute. */
export interface Leaked {
  readonly goroutines: Column;
  readonly heapBytes: Column;
  readonly descriptors: Column;
  readonly bytesPerSecond: number;
}

export function levelsOf(course: Course, traits: ProcessTraits, dice: Dice): Levels {
  const { minutes, lives, pods, starts, goroutineFactor, heapFactor } = course;
  const goroutines = new Float64Array(minutes);
  const heapBytes = new Float64Array(minutes);
  const descriptors = new Float64Array(minutes);
  const threads = new Float64Array(minutes);
  const podsFelt = followed(pods, PODS_FELT_MINUTES);
  const starting = followed(starts, STARTING_MINUTES);
  const goroutineWander = wanderingColumn(minutes, traits.wanderShare, WANDER_TAUS_MINUTES, dice);
  const heapWander = wanderingColumn(minutes, traits.wanderShare, WANDER_TAUS_MINUTES, dice);
  const ownGoroutines = traits.goroutines - traits.goroutinesPerPod * traits.pods;
  const ownHeapBytes = traits.heapBytes - traits.heapBytesPerPod * traits.pods;
  let next = 0;
  let life: Life = lives[0];
  let mostThreads = traits.threads;
  for (let minute = 0; minute < minutes; minute++) {
    while (next < lives.length && lives[next].begin <= minute) {
      life = lives[next++];
      mostThreads = traits.threads * 0.7;
    }
    const age = minute - life.begin;
    const takenUp = 1 - Math.exp(-age / PODS_TAKEN_UP_MINUTES);
    const ofPods = podsFelt[minute] * takenUp;
    const steadyGoroutines =
      (ownGoroutines * goroutineFactor[minute] * life.levelFactor + traits.goroutinesPerPod * ofPods) *
      warmth(traits.goroutineWarmUp, age) *
      (1 + goroutineWander[minute]);
    goroutines[minute] =
      steadyGoroutines * (1 + traits.noiseShare * (0.5 * dice.normal() + dice.exponential(0.7))) +
      GOROUTINES_PER_START * STARTING_MINUTES * starting[minute] +
      course.goroutines[minute];
    heapBytes[minute] =
      (ownHeapBytes * heapFactor[minute] * life.levelFactor + traits.heapBytesPerPod * ofPods) *
        warmth(traits.heapWarmUp, age) *
        (1 + heapWander[minute]) +
      course.heapBytes[minute];
    descriptors[minute] =
      traits.descriptors * (1 + 0.5 * (goroutineFactor[minute] - 1 + goroutineWander[minute])) +
      traits.descriptorsPerPod * ofPods +
      course.descriptors[minute] +
      dice.normal();
    // A thread is created when more calls block at once than ever before, and is kept.
    mostThreads = Math.max(mostThreads, traits.threads + 0.02 * course.goroutines[minute]);
    if (dice.chance(1 / (60 + age))) mostThreads++;
    threads[minute] = Math.round(mostThreads);
  }
  return { goroutines, heapBytes, descriptors, threads };
}

/** In the first minutes. */
export function cutLevels({ goroutines, heapBytes, descriptors, threads }: Levels, minutes: number): Levels {
  return {
    goroutines: goroutines.subarray(0, minutes),
    heapBytes: heapBytes.subarray(0, minutes),
    descriptors: descriptors.subarray(0, minutes),
    threads: threads.subarray(0, minutes),
  };
}

export interface Exposure {
  readonly target: string;
  readonly traits: ProcessTraits;
  readonly course: Course;
  readonly levels: Levels;
  readonly leaked: Leaked | undefined;
  readonly lostShare: number;
  readonly exposesLimit: boolean;
}

export function record(exposure: Exposure, dice: Dice): Recording {
  const { target, traits, course, levels, leaked } = exposure;
  const goroutines = sum(levels.goroutines, leaked?.goroutines);
  const load = {
    reachableBytes: sum(levels.heapBytes, leaked?.heapBytes),
    goroutines,
    threads: levels.threads,
    begins: new Set(course.lives.map(({ begin }) => Math.ceil(begin))),
    // Leaked memory must be allocated, along with some garbage.
    allocationBytesPerSecond: Math.max(traits.allocationBytesPerSecond, 1.5 * (leaked?.bytesPerSecond ?? 0)),
  };
  const memory = runGoMemory(load, traits, dice);
  const metrics = new Map<string, Column>([
    ['go_goroutines', goroutines.map(count => Math.max(4, Math.round(count)))],
    ['go_threads', levels.threads],
    ...memoryMetrics(memory, traits),
    ['process_open_fds', sum(levels.descriptors, leaked?.descriptors).map(count => Math.max(6, Math.round(count)))],
    ['process_max_fds', constant(course.minutes, 1_048_576)],
    ['process_start_time_seconds', startTimes(course)],
    ...countersOf(course, traits, dice),
  ]);
  if (traits.showsPods) metrics.set('kubelet_running_pods', course.pods);
  if (exposure.exposesLimit) {
    const most = memory.residentBytes.reduce((a, b) => Math.max(a, b));
    const limit = Math.round((most * dice.logUniform(1.4, 5)) / 1e6) * 1e6;
    metrics.set('container_spec_memory_limit_bytes', constant(course.minutes, limit));
  }
  const { fleetMinute, minutes } = course;
  return { target, fleetMinute, minutes, metrics, delaySeconds: scrapeDelays(exposure, dice) };
}

function memoryMetrics(memory: GoMemory, { showsLiveHeap }: ProcessTraits): (readonly [string, Column])[] {
  return [
    ...(showsLiveHeap ? ([['go_gc_heap_live_bytes', memory.liveBytes]] as const) : []),
    ['go_memstats_next_gc_bytes', memory.nextGcBytes],
    ['go_memstats_heap_alloc_bytes', memory.heapAllocBytes],
    ['go_memstats_heap_inuse_bytes', memory.heapInUseBytes],
    ['go_memstats_heap_idle_bytes', memory.heapIdleBytes],
    ['go_memstats_heap_released_bytes', memory.heapReleasedBytes],
    ['go_memstats_stack_inuse_bytes', memory.stackBytes],
    ['process_resident_memory_bytes', memory.residentBytes],
  ];
}

function startTimes({ lives, fleetMinute, minutes }: Course): Column {
  const column = new Float64Array(minutes);
  let next = 0;
  let seconds = 0;
  for (let minute = 0; minute < minutes; minute++) {
    while (next < lives.length && lives[next].begin <= minute) {
      seconds = Math.round(secondsOf(fleetMinute + lives[next++].begin) * 100) / 100;
    }
    column[minute] = seconds;
  }
  return column;
}

function scrapeDelays({ course: { minutes, gaps }, lostShare }: Exposure, dice: Dice): Column {
  const phase = dice.uniform(0, 55);
  const delays = new Float64Array(minutes).map(() => (dice.chance(lostShare) ? NaN : phase + dice.uniform(0, 2)));
  for (const [from, to] of gaps) delays.fill(NaN, Math.max(0, Math.floor(from)), Math.max(0, Math.floor(to)));
  return delays;
}

function sum(column: Column, other: Column | undefined): Column {
  return other === undefined ? column : column.map((value, minute) => value + other[minute]);
}

function constant(minutes: number, value: number): Column {
  return new Float64Array(minutes).fill(value);
}
