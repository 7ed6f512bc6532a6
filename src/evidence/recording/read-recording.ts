/**
 * Recorded metrics from a pile of files, as one timeline for each target. The text of an input is dropped before the
 * next one is read: what stays are columns of numbers, and not more than `maxValues` of them.
 */
import { readMembers } from '../pile/read-members.ts';
import { FileContent } from '../../formats/content/file-content.ts';
import { recogniseFormat } from '../../formats/registry.ts';
import type { PileItem, PileMember, UnreadFile } from '../../model/pile.ts';
import { targetsOfSources } from './targets-of-sources.ts';
import { readAnswers, readScrapes, type ReadTables } from './read-samples.ts';
import { type Source, sourceKey } from './source.ts';
import { type SampleTable, thinned } from './sample-table.ts';
import { Timeline } from './timeline.ts';

export interface RecordingOptions {
  /** The label that says what a target is; `node` or `instance` unless told. */
  readonly by?: string | undefined;
  /** 48 million unless told: 384 MB. */
  readonly maxValues?: number;
}

export interface Recording {
  readonly targets: readonly RecordedTarget[];
  readonly readPaths: readonly string[];
  /** Files that are no metrics. */
  readonly otherCount: number;
  readonly unread: readonly UnreadFile[];
  /** What was odd, a sentence each, with the path where it is about one file. */
  readonly notes: readonly string[];
}

export interface RecordedTarget {
  readonly name: string;
  readonly timeline: Timeline;
}

const MAX_VALUES = 48_000_000;

export async function readRecording(
  items: AsyncIterable<PileItem>,
  options: RecordingOptions = {},
): Promise<Recording> {
  const store = new TableStore(options.maxValues ?? MAX_VALUES);
  const readPaths: string[] = [];
  const notes: string[] = [];
  let otherCount = 0;
  let onlyFailed = 0;
  const unread = await readMembers(items, member => {
    const read = readSamples(member, options.by);
    if (read === undefined) otherCount++;
    else if (read.tables.length === 0 && read.failedCount > 0) onlyFailed++;
    else {
      readPaths.push(member.path);
      for (const { source, table } of read.tables) store.add(source, table);
      const said = member.damage === undefined ? read.notes : [`cut: ${member.damage}`, ...read.notes];
      notes.push(...said.map(note => `${member.path}: ${note}`));
    }
  });
  if (onlyFailed > 0) notes.push(`${onlyFailed} ${onlyFailed === 1 ? 'file holds' : 'files hold'} only failed scrapes`);
  const found = targetsOfSources(store.all());
  notes.push(...found.notes);
  if (store.keptOneOf > 1) notes.push(`one of every ${store.keptOneOf} samples was kept: there are too many to hold`);
  if (options.by !== undefined && !store.hasChosen && found.targets.length > 0) {
    notes.push(`no series has the label ${options.by}: targets are told apart by node, instance or place`);
  }
  const targets = found.targets.map(({ name, tables }) => ({ name, timeline: new Timeline(tables) }));
  return { targets, readPaths, otherCount, unread, notes };
}

/** Undefined when the file holds no metrics. */
function readSamples(member: PileMember, by: string | undefined): ReadTables | undefined {
  const file = new FileContent(member.bytes);
  const format = recogniseFormat(file);
  if (format === 'range-query') return readAnswers(member, file, by);
  return format === 'exposition' ? readScrapes(member, file, by) : undefined;
}

class TableStore {
  keptOneOf = 1;
  hasChosen = false;
  private readonly sources = new Map<string, { source: Source; tables: SampleTable[] }>();
  private readonly maxValues: number;
  private valueCount = 0;

  constructor(maxValues: number) {
    this.maxValues = maxValues;
  }

  add(source: Source, table: SampleTable): void {
    if (source.kind === 'labels' && source.chosen !== '') this.hasChosen = true;
    const key = sourceKey(source);
    let entry = this.sources.get(key);
    if (entry === undefined) this.sources.set(key, (entry = { source, tables: [] }));
    let kept = table;
    for (let i = 1; i < this.keptOneOf; i *= 2) kept = thinned(kept);
    entry.tables.push(kept);
    this.valueCount += kept.values.length + kept.times.length;
    if (this.valueCount > this.maxValues) this.thin();
  }

  all(): readonly { readonly source: Source; readonly tables: readonly SampleTable[] }[] {
    return [...this.sources.values()];
  }

  /** Every second row of each source goes; of files with one scrape each, every second file. */
  private thin(): void {
    this.keptOneOf *= 2;
    this.valueCount = 0;
    for (const entry of this.sources.values()) {
      let single = 0;
      entry.tables = entry.tables.flatMap(table => {
        if (table.times.length > 1) return [thinned(table)];
        return single++ % 2 === 0 ? [table] : [];
      });
      for (const { values, times } of entry.tables) this.valueCount += values.length + times.length;
    }
  }
}
