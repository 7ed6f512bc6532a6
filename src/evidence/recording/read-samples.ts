/**
 * One input as tables, by source: metrics text or Prometheus responses.
 *
 *     series with labels of Prometheus    one source for each set of labels
 *     plain scrapes                       one source, by the file's path and the node that the text names
 */
import type { FileContent } from '../formats/file-content.ts';
import { type Exposition, type ExpositionSeries, seriesKey, aliasNotes } from '../formats/exposition.ts';
import { canonicalName, isForDetection, isOfProcess, SERIES_COUNT } from '../metric-names.ts';
import { FORMATS } from '../formats/registry.ts';
import type { PileMember } from '../pile.ts';
import { fileName, timeInName, timeInPath } from '../path-parts.ts';
import { metricsNotes } from '../snapshots/read-metrics.ts';
import {
  type AttributePair,
  attributesOfLabels,
  attributesOfSeries,
  describesProcess,
} from '../attributes-of-series.ts';
import { fileSource, labelSource, type Source, sourceKey, type MetricRule, ruleFor } from './source.ts';
import { isSame, type SampleTable, SampleTableBuilder } from './sample-table.ts';
import { NO_SAMPLE_TIME, isSampleTime } from '../../base/say.ts';
import { elementAt } from '../../base/errors.ts';

/**
 * When a scrape was taken, if its text does not say so.
 *
 * A Go process collects garbage at least every two minutes.
 */
const LONGEST_BETWEEN_COLLECTIONS = 150;

export interface ReadTables {
  readonly tables: readonly { readonly source: Source; readonly table: SampleTable }[];
  readonly notes: readonly string[];
  /** Scrapes that failed when they were recorded. */
  readonly failedCount: number;
}

function isRead(metric: string): boolean {
  return isForDetection(metric) || describesProcess(metric);
}

export function readScrapes(member: PileMember, content: FileContent, by: string | undefined): ReadTables {
  const read = FORMATS.exposition.read(content, { select: isRead });
  const { samples, scrapes } = read;
  const tables = new TablesBySource(read.series, by);
  const idOf = (name: string): number => read.series.findIndex(series => canonicalName(series.name) === name);
  const [lastGc, goroutines] = [idOf('go_memstats_last_gc_time_seconds'), idOf('go_goroutines')];
  const nodeName = read.series.find(series => series.name === 'kubelet_node_name')?.labels['node'] ?? '';
  let untimed = 0;
  let isOutOfTime = false;
  for (const { atSeconds, firstSample, sampleCount, seriesCount, node } of scrapes) {
    const end = firstSample + sampleCount;
    const ids = samples.series.subarray(firstSample, end);
    const values = samples.values.subarray(firstSample, end);
    const gcSeconds = lastGc < 0 ? undefined : values[ids.indexOf(lastGc)];
    // A file of several scrapes does not say when each was taken.
    const ofFile = scrapes.length === 1 ? scrapeTime(member, gcSeconds) : { seconds: gcSeconds ?? NaN, isDate: false };
    const ofPath = tables.of(fileSource(member.path, node || nodeName));
    if (atSeconds === undefined && ofFile.isDate) ofPath.isDated = true;
    const times = samples.times.subarray(firstSample, end).map(time => (Number.isNaN(time) ? ofFile.seconds : time));
    for (const [i, id] of ids.entries()) {
      const seconds = elementAt(times, i);
      if (Number.isNaN(seconds)) untimed++;
      else if (!isSampleTime(seconds)) isOutOfTime = true;
      else tables.add(id, seconds, elementAt(values, i), ofPath);
    }
    // Only the main endpoint of a process has goroutines, and the series of its other endpoints must not be counted. A
    // dump of many moments has the metric many times.
    const main = ids.indexOf(goroutines);
    const isMoment = main >= 0 && ids.lastIndexOf(goroutines) === main && tables.isPlain(goroutines);
    const mainSeconds = isMoment ? elementAt(times, main) : NaN;
    if (isSampleTime(mainSeconds)) ofPath.add(SERIES_COUNT, mainSeconds, seriesCount, false);
    tables.endScrape();
  }
  const notes = [...metricsNotes(read), ...aliasNotes(read)];
  if (isOutOfTime) notes.push(NO_SAMPLE_TIME);
  if (untimed > 0) notes.push(`${untimed} samples have no time: put each scrape in a file of its own`);
  return { tables: tables.finish(), notes, failedCount: read.failedScrapeCount };
}

