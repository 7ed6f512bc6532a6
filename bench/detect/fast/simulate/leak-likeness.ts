/**
 * How closely a healthy process resembles a leak: the longest straight rise, as a share of the time in which a leak of
 * that speed must be proved. At 1, no detector that sees only this column can be right about both.
 */
import { medianOf, type Column } from './columns.ts';
import { GRACE_MINUTES } from './leak.ts';
import type { Process } from './process.ts';

const GRID_MINUTES = 5;
const MIN_WINDOW_MINUTES = 40;
const MAX_WINDOW_MINUTES = 6000;
/** As a share of the rise: points further from the line mean that it is not straight. */
const MAX_DEVIATION = 0.15;
/** A process this young has no level of its own yet. */
const YOUNG_MINUTES = 360;

export function leakLikeness(process: Process): number {
  const { levels, traits } = process;
  return Math.max(
    likenessOf(process, levels.goroutines, traits.goroutines),
    likenessOf(process, levels.heapBytes, traits.heapBytes),
  );
}

function likenessOf({ course: { lives } }: Process, column: Column, settledLevel: number): number {
  const grid = Float64Array.from({ length: Math.floor(column.length / GRID_MINUTES) }, (_, i) =>
    medianOf(column, i * GRID_MINUTES, (i + 1) * GRID_MINUTES),
  );
  let most = 0;
  for (let steps = MIN_WINDOW_MINUTES / GRID_MINUTES; steps < grid.length; steps = Math.ceil(steps * 1.2)) {
    const minutes = steps * GRID_MINUTES;
    if (minutes > MAX_WINDOW_MINUTES) break;
    for (let from = 0; from + steps < grid.length; from++) {
      const rise = grid[from + steps] - grid[from];
      // Quick check: most windows do not even match the level they begin with.
      if (rise <= 0 || shareOf(minutes, grid[from], rise) <= most) continue;
      const begin = from * GRID_MINUTES;
      if (lives.some(life => life.begin > begin - GRID_MINUTES && life.begin <= begin + minutes)) continue;
      const age = begin - (lives.findLast(life => life.begin <= begin)?.begin ?? 0);
      const level = age < YOUNG_MINUTES ? Math.max(grid[from], settledLevel) : grid[from];
      const share = shareOf(minutes, level, rise);
      if (share > most && isStraight(grid, from, steps)) most = share;
    }
  }
  return most;
}

function shareOf(minutes: number, level: number, rise: number): number {
  return minutes / (GRACE_MINUTES + (2 * level * minutes) / rise);
}

function isStraight(grid: Column, from: number, steps: number): boolean {
  const rise = grid[from + steps] - grid[from];
  for (let step = 1; step < steps; step++) {
    const deviation = grid[from + step] - grid[from] - (rise * step) / steps;
    if (Math.abs(deviation) > MAX_DEVIATION * rise) return false;
  }
  return true;
}
