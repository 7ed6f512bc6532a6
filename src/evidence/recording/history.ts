/** One metric of a target over time, in equal parts: what a sparkline shows. */
import type { SampleTable } from './sample-table.ts';

/** The mean of each part; null where nothing was recorded. */
export function historyOf(
  tables: readonly SampleTable[],
  metric: string,
  fromSeconds: number,
  toSeconds: number,
  parts: number,
): (number | null)[] {
  const bins = Array.from({ length: parts }, () => ({ sum: 0, count: 0 }));
  const seconds = (toSeconds - fromSeconds) / parts;
  for (const { metrics, times, values } of tables) {
    const at = metrics.indexOf(metric);
    if (at < 0) continue;
    times.forEach((time, row) => {
      const value = values[row * metrics.length + at] ?? NaN;
      if (!Number.isFinite(value) || time < fromSeconds || time > toSeconds) return;
      const bin = bins[seconds > 0 ? Math.min(parts - 1, Math.floor((time - fromSeconds) / seconds)) : 0];
      if (bin === undefined) return;
      bin.sum += value;
      bin.count++;
    });
  }
  return bins.map(({ sum, count }) => (count === 0 ? null : sum / count));
}
