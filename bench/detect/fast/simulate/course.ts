/**
 * What happens to one process over the minutes of its record. Scenarios add their events to these columns; settle.ts
 * turns them into what a scrape sees.
 */
import type { Dice } from '../../simulate/dice.ts';
import { addAt, addPoisson, addSpan, wanderingColumn, type Column } from './columns.ts';
import type { ProcessTraits } from './process-traits.ts';

export const MINUTES_PER_DAY = 1440;

export interface Life {
  /** Negative if it ran before the record began. */
  readonly begin: number;
  /** No two lives settle at quite the same level. */
  readonly levelFactor: number;
}

export interface Course {
  /** Minutes of the fleet's record at which this one begins. */
  readonly fleetMinute: number;
  readonly minutes: number;
  readonly lives: readonly Life[];
  /** Running pods. */
  readonly pods: Column;
  /** Pod starts in each minute. */
  readonly starts: Column;
  /** Factors for everything except the pods' own share. */
  readonly goroutineFactor: Column;
  readonly heapFactor: Column;
  /** What comes on top. */
  readonly goroutines: Column;
  readonly heapBytes: Column;
  readonly descriptors: Column;
  /** Events per minute: failed calls to the container runtime, connections made again. */
  readonly failedCalls: Column;
  readonly reconnects: Column;
  /** Scrapes that fail. */
  readonly gaps: (readonly [from: number, to: number])[];
}

export interface CourseOptions {
  readonly fleetMinute: number;
  readonly minutes: number;
  /** Age of the process when the record begins. */
  readonly ageMinutes: number;
  readonly restarts: readonly number[];
}

export function beginCourse(traits: ProcessTraits, options: CourseOptions, dice: Dice): Course {
  const { fleetMinute, minutes, ageMinutes, restarts } = options;
  const column = (level: number): Column => new Float64Array(minutes).fill(level);
  const course: Course = {
    fleetMinute,
    minutes,
    lives: [-ageMinutes, ...restarts].map(begin => ({ begin, levelFactor: dice.around(0.06) })),
    pods: column(0),
    starts: column(0),
    goroutineFactor: column(1),
    heapFactor: column(1),
    goroutines: column(0),
    heapBytes: column(0),
    descriptors: column(0),
    failedCalls: column(0),
    reconnects: column(0),
    gaps: [],
  };
  if (traits.kind === 'kubelet') layPods(course, traits, dice);
  layDaily(course, traits.seasonShare, traits.peakHour);
  return course;
}

/** Most pods stay for days; jobs run for minutes. */
function layPods(
  { pods, starts, minutes }: Course,
  { pods: usual, startsPerHour, jobMinutes }: ProcessTraits,
  dice: Dice,
) {
  const wander = wanderingColumn(minutes, 0.03, [480, 2000], dice);
  for (let minute = 0; minute < minutes; minute++) {
    pods[minute] = Math.max(1, Math.round(usual * (1 + wander[minute])));
    if (minute > 0) starts[minute] = Math.max(0, pods[minute] - pods[minute - 1]);
  }
  const jobs = new Float64Array(minutes);
  addPoisson(jobs, () => startsPerHour / 60, dice);
  jobs.forEach((count, minute) => {
    for (let i = 0; i < count; i++) addSpan(pods, minute, minute + dice.exponential(jobMinutes), 1);
    starts[minute] += count;
  });
}

function layDaily({ goroutineFactor, heapFactor, fleetMinute }: Course, share: number, peakHour: number): void {
  if (share === 0) return;
  for (let minute = 0; minute < goroutineFactor.length; minute++) {
    const by = share * Math.cos(2 * Math.PI * ((fleetMinute + minute) / MINUTES_PER_DAY - peakHour / 24));
    goroutineFactor[minute] += by;
    heapFactor[minute] += 0.6 * by;
  }
}

/** Its first minutes. */
export function cutCourse(course: Course, minutes: number): Course {
  const cut = (column: Column): Column => column.subarray(0, minutes);
  return {
    ...course,
    minutes,
    pods: cut(course.pods),
    starts: cut(course.starts),
    goroutineFactor: cut(course.goroutineFactor),
    heapFactor: cut(course.heapFactor),
    goroutines: cut(course.goroutines),
    heapBytes: cut(course.heapBytes),
    descriptors: cut(course.descriptors),
    failedCalls: cut(course.failedCalls),
    reconnects: cut(course.reconnects),
  };
}

/** A pod that starts at `from` and is gone at `to`. */
export function addPod({ pods, starts }: Course, from: number, to: number): void {
  addSpan(pods, from, to, 1);
  addAt(starts, from, 1);
}

/** When the process alive at this minute ends, with everything it holds. */
export function endOfLife({ lives, minutes }: Course, minute: number): number {
  return lives.find(({ begin }) => begin > minute)?.begin ?? minutes;
}
