/** The metrics of one process over all its snapshots: a folder of single scrapes is read like one file of many. */
import type { MetricSeries, Snapshot } from './snapshot.ts';
import { elementAt } from '../../base/errors.ts';
import type { LifeSigns } from '../process-life.ts';

/** Name with labels -> samples in time order. A scrape without a time gets that of its snapshot. */
export function seriesOfProcess(snapshots: readonly Snapshot[], processKey: string): Map<string, MetricSeries> {
  const parts = new Map<string, { series: MetricSeries; points: Map<number, number>; untimed: number[] }>();
  for (const { series, process, takenAtSeconds } of snapshots) {
    if (series === undefined || process.key !== processKey) continue;
    for (const [key, one] of series) {
      let part = parts.get(key);
      if (part === undefined) parts.set(key, (part = { series: one, points: new Map(), untimed: [] }));
      for (const [i, value] of one.values.entries()) {
        const own = elementAt(one.times, i);
        // With several scrapes, the snapshot's time does not say when each was.
        const time = Number.isNaN(own) && one.values.length === 1 ? takenAtSeconds : own;
        if (time === undefined || Number.isNaN(time)) part.untimed.push(value);
        else part.points.set(time, value);
      }
    }
  }
  const out = new Map<string, MetricSeries>();
  for (const [key, { series, points, untimed }] of parts) {
    const timed = [...points].sort((a, b) => a[0] - b[0]);
    const times = Float64Array.from([...untimed.map(() => NaN), ...timed.map(([time]) => time)]);
    const values = Float64Array.from([...untimed, ...timed.map(([, value]) => value)]);
    out.set(key, { name: series.name, labels: series.labels, times, values });
  }
  return out;
}

/** When a recording begins; the time of its file is when it ended. */
export function firstSampleSeconds(series: Snapshot['series']): number | undefined {
  let first = Infinity;
  for (const { times } of series?.values() ?? []) {
    const time = times[0] ?? NaN;
    if (time < first) first = time;
  }
  return Number.isFinite(first) ? first : undefined;
}

/** The value nearest to a time, when one is within `withinSeconds`. */
export function valueAt(
  series: MetricSeries | undefined,
  seconds: number | undefined,
  withinSeconds = 300,
): number | undefined {
  if (series === undefined || seconds === undefined) return undefined;
  let best: number | undefined;
  let nearest = withinSeconds;
  series.times.forEach((time, i) => {
    const distance = Math.abs(time - seconds);
    if (distance > nearest) return;
    nearest = distance;
    best = series.values[i];
  });
  return best;
}

/** The lives of a target, from its series: one sample per start time that was read. */
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
