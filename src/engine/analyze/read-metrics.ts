/**
 * Metrics text as series per epoch: a file of many scrapes may span restarts, and no series is ever read across one.
 *
 *     scrapes   s s s s | s s s s s        process_start_time_seconds changed, or CPU seconds fell
 *     epochs    [0     ] [1       ]
 */
import { seriesKey } from '../../formats/exposition/labels.ts';
import { readExposition } from '../../formats/exposition/read.ts';
import { aliasNotes, toSeries } from '../../formats/exposition/to-series.ts';
import type { Exposition } from '../../formats/exposition/exposition.ts';
import type { MetricSeries } from '../../model/snapshot.ts';

export interface MetricsEpoch {
  readonly series: ReadonlyMap<string, MetricSeries>;
  readonly startTimeSeconds: number | undefined;
  /** When the first and the last scrape were taken; undefined without times. */
  readonly fromSeconds: number | undefined;
  readonly toSeconds: number | undefined;
  /** When the last garbage collection ended: a scrape is not older than that. */
  readonly lastGcSeconds: number | undefined;
}

export interface ReadMetrics {
  readonly epochs: readonly MetricsEpoch[];
  /** What the marks between scrapes call the node; '' when they do not. */
  readonly node: string;
  readonly notes: readonly string[];
}

/** All series of a scrape, as a series of its own: their number leaks too. */
export const SERIES_COUNT = 'oakum_scrape_series';

export function readMetrics(bytes: Uint8Array): ReadMetrics {
  const read = readExposition(bytes);
  const series = toSeries(read);
  if (read.scrapes.length > 0) {
    const times = Float64Array.from(read.scrapes, scrape => scrape.atSeconds ?? NaN);
    const values = Float64Array.from(read.scrapes, scrape => scrape.seriesCount);
    series.set(SERIES_COUNT, { name: SERIES_COUNT, labels: {}, times, values });
  }
  return {
    epochs: splitEpochs(series, read),
    node: read.scrapes.find(scrape => scrape.node !== '')?.node ?? '',
    notes: [...metricsNotes(read), ...aliasNotes(read)],
  };
}

function metricsNotes(read: Exposition): string[] {
  const notes: string[] = [];
  const scrapes = read.scrapes.length;
  if (read.failedScrapeCount > 0)
    notes.push(`${read.failedScrapeCount} of ${read.failedScrapeCount + scrapes} scrapes failed`);
  if (read.problemCount > 0) {
    const [first] = read.problems;
    notes.push(
      `${read.problemCount} lines could not be read, the first is line ${first.line}: ${first.expected} expected`,
    );
  }
  return notes;
}

/** Start times are computed from the clock and wander by a fraction of a second. */
const START_TOLERANCE_SECONDS = 2;

function splitEpochs(series: ReadonlyMap<string, MetricSeries>, read: Exposition): MetricsEpoch[] {
  const starts = series.get('process_start_time_seconds');
  const cpu = series.get('process_cpu_seconds_total');
  // Sample i of a series without times is of scrape i only when no scrape lacks it; then there is one epoch.
  const timed = read.scrapes.length === 1 || !read.samples.times.some(Number.isNaN);
  const cuts: number[] = [];
  if (timed && starts !== undefined) {
    for (let i = 1; i < starts.values.length; i++) {
      if (Math.abs(starts.values[i] - starts.values[i - 1]) > START_TOLERANCE_SECONDS) cuts.push(starts.times[i]);
    }
  } else if (timed && cpu !== undefined) {
    for (let i = 1; i < cpu.values.length; i++) if (cpu.values[i] < cpu.values[i - 1]) cuts.push(cpu.times[i]);
  }
  const epochs: MetricsEpoch[] = [];
  for (let epoch = 0; epoch <= cuts.length; epoch++) {
    epochs.push(epochOf(series, cuts[epoch - 1] ?? -Infinity, cuts[epoch] ?? Infinity));
  }
  return epochs;
}

function epochOf(all: ReadonlyMap<string, MetricSeries>, from: number, to: number): MetricsEpoch {
  const series = new Map<string, MetricSeries>();
  let fromSeconds = Infinity;
  let toSeconds = -Infinity;
  for (const { name, labels, times, values } of all.values()) {
    const keep: number[] = [];
    for (let i = 0; i < times.length; i++) {
      const time = times[i];
      if (Number.isNaN(time) || (time >= from && time < to)) keep.push(i);
      else continue;
      if (time < fromSeconds) fromSeconds = time;
      if (time > toSeconds) toSeconds = time;
    }
    if (keep.length === 0) continue;
    series.set(seriesKey(name, labels), {
      name,
      labels,
      times: Float64Array.from(keep, i => times[i]),
      values: Float64Array.from(keep, i => values[i]),
    });
  }
  const gc = series.get('go_memstats_last_gc_time_seconds')?.values.at(-1) ?? 0;
  return {
    series,
    startTimeSeconds: series.get('process_start_time_seconds')?.values.at(-1),
    fromSeconds: Number.isFinite(fromSeconds) ? fromSeconds : undefined,
    toSeconds: Number.isFinite(toSeconds) ? toSeconds : undefined,
    lastGcSeconds: gc > 1e9 ? gc : undefined,
  };
}

/** A label of the first series with this name, e.g. the version in `kubernetes_build_info`. */
export function labelOf(series: ReadonlyMap<string, MetricSeries>, name: string, label: string): string {
  for (const one of series.values()) if (one.name === name) return one.labels[label] ?? '';
  return '';
}
