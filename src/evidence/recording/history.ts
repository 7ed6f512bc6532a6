/** One metric of a target over time, in equal parts: what a sparkline shows. */
import type { SampleTable } from './sample-table.ts';

/** The mean of each part; NaN where nothing was recorded. */
export function historyOf(
  tables: readonly SampleTable[],
  metric: string,
  fromSeconds: number,
  toSeconds: number,
  parts: number,
): Float64Array {
  const [sums, counts] = [new Float64Array(parts), new Float64Array(parts)];
  const seconds = (toSeconds - fromSeconds) / parts;
  for (const { metrics, times, values } of tables) {
    const at = metrics.indexOf(metric);
    if (at < 0) continue;
    times.forEach((time, row) => {
      const value = values[row * metrics.length + at] ?? NaN;
      if (!Number.isFinite(value) || time < fromSeconds || time > toSeconds) return;
      const bin = seconds > 0 ? Math.min(parts - 1, Math.floor((time - fromSeconds) / seconds)) : 0;
      sums[bin] = (sums[bin] ?? 0) + value;
      counts[bin] = (counts[bin] ?? 0) + 1;
    });
  }
  return sums.map((sum, bin) => sum / (counts[bin] ?? 0));
}
