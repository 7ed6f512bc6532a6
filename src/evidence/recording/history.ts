/** How one metric of a target went, in so many equal parts of its time: what a sparkline is drawn from. */
import type { SampleTable } from './sample-table.ts';

/** The mean of each part; null where nothing was recorded. */
export function historyOf(
  tables: readonly SampleTable[],
  metric: string,
  fromSeconds: number,
  toSeconds: number,
  parts: number,
): (number | null)[] {
  const sums = new Float64Array(parts);
  const counts = new Uint32Array(parts);
  const seconds = (toSeconds - fromSeconds) / parts;
  for (const { metrics, times, values } of tables) {
    const at = metrics.indexOf(metric);
    if (at < 0) continue;
    times.forEach((time, row) => {
      const value = values[row * metrics.length + at];
      if (!Number.isFinite(value) || time < fromSeconds || time > toSeconds) return;
      const part = seconds > 0 ? Math.min(parts - 1, Math.floor((time - fromSeconds) / seconds)) : 0;
      sums[part] += value;
      counts[part]++;
    });
  }
  return Array.from(sums, (sum, part) => (counts[part] === 0 ? null : sum / counts[part]));
}
