/**
 * One input as tables: metrics text or answers of Prometheus, by source.
 *
 *     series with labels of Prometheus    a source for each set of them
 *     plain scrapes                       one source, by the file's place and the node that the text names
 */
import type { FileContent } from '../../formats/content/file-content.ts';
import type { ExpositionSamples, ExpositionSeries } from '../../formats/exposition/exposition.ts';
import { seriesKey } from '../../formats/exposition/labels.ts';
import { canonicalName, isForDetection, SERIES_COUNT } from '../../model/metric-names.ts';
import { aliasNotes } from '../../formats/exposition/to-series.ts';
import { FORMATS } from '../../formats/registry.ts';
import type { PileMember } from '../../model/pile.ts';
import { metricsNotes } from '../snapshots/read-metrics.ts';
import { type MetricRule, ruleFor } from './metric-rules.ts';
import { scrapeTime } from './scrape-time.ts';
import { labelSource, fileSource, type Source, sourceKey } from './source.ts';
import { type SampleTable, SampleTableBuilder } from './sample-table.ts';

export interface ReadTables {
  readonly tables: readonly { readonly source: Source; readonly table: SampleTable }[];
  readonly notes: readonly string[];
  /** Scrapes that failed when they were recorded. */
  readonly failedCount: number;
}

export function readScrapes(member: PileMember, content: FileContent, by: string | undefined): ReadTables {
  const read = FORMATS.exposition.read(content, { select: isForDetection });
  const { samples, scrapes } = read;
  const sources = new TableSources(read.series, by);
  const idOf = (name: string): number => read.series.findIndex(series => canonicalName(series.name) === name);
  const [lastGc, goroutines] = [idOf('go_memstats_last_gc_time_seconds'), idOf('go_goroutines')];
  const told = read.series.find(series => series.name === 'kubelet_node_name')?.labels['node'] ?? '';
  let untimed = 0;
  for (const { atSeconds, firstSample, sampleCount, seriesCount, node } of scrapes) {
    const end = firstSample + sampleCount;
    const ids = samples.series.subarray(firstSample, end);
    const gcSeconds = lastGc < 0 ? undefined : samples.values.subarray(firstSample, end)[ids.indexOf(lastGc)];
    // Of several scrapes in one file, the file says nothing of when each was.
    const ofFile = scrapes.length === 1 ? scrapeTime(member, gcSeconds) : { seconds: gcSeconds ?? NaN, isDate: false };
    const fileTable = sources.at(fileSource(member.path, node || told));
    if (atSeconds === undefined && ofFile.isDate) fileTable.isDated = true;
    const timeOf = (sample: number): number =>
      Number.isNaN(samples.times[sample]) ? ofFile.seconds : samples.times[sample];
    for (let i = firstSample; i < end; i++) {
      if (Number.isNaN(timeOf(i))) untimed++;
      else sources.add(samples.series[i], timeOf(i), samples.values[i], fileTable);
    }
    // Of a process's endpoints only the main one has goroutines: the others' series must not be counted as its. A dump
    // of many moments has them many times.
    const main = ids.indexOf(goroutines);
    const isMoment = main >= 0 && ids.lastIndexOf(goroutines) === main && sources.isPlain(goroutines);
    const mainSeconds = timeOf(firstSample + main);
    if (isMoment && !Number.isNaN(mainSeconds)) fileTable.add(SERIES_COUNT, mainSeconds, seriesCount, false);
    sources.endScrape();
  }
  const notes = [...metricsNotes(read), ...aliasNotes(read)];
  if (untimed > 0) notes.push(`${untimed} samples have no time: put each scrape in a file of its own`);
  return { tables: sources.finish(), notes, failedCount: read.failedScrapeCount };
}

export function readAnswers(member: PileMember, content: FileContent, by: string | undefined): ReadTables {
  const { series, samples, notes } = FORMATS['range-query'].read(content, { select: isForDetection });
  const file = member.path.slice(member.path.lastIndexOf('/') + 1).split('.', 1)[0];
  const meant = isForDetection(file) ? file : '';
  const named = series.map(one => (one.name === '' ? { ...one, name: meant } : one));
  const nameless = named.filter(one => one.name === '').length;
  const sources = new TableSources(named, by);
  addAnswers(sources, named, samples, sources.at(fileSource(member.path, '')));
  return {
    tables: sources.finish(),
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

/** A series that comes again is of another answer, and may have the same samples again. */
function addAnswers(
  sources: TableSources,
  series: readonly ExpositionSeries[],
  samples: ExpositionSamples,
  fileTable: SampleTableBuilder,
): void {
  const seen = new Set<string>();
  let last = -1;
  for (let i = 0; i < samples.series.length; i++) {
    const id = samples.series[i];
    if (id !== last) {
      const key = seriesKey(series[id].name, series[id].labels);
      if (seen.has(key)) {
        sources.endScrape();
        seen.clear();
      }
      seen.add(key);
      last = id;
    }
    sources.add(id, samples.times[i], samples.values[i], fileTable);
  }
}

/** The tables of one input, by source. */
class TableSources {
  private readonly rules: readonly (MetricRule | undefined)[];
  /** Of each series; undefined where its labels do not tell. */
  private readonly owners: readonly (SampleTableBuilder | undefined)[];
  private readonly builders = new Map<string, { source: Source; builder: SampleTableBuilder }>();

  constructor(series: readonly ExpositionSeries[], by: string | undefined) {
    const told = new Set(series.map(one => one.name));
    this.rules = series.map(one => {
      const canonical = canonicalName(one.name);
      // A recording rule beside the metric that it was made of says the same again.
      return one.name === '' || (canonical !== one.name && told.has(canonical)) ? undefined : ruleFor(one);
    });
    this.owners = series.map(({ labels }, id) => {
      const source = this.rules[id] === undefined ? undefined : labelSource(labels, by);
      return source === undefined ? undefined : this.at(source);
    });
  }

  at(source: Source): SampleTableBuilder {
    const key = sourceKey(source);
    let entry = this.builders.get(key);
    if (entry === undefined) this.builders.set(key, (entry = { source, builder: new SampleTableBuilder() }));
    return entry.builder;
  }

  isPlain(series: number): boolean {
    return this.owners[series] === undefined;
  }

  add(series: number, atSeconds: number, value: number, fileTable: SampleTableBuilder): void {
    const rule = this.rules[series];
    if (rule === undefined || !Number.isFinite(value)) return;
    (this.owners[series] ?? fileTable).add(rule.metric, atSeconds, value, rule.isSum);
  }

  endScrape(): void {
    for (const { builder } of this.builders.values()) builder.endScrape();
  }

  finish(): { source: Source; table: SampleTable }[] {
    const tables = [...this.builders.values()].map(({ source, builder }) => ({ source, table: builder.finish() }));
    return tables.filter(({ table }) => table.times.length > 0);
  }
}
