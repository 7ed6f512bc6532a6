/** A leak: how fast it is, how it arrives, when it began, and by when it must be proved. */
import type { Dice } from '../../simulate/dice.ts';
import { medianOf, type Column } from './columns.ts';
import { MINUTES_PER_DAY, type Course } from './course.ts';
import { LEVELS, type ProcessTraits } from './process-traits.ts';
import type { Leaked, Levels } from './settle.ts';

const MB = 1e6;

export interface Speed {
  readonly name: string;
  readonly resource: 'live heap' | 'goroutines';
  /** Bytes, or goroutines. */
  readonly unitsPerHour: number;
}

export const SPEEDS: readonly Speed[] = [
  ...[5, 10, 20, 50, 100, 300].map(size => heapSpeed(`${size} MB/h`, size * MB)),
  heapSpeed('1 GB/h', 1000 * MB),
  heapSpeed('4 GB/h', 4000 * MB),
  ...[100, 300, 1000, 3000, 8000, 20_000].map(goroutineSpeed),
];

function heapSpeed(name: string, unitsPerHour: number): Speed {
  return { name, resource: 'live heap', unitsPerHour };
}

function goroutineSpeed(unitsPerHour: number): Speed {
  return { name: `${unitsPerHour.toLocaleString('en-US')} goroutines/h`, resource: 'goroutines', unitsPerHour };
}

export type Arrival =
  | 'steady'
  | 'with the load' // by day 30 % more than on average, by night 30 % less
  | 'batches' // a job, a reconnect
  | 'per pod start';

export interface Leak {
  readonly speed: Speed;
  readonly arrival: Arrival;
  /** Minutes between batches, on average. */
  readonly batchMinutes: number;
  /** Minutes of the process's record. */
  readonly onset: number;
  readonly sinceStart: boolean;
  /** The level of the resource when the leak began; for a leak since the start, the level it would settle at. */
  readonly level: number;
  /** From the onset. */
  readonly deadlineMinutes: number;
  readonly heapBytesPerGoroutine: number;
  readonly descriptorsPerGoroutine: number;
}

/** The slowest leak for its level takes two days to double it. */
const MAX_DOUBLING_HOURS = 48;
export const GRACE_MINUTES = 30;
/** Before the deadline: fewer batches are steps, not a leak. */
const MIN_BATCHES = 20;
const MAX_STARTS_PER_HOUR = 60;

export function doublingMinutes({ unitsPerHour }: Speed, level: number): number {
  return (level / unitsPerHour) * 60;
}

/** Minutes from the onset within which the verdict must be `leak`; half of them for `watch`. */
export function deadlineMinutes(speed: Speed, level: number): number {
  return GRACE_MINUTES + 2 * doublingMinutes(speed, level);
}

/** The levels of this kind of process that this leak doubles within two days. */
export function fittingLevels(
  { resource, unitsPerHour }: Speed,
  kind: ProcessTraits['kind'],
): readonly [number, number] {
  const { least, most } = LEVELS[kind][resource === 'goroutines' ? 'goroutines' : 'heapBytes'];
  return [least, Math.min(most, MAX_DOUBLING_HOURS * unitsPerHour)];
}

/** Not for a leak since the start: a process that has just started has no level of its own yet. */
export function levelAtOnset(speed: Speed, levels: Levels, onset: number): number {
  const column = speed.resource === 'goroutines' ? levels.goroutines : levels.heapBytes;
  const minute = Math.ceil(onset);
  return medianOf(column, minute - 30, minute);
}

export function drawArrival(
  { kind }: ProcessTraits,
  deadline: number,
  dice: Dice,
): Pick<Leak, 'arrival' | 'batchMinutes'> {
  const last = kind === 'kubelet' ? 'per pod start' : 'steady';
  const arrival = dice.pick<Arrival>(['steady', 'with the load', 'batches', last]);
  return { arrival, batchMinutes: Math.min(dice.logUniform(0.5, 20), deadline / MIN_BATCHES) };
}

/** A node with enough pod starts that a leak per start adds up within the deadline. */
export function startsPerHourFor(deadline: number, dice: Dice): number {
  const least = (MIN_BATCHES * 60) / deadline;
  return dice.logUniform(least, Math.max(2 * least, MAX_STARTS_PER_HOUR));
}

/** What it has leaked by each minute of the record. */
export function leakedBy(leak: Leak, course: Course, traits: ProcessTraits, dice: Dice): Leaked {
  const { speed, heapBytesPerGoroutine, descriptorsPerGoroutine } = leak;
  const units = leakedUnits(leak, course, traits, dice);
  const nothing = new Float64Array(course.minutes);
  if (speed.resource === 'live heap') {
    return { goroutines: nothing, heapBytes: units, descriptors: nothing, bytesPerSecond: speed.unitsPerHour / 3600 };
  }
  const goroutines = units.map(Math.floor);
  return {
    goroutines,
    heapBytes: goroutines.map(count => count * heapBytesPerGoroutine),
    descriptors: goroutines.map(count => count * descriptorsPerGoroutine),
    bytesPerSecond: (speed.unitsPerHour * heapBytesPerGoroutine) / 3600,
  };
}

function leakedUnits(leak: Leak, course: Course, traits: ProcessTraits, dice: Dice): Column {
  const units = new Float64Array(course.minutes);
  const perMinute = leak.speed.unitsPerHour / 60;
  let sum = perMinute * Math.max(0, -leak.onset);
  for (let minute = Math.max(0, Math.ceil(leak.onset)); minute < units.length; minute++) {
    // The first minute is only partly over.
    const share = Math.min(1, minute - leak.onset);
    sum += perMinute * share * arrivedInMinute(leak, course, minute, traits, dice);
    units[minute] = sum;
  }
  return units;
}

/** As a share of what arrives in a minute on average. */
function arrivedInMinute(leak: Leak, course: Course, minute: number, traits: ProcessTraits, dice: Dice): number {
  const { arrival, batchMinutes, speed } = leak;
  switch (arrival) {
    case 'batches':
      return dice.poisson(1 / batchMinutes) * batchMinutes;
    case 'per pod start':
      return (course.starts[minute] / traits.startsPerHour) * 60;
    case 'with the load': {
      const day = (course.fleetMinute + minute) / MINUTES_PER_DAY - traits.peakHour / 24;
      return 1 + 0.3 * Math.cos(2 * Math.PI * day);
    }
    case 'steady': {
      const perMinute = speed.unitsPerHour / 60;
      return speed.resource === 'goroutines' ? dice.poisson(perMinute) / perMinute : dice.around(0.2);
    }
  }
}
