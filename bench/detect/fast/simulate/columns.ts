/**
 * Columns with one value per minute, and functions that add events to them. Times are minutes since the column began;
 * an event may begin before the column or end after it.
 */
import type { Dice } from '../../simulate/dice.ts';

export type Column = Float64Array;

/** 0 ____|‾‾‾‾|____ */
export function addSpan(column: Column, from: number, to: number, by: number): void {
  const end = Math.min(column.length, Math.ceil(to));
  for (let minute = Math.max(0, Math.ceil(from)); minute < end; minute++) column[minute] += by;
}

export interface Pulse {
  readonly at: number;
  readonly riseMinutes: number;
  readonly stayMinutes: number;
  readonly fallMinutes: number;
  readonly by: number;
}

/** 0 ___/‾‾‾\____: rises, stays, falls; cut off where the life of the process ends. */
export function addPulse(
  column: Column,
  { at, riseMinutes, stayMinutes, fallMinutes, by }: Pulse,
  cutAt: number,
): void {
  const length = riseMinutes + stayMinutes + fallMinutes;
  const end = Math.min(column.length, cutAt, at + length);
  for (let minute = Math.max(0, Math.ceil(at)); minute < end; minute++) {
    const age = minute - at;
    column[minute] += by * Math.min(1, age / riseMinutes, (length - age) / fallMinutes);
  }
}

/** 0 ______/‾‾‾‾‾‾ by */
export function addRamp(column: Column, at: number, riseMinutes: number, by: number): void {
  for (let minute = Math.max(0, Math.ceil(at)); minute < column.length; minute++) {
    column[minute] += by * Math.min(1, (minute - at) / riseMinutes);
  }
}

/** Once at the minute in which `at` falls. */
export function addAt(column: Column, at: number, by: number): void {
  const minute = Math.floor(at);
  if (minute >= 0 && minute < column.length) column[minute] += by;
}

/** Adds the number of random events in each minute, given their average rate. */
export function addPoisson(column: Column, perMinute: (minute: number) => number, dice: Dice): void {
  for (let minute = 0; minute < column.length; minute++) column[minute] += dice.poisson(perMinute(minute));
}

/**
 * A level that wanders around 0 and returns: mean-reverting walks with equal shares, whose time constants are a factor
 * of four apart, add up to nearly the 1/f spectrum of real processes.
 */
export function wanderingColumn(minutes: number, share: number, tausMinutes: readonly number[], dice: Dice): Column {
  const column = new Float64Array(minutes);
  const each = share / Math.sqrt(tausMinutes.length);
  for (const tau of tausMinutes) {
    const kept = Math.exp(-1 / tau);
    const kick = each * Math.sqrt(1 - kept * kept);
    let state = each * dice.normal();
    for (let minute = 0; minute < minutes; minute++) {
      column[minute] += state;
      state = state * kept + kick * dice.normal();
    }
  }
  return column;
}

/** Follows the column with a delay. */
export function followed(column: Column, tauMinutes: number): Column {
  const share = 1 - Math.exp(-1 / tauMinutes);
  const follower = new Float64Array(column.length);
  let level = column[0];
  for (let minute = 0; minute < column.length; minute++) {
    level += (column[minute] - level) * share;
    follower[minute] = level;
  }
  return follower;
}

export function medianOf(column: Column, from: number, to: number): number {
  const sorted = column.slice(Math.max(0, from), Math.max(1, to)).sort();
  return sorted[sorted.length >> 1];
}
