/**
 * The mean of each charted series in a range, and in the range of the same length right before it:
 *
 *     |---- before ----|---- range ----|
 *          24.1 MiB         28.9 MiB       +4.8 MiB
 */
import type { Panel } from '../charts/panels.ts';
import type { Unit } from '../text/amount-text.ts';

export interface RangeMeans {
  readonly label: string;
  readonly unit: Unit;
  /** Null if there is no sample. */
  readonly before: number | null;
  readonly mean: number | null;
}

export function rangeMeans(panels: readonly Panel[], [from, to]: readonly [number, number]): RangeMeans[] {
  return panels.flatMap(({ lines }) =>
    lines
      .filter(({ isBackground }) => !isBackground)
      .map(({ label, unit, series: { times, values } }) => {
        const meanIn = (start: number, end: number): number | null => {
          const inside = values.filter((value, i) => {
            const at = times[i];
            return at !== undefined && at >= start && at < end && Number.isFinite(value);
          });
          return inside.length === 0 ? null : inside.reduce((sum, value) => sum + value, 0) / inside.length;
        };
        return { label, unit, before: meanIn(from - (to - from), from), mean: meanIn(from, to) };
      }),
  );
}