export function readResponses(member: PileMember, content: FileContent, by: string | undefined): ReadTables {
  const { series, samples, notes } = FORMATS['range-query'].read(content, { select: isRead });
  const [file = ''] = fileName(member.path).split('.', 1);
  const nameOfFile = isRead(file) ? file : '';
  const named = series.map(one => (one.name === '' ? { ...one, name: nameOfFile } : one));
  const nameless = named.filter(one => one.name === '').length;
  const tables = new TablesBySource(named, by);
  addResponses(tables, { series: named, samples }, tables.of(fileSource(member.path, '')));
  return {
    tables: tables.finish(),
    notes: [
      ...notes,
      ...aliasNotes({ series: named }),
      ...(nameless === 0
        ? []
        : [`${nameless} series have no metric name: query the metric itself, or name the file after it`]),
    ],
    failedCount: 0,
  };
}

/** A series that is repeated belongs to another response, which may have the same samples again. */
function addResponses(
  tables: TablesBySource,
  { series, samples }: Pick<Exposition, 'series' | 'samples'>,
  ofPath: SampleTableBuilder,
): void {
  const seen = new Set<string>();
  const { series: ids, times, values } = samples;
  for (let first = 0, end = 0; first < ids.length; first = end) {
    const id = elementAt(ids, first);
    for (end = first + 1; end < ids.length && ids[end] === id; end++);
    const { name, labels } = elementAt(series, id);
    const key = seriesKey(name, labels);
    if (seen.has(key)) {
      tables.endScrape();
      seen.clear();
    }
    seen.add(key);
    tables.addSeries(id, times.subarray(first, end), values.subarray(first, end), ofPath);
  }
}

/** The series of one answer usually have the same times: for thousands of targets, one column of them is kept. */
function shareTimes(tables: { source: Source; table: SampleTable }[]): void {
  let last: Float64Array = new Float64Array();
  for (const one of tables) {
    const { times } = one.table;
    if (isSame(times, last)) one.table = { ...one.table, times: last };
    else last = times;
  }
}

/** The tables of one input, by source. */
class TablesBySource {
  private readonly series: readonly ExpositionSeries[];
  private readonly rules: readonly (MetricRule | undefined)[];
  /** By series; undefined where its labels name no source. */
  private readonly owners: readonly (SampleTableBuilder | undefined)[];
  private said: { series: number; value: number; pairs: readonly AttributePair[] } = {
    series: -1,
    value: 0,
    pairs: [],
  };
  /** Series whose labels were taken as attributes. */
  private readonly labelled = new Set<number>();
  private readonly builders = new Map<string, { source: Source; builder: SampleTableBuilder }>();

  constructor(series: readonly ExpositionSeries[], by: string | undefined) {
    this.series = series;
    const names = new Set(series.map(one => one.name));
    this.rules = series.map(one => {
      const canonical = canonicalName(one.name);
      // A recording rule beside the metric that it was made from repeats it.
      return one.name === '' || (canonical !== one.name && names.has(canonical)) ? undefined : ruleFor(one);
    });
    this.owners = series.map(({ name, labels }, id) => {
      const isUsed = this.rules[id] !== undefined || describesProcess(name);
      const source = isUsed ? labelSource(labels, by) : undefined;
      return source === undefined ? undefined : this.of(source);
    });
  }

  of(source: Source): SampleTableBuilder {
    const key = sourceKey(source);
    let entry = this.builders.get(key);
    if (entry === undefined) this.builders.set(key, (entry = { source, builder: new SampleTableBuilder() }));
    return entry.builder;
  }

