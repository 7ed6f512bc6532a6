/** Lasting changes of a healthy level: steps, caches that fill, strong seasons. */
import type { Dice } from '../../simulate/dice.ts';
import { addRamp, type Column } from './columns.ts';
import { endOfLife, type Course } from './course.ts';

/** A feature switched on, another configuration: up in most cases, within minutes, for good. */
export function layStep({ goroutineFactor, heapFactor }: Course, at: number, dice: Dice): void {
  const by = dice.chance(0.2) ? -dice.uniform(0.1, 0.25) : dice.logUniform(0.1, 0.6);
  const riseMinutes = dice.logUniform(1, 10);
  const inHeap = dice.chance(0.7);
  if (inHeap) addRamp(heapFactor, at, riseMinutes, by * dice.uniform(0.6, 1));
  if (!inHeap || dice.chance(0.6)) addRamp(goroutineFactor, at, riseMinutes, by);
}

export interface CacheFill {
  readonly form: 'exponential' | 'linear';
  /** Time until it is full (for an exponential, within 5 %). */
  readonly fillMinutes: number;
  /** Share of the level. */
  readonly by: number;
}

export function drawCacheFill(dice: Dice): CacheFill {
  return {
    form: dice.pick(['exponential', 'linear']),
    fillMinutes: dice.logUniform(180, 1440),
    by: dice.uniform(0.3, 1.5),
  };
}

/** From `at` on, until it is dropped at `to` or the process ends. */
export function layCacheFill(course: Course, factor: Column, at: number, to: number, fill: CacheFill): void {
  const { form, fillMinutes, by } = fill;
  const end = Math.min(endOfLife(course, at), to);
  for (let minute = Math.max(0, Math.ceil(at)); minute < end; minute++) {
    const age = (minute - at) / fillMinutes;
    factor[minute] += by * (form === 'linear' ? Math.min(1, age) : 1 - Math.exp(-3 * age));
  }
}

export interface Season {
  /** The day's highest level over the night's lowest. */
  readonly dayOverNight: number;
  readonly form: 'sine' | 'office hours';
  readonly peakHour: number;
  /** Of office hours. */
  readonly riseHours: number;
  readonly stayHours: number;
  readonly fallHours: number;
}

export function drawSeason(dice: Dice): Season {
  return {
    dayOverNight: dice.uniform(1.4, 2.8),
    form: dice.chance(0.6) ? 'sine' : 'office hours',
    peakHour: dice.uniform(0, 24),
    riseHours: dice.uniform(1, 4),
    stayHours: dice.uniform(5, 10),
    fallHours: dice.uniform(1, 4),
  };
}

/** Every day is a little different from the last. */
export function laySeason({ goroutineFactor, heapFactor, fleetMinute }: Course, season: Season, dice: Dice): void {
  const inHeap = dice.uniform(0.3, 1);
  let day = NaN;
  let height = 1;
  for (let minute = 0; minute < goroutineFactor.length; minute++) {
    const hour = (fleetMinute + minute) / 60;
    const thisDay = Math.floor((hour - season.peakHour - HOURS_TO_NIGHT[season.form]) / 24);
    if (thisDay !== day) height = dice.around(0.05);
    day = thisDay;
    const up = (season.dayOverNight - 1) * dayShare(season, hour) * height;
    goroutineFactor[minute] *= 1 + up;
    heapFactor[minute] *= 1 + inHeap * up;
  }
}

/** From the peak to the lowest level. */
const HOURS_TO_NIGHT = { sine: 12, 'office hours': 17 } as const;

/** From 0 at night to 1 at the day's peak; for office hours, when everybody has arrived. */
function dayShare({ form, peakHour, riseHours, stayHours, fallHours }: Season, hour: number): number {
  const sincePeak = (((hour - peakHour) % 24) + 24) % 24;
  if (form === 'sine') return (1 + Math.cos((sincePeak / 24) * 2 * Math.PI)) / 2;
  if (sincePeak <= stayHours) return 1;
  return Math.max(0, 1 - (sincePeak - stayHours) / fallHours, 1 - (24 - sincePeak) / riseHours);
}
