/**
 * Metrics text as series per life: a file of many scrapes may span restarts, and no series is ever read across one.
 *
 *     scrapes   s s s s | s s s s s        the start time moved and the CPU seconds fell
 *     lives     [0     ] [1       ]
 */
import { lifeSigns } from './process-series.ts';
import { aliasNotes, toSeries, type Exposition, seriesKey } from '../formats/exposition.ts';
import { readExposition } from '../formats/read-exposition.ts';
import type { MetricSeries } from './snapshot.ts';
import { lifeBeginnings, type LifeSigns } from '../process-life.ts';
import { SERIES_COUNT } from '../metric-names.ts';
import { seriesCensus } from './series-census.ts';
import { elementAt } from '../../base/errors.ts';

export interface LifeMetrics {
  readonly series: ReadonlyMap<string, MetricSeries>;
  readonly startTimeSeconds: number | undefined;
  /** When the first and the last scrape were taken; undefined without times. */
  readonly fromSeconds: number | undefined;
  readonly toSeconds: number | undefined;
  /** When the last garbage collection ended: a scrape is not older than that. */
  readonly lastGcSeconds: number | undefined;
}

export interface ReadMetrics {
  readonly lives: readonly LifeMetrics[];
  /** What the marks between scrapes call the node; '' when they do not. */
  readonly node: string;
  readonly notes: readonly string[];
  /** How the text ends, if it was cut; undefined if it is whole. */
  readonly cut: string | undefined;
}

/** Every line of metrics text ends with a line break; a line that cannot be read at the end was cut. */
function cutOf(bytes: Uint8Array, { problems }: Exposition): string | undefined {
  if (bytes.at(-1) === NEWLINE) return undefined;
  let lines = 1;
  for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) lines++;
  const isCut = problems.some(({ line }) => line === lines);
  return isCut ? `cut in line ${lines}: what came after is lost` : undefined;
}

const NEWLINE = 10;

export function readMetrics(bytes: Uint8Array): ReadMetrics {
  const read = readExposition(bytes);
  return {
    lives: splitScrapes(read).flatMap(part => livesOf(seriesOf(part, bytes))),
    node: read.scrapes.find(scrape => scrape.node !== '')?.node ?? '',
    notes: [...metricsNotes(read), ...aliasNotes(read)],
    cut: cutOf(bytes, read),
  };
}

function seriesOf(read: Exposition, bytes: Uint8Array): Map<string, MetricSeries> {
  const series = toSeries(read);
  // Only the main endpoint of a process has this metric; the series of its other endpoints must not be counted. What
  // watch kept of a scrape says how many the whole had.
  if (series.has('go_goroutines') && !series.has(SERIES_COUNT)) {
    const times = Float64Array.from(read.scrapes, scrape => scrape.atSeconds ?? NaN);
    const values = Float64Array.from(read.scrapes, scrape => scrape.seriesCount);
    series.set(SERIES_COUNT, { name: SERIES_COUNT, labels: {}, times, values });
    for (const one of seriesCensus(bytes, read)) series.set(seriesKey(one.name, one.labels), one);
  }
  return series;
}

/** One sentence for each part that could not be used. */
export function metricsNotes(read: Exposition): string[] {
  const notes: string[] = [];
  const scrapes = read.scrapes.length;
  if (read.failedScrapeCount > 0)
    notes.push(`${read.failedScrapeCount} of ${read.failedScrapeCount + scrapes} scrapes failed`);
  const [first] = read.problems;
  if (first !== undefined) {
    notes.push(
      `${read.problemCount} lines could not be read, the first is line ${first.line}: ${first.expected} expected`,
    );
  }
  return notes;
}

/** Runs of scrapes without a restart between them. */
function splitScrapes(read: Exposition): Exposition[] {
  const { samples, scrapes } = read;
  const indexOf = (name: string): number => read.series.findIndex(series => series.name === name);
  const start = indexOf('process_start_time_seconds');
  const cpu = indexOf('process_cpu_seconds_total');
  const signs = scrapes.map(({ firstSample, sampleCount, atSeconds }): LifeSigns => {
    const valueOf = (index: number): number | undefined => {
      const at = samples.series.subarray(firstSample, firstSample + sampleCount).indexOf(index);
      return at < 0 ? undefined : samples.values[firstSample + at];
    };
    return { atSeconds, startSeconds: valueOf(start), cpuSeconds: valueOf(cpu) };
  });
  const firsts = lifeBeginnings(signs);
  if (firsts.length <= 1) return [read];
  return firsts.map((first, i) => {
    const own = scrapes.slice(first, firsts[i + 1]);
    const last = own.at(-1);
    const from = own.at(0)?.firstSample ?? 0;
    const to = last === undefined ? from : last.firstSample + last.sampleCount;
    return {
      ...read,
      scrapes: own,
      samples: {
        series: samples.series.subarray(from, to),
        values: samples.values.subarray(from, to),
        times: samples.times.subarray(from, to),
      },
    };
  });
}

/** Series whose samples have times of their own, split where a life begins. */
export function livesOf(series: ReadonlyMap<string, MetricSeries>): LifeMetrics[] {
  const signs = lifeSigns(series);
  const cuts = lifeBeginnings(signs)
    .slice(1)
    .map(first => signs[first]?.atSeconds ?? -Infinity);
  return [-Infinity, ...cuts].map((cut, life) => lifeBetween(series, cut, cuts[life] ?? Infinity));
}

function lifeBetween(all: ReadonlyMap<string, MetricSeries>, from: number, to: number): LifeMetrics {
  const series = new Map<string, MetricSeries>();
  let fromSeconds = Infinity;
  let toSeconds = -Infinity;
  for (const { name, labels, times, values } of all.values()) {
    const isIn = (time: number): boolean => Number.isNaN(time) || (time >= from && time < to);
    const ownTimes = times.filter(isIn);
    if (ownTimes.length === 0) continue;
    for (const time of ownTimes) {
      if (time < fromSeconds) fromSeconds = time;
      if (time > toSeconds) toSeconds = time;
    }
    series.set(seriesKey(name, labels), {
      name,
      labels,
      times: ownTimes,
      values: values.filter((_, i) => isIn(elementAt(times, i))),
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