  isPlain(series: number): boolean {
    return this.owners[series] === undefined;
  }

  /** Adds to the source that the labels name, or else to `fallback`. */
  add(series: number, atSeconds: number, value: number, fallback: SampleTableBuilder): void {
    if (!Number.isFinite(value)) return;
    const rule = this.rules[series];
    const owner = this.owners[series];
    if (rule === undefined) {
      for (const [attribute, text] of this.pairsOf(series, value)) {
        (owner ?? fallback).describe(attribute, text, atSeconds);
      }
      return;
    }
    (owner ?? fallback).add(rule.metric, atSeconds, value, rule.isSum);
    if (owner !== undefined) this.describeOnce(series, rule, owner, atSeconds);
  }

  private describeOnce(series: number, { metric }: MetricRule, owner: SampleTableBuilder, atSeconds: number): void {
    if (this.labelled.has(series) || !isOfProcess(metric)) return;
    this.labelled.add(series);
    for (const [attribute, text] of attributesOfLabels(elementAt(this.series, series).labels)) {
      owner.describe(attribute, text, atSeconds);
    }
  }

  /** All samples of a series in time order. */
  addSeries(series: number, times: Float64Array, values: Float64Array, fallback: SampleTableBuilder): void {
    const rule = this.rules[series];
    const owner = this.owners[series];
    if (rule === undefined || owner === undefined || !values.every(Number.isFinite)) {
      for (const [i, time] of times.entries()) this.add(series, time, elementAt(values, i), fallback);
      return;
    }
    owner.addSeries(rule.metric, times, values, rule.isSum);
    this.describeOnce(series, rule, owner, elementAt(times, 0));
  }

  /** What a series says is the same for all its samples of one value. */
  private pairsOf(series: number, value: number): readonly AttributePair[] {
    if (this.said.series === series && this.said.value === value) return this.said.pairs;
    const { name, labels } = elementAt(this.series, series);
    // Aggregated by target, the other metrics have lost the labels of the scrape.
    const ofScrape = this.isPlain(series) ? [] : attributesOfLabels(labels);
    const pairs = describesProcess(name) ? [...attributesOfSeries(name, labels, value), ...ofScrape] : [];
    this.said = { series, value, pairs };
    return pairs;
  }

  endScrape(): void {
    for (const { builder } of this.builders.values()) builder.endScrape();
  }

  finish(): { source: Source; table: SampleTable }[] {
    const tables = [...this.builders.values()].map(({ source, builder }) => ({ source, table: builder.finish() }));
    shareTimes(tables);
    return tables.filter(({ table }) => table.times.length > 0 || table.described.length > 0);
  }
}

interface ScrapeTime {
  /** Unix seconds; NaN when unknown. */
  readonly seconds: number;
  /** Whether it is only the file's date, which any copy changes. */
  readonly isDate: boolean;
}

/**
 * The time in the file's name. Else, if the last garbage collection is known: the file's date if it fits, or the
 * collection. Else the time in the folders' names, or the date.
 */
function scrapeTime(member: PileMember, lastGcSeconds: number | undefined): ScrapeTime {
  const named = timeInName(fileName(member.path));
  if (named !== undefined) return { seconds: named, isDate: false };
  // Archives made to be reproducible date everything 1970 or 1980.
  const dated = (member.mtimeSeconds ?? 0) > 1e9 ? member.mtimeSeconds : undefined;
  if (lastGcSeconds !== undefined && lastGcSeconds > 1e9) {
    const fits = dated !== undefined && dated >= lastGcSeconds && dated <= lastGcSeconds + LONGEST_BETWEEN_COLLECTIONS;
    return { seconds: fits ? dated : lastGcSeconds, isDate: false };
  }
  const inPath = timeInPath(member.path);
  return { seconds: inPath ?? dated ?? NaN, isDate: inPath === undefined };
}
