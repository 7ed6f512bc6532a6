/** The lives of a target, from its series: one sample per start time that was read. */
import type { LifeSigns } from './process-life.ts';
import type { MetricSeries } from './snapshots/snapshot.ts';

export function lifeSigns(series: ReadonlyMap<string, MetricSeries>): LifeSigns[] {
  const starts = series.get('process_start_time_seconds');
  const cpu = series.get('process_cpu_seconds_total');
  const cpuAt = new Map<number, number>();
  cpu?.times.forEach((time, i) => cpuAt.set(time, cpu.values[i] ?? NaN));
  return Array.from(starts?.values ?? [], (startSeconds, i) => {
    const atSeconds = starts?.times[i] ?? NaN;
    return { atSeconds, startSeconds, cpuSeconds: cpuAt.get(atSeconds) };
  });
}
