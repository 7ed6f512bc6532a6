/**
 * A rollout as SVG paths, in a box of WIDTH x height:
 *
 *     shares   |####____----|     targets with each value, stacked, in steps
 *     growth   |      _.-''|      what one target with each value gained; all on one scale
 */
import type { RolloutView } from '../../src/watch/watch-model.ts';

export const WIDTH = 1000;

export interface RolloutShapes {
  /** One area per value, in the order of the view; the first is at the bottom. */
  readonly areas: readonly string[];
  readonly lines: readonly string[];
  /** The scale of the lines. */
  readonly least: number;
  readonly most: number;
}

export function rolloutShapes(view: RolloutView, areaHeight: number, lineHeight: number): RolloutShapes {
  const { bins, values } = view;
  const step = WIDTH / bins.count;
  const all = values.flatMap(({ growth }) => growth.filter(value => value !== null));
  const least = Math.min(0, ...all);
  const most = Math.max(least + Number.EPSILON, ...all);
  const yOf = (value: number): number => lineHeight * (1 - (value - least) / (most - least));
  const total = Array.from({ length: bins.count }, (_, bin) =>
    values.reduce((sum, { targets }) => sum + (targets[bin] ?? 0), 0),
  );
  const floor = new Array<number>(bins.count).fill(0);
  const areas = values.map(({ targets }) => {
    const below = floor.map((count, bin) => areaHeight * (1 - share(count, total[bin])));
    targets.forEach((count, bin) => void (floor[bin] = (floor[bin] ?? 0) + count));
    const above = floor.map((count, bin) => areaHeight * (1 - share(count, total[bin])));
    return `${steps(above, step, 'M')}${steps([...below].reverse(), -step, 'L', WIDTH)}Z`;
  });
  const lines = values.map(({ growth }) => {
    let path = '';
    growth.forEach((value, bin) => {
      if (value === null) return;
      path += `${path === '' ? 'M' : 'L'}${round((bin + 0.5) * step)} ${round(yOf(value))}`;
    });
    return path;
  });
  return { areas, lines, least, most };
}

function share(count: number, total: number | undefined): number {
  return total === undefined || total === 0 ? 0 : count / total;
}

/** A staircase: each height holds for one step. */
function steps(heights: readonly number[], step: number, first: 'M' | 'L', from = 0): string {
  return heights
    .map((y, i) => {
      const x = from + i * step;
      return `${i === 0 ? first : 'L'}${round(x)} ${round(y)}L${round(x + step)} ${round(y)}`;
    })
    .join('');
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
