/** Where the slopes of a whole fleet lie, per window: tells in one pass over its members if a cohort is worth a look. */
import { median } from './contrast.ts';
import type { GrowthBoard } from './growth-board.ts';

interface WindowGrowth {
  readonly slopes: Float64Array;
  readonly middle: number;
  readonly deviation: number;
}

export type FleetGrowth = readonly WindowGrowth[];

export function fleetGrowth({ slope }: GrowthBoard): FleetGrowth {
  return slope.map(slopes => {
    const known = Array.from(slopes.filter(value => !Number.isNaN(value)));
    if (known.length === 0) return { slopes, middle: NaN, deviation: NaN };
    const middle = median(known);
    const deviation = 1.4826 * median(known.map(value => Math.abs(value - middle)));
    return { slopes, middle, deviation: Math.max(deviation, 1e-9 * Math.abs(middle), Number.MIN_VALUE) };
  });
}

/** Standard errors between the median of the rows and that of the fleet. */
export function deviateOf({ slopes, middle, deviation }: WindowGrowth, rows: readonly number[]): number {
  if (rows.length === 0) return -Infinity;
  return ((median(rows.map(row => slopes[row])) - middle) / deviation) * Math.sqrt(rows.length);
}
