/**
 * Reads recorded metrics from a pile of files into one timeline per target. The text of an input is dropped before the
 * next one is read; only columns of numbers stay, at most `maxValues` of them.
 */
import { FileContent } from '../formats/file-content.ts';
import { recogniseFormat } from '../formats/registry.ts';
import { type PileItem, type PileMember, type UnreadFile, readMembers } from '../pile.ts';
import { assignTargets } from './targets-of-sources.ts';
import { readResponses, readScrapes, type ReadTables } from './read-samples.ts';
import { labelSource, type Source, sourceKey } from './source.ts';
import { type SampleTable, thinned, isSame } from './sample-table.ts';
import { Timeline } from './timeline.ts';
import { elementAt } from '../../base/errors.ts';

/** Single scrapes in files of their own are many, and each has its own time. */
const MIN_ROWS = 8;

export interface RecordingOptions {
  /** The label that names a target; `node` or `instance` by default. */
  readonly by?: string | undefined;
  /** 48 million by default, which is 384 MB. */
  readonly maxValues?: number;
  /** By how much samples are older than their times: a database's value for a moment is of the time before it. */
  readonly olderBySeconds?: number;
  /** Labels of all existing processes, recorded here or not: a name has what distinguishes it from all others. */
  readonly known?: readonly Readonly<Record<string, string>>[];
}

export interface Recording {
  readonly targets: readonly RecordedTarget[];
  readonly readPaths: readonly string[];
  /** Files that do not hold metrics. */
  readonly otherCount: number;
  readonly unread: readonly UnreadFile[];
  /** One sentence for each oddity, with the path if it is about one file. */
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
  const earlier = shiftedBy(options.olderBySeconds ?? 0);
  let otherCount = 0;
  let onlyFailed = 0;
  const unread = await readMembers(items, member => {
    const read = readSamples(member, options.by);
    if (read === undefined) otherCount++;
    else if (read.tables.length === 0 && read.failedCount > 0) onlyFailed++;
    else {
      readPaths.push(member.path);
      for (const { source, table } of read.tables) store.add(source, earlier(table));
      const said = member.damage === undefined ? read.notes : [`cut: ${member.damage}`, ...read.notes];
      notes.push(...said.map(note => `${member.path}: ${note}`));
    }
  });
  if (onlyFailed > 0) notes.push(`${onlyFailed} ${onlyFailed === 1 ? 'file holds' : 'files hold'} only failed scrapes`);
  const known = (options.known ?? []).flatMap(labels => labelSource(labels, options.by) ?? []);
  const assigned = assignTargets(store.all(), known);
  notes.push(...assigned.notes);
  if (store.keptOneOf > 1) notes.push(`one of every ${store.keptOneOf} samples was kept: there are too many to hold`);
  if (options.by !== undefined && !store.hasChosenLabel && assigned.targets.length > 0) {
    notes.push(`no series has the label ${options.by}: targets are named by node, instance or file`);
  }
  const targets = assigned.targets.map(({ name, tables }) => ({ name, timeline: new Timeline(mergeTables(tables)) }));
  return { targets, readPaths, otherCount, unread, notes };
}

/** Tables that share their times still do afterwards. */
function shiftedBy(seconds: number): (table: SampleTable) => SampleTable {
  const shifted = new WeakMap<Float64Array, Float64Array>();
  return table => {
    if (seconds === 0) return table;
    const times = shifted.get(table.times) ?? table.times.map(time => time - seconds);
    shifted.set(table.times, times);
    const described = table.described.map(({ attribute, value, fromSeconds, toSeconds }) => ({
      attribute,
      value,
      fromSeconds: fromSeconds - seconds,
      toSeconds: toSeconds - seconds,
    }));
    return { ...table, times, described };
  };
}

/** Undefined when the file holds no metrics. */
function readSamples(member: PileMember, by: string | undefined): ReadTables | undefined {
  const file = new FileContent(member.bytes);
  const format = recogniseFormat(file);
  if (format === 'range-query') return readResponses(member, file, by);
  return format === 'exposition' ? readScrapes(member, file, by) : undefined;
}

class TableStore {
  keptOneOf = 1;
  /** Whether any series has the label that the user chose. */
  hasChosenLabel = false;
  private readonly sources = new Map<string, { source: Source; tables: SampleTable[] }>();
  private readonly maxValues: number;
  private valueCount = 0;

  constructor(maxValues: number) {
    this.maxValues = maxValues;
  }

  add(source: Source, table: SampleTable): void {
    if (source.kind === 'labels' && source.chosen !== '') this.hasChosenLabel = true;
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

  /** Drops every second row of each source, or every second file if each holds one scrape. */
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

/**
 * Tables of one target with the same times, as one. A Prometheus answers one metric at a time, with the same times for
 * all: one wide table takes a tenth of the memory of many narrow ones.
 *
 *     t0 t1 t2 | goroutines      t0 t1 t2 | heap      ->      t0 t1 t2 | goroutines heap
 */
export function mergeTables(tables: readonly SampleTable[]): SampleTable[] {
  const groups: SampleTable[][] = [];
  for (const table of tables) {
    const group = groups.find(([first]) => first !== undefined && isMergeable(first, table));
    // A metric that comes twice stays apart: the later input counts.
    const isRepeated = group?.some(({ metrics }) => metrics.some(metric => table.metrics.includes(metric)));
    if (group === undefined || isRepeated === true) groups.push([table]);
    else group.push(table);
  }
  return groups.map(group => (group.length === 1 ? elementAt(group, 0) : merged(group)));
}

function isMergeable(a: SampleTable, b: SampleTable): boolean {
  return a.isDated === b.isDated && a.times.length >= MIN_ROWS && isSame(a.times, b.times);
}

function merged(group: readonly SampleTable[]): SampleTable {
  const { times, isDated } = elementAt(group, 0);
  const metrics = group.flatMap(table => table.metrics);
  const values = new Float64Array(times.length * metrics.length);
  let column = 0;
  for (const table of group) {
    const width = table.metrics.length;
    for (let i = 0; i < width; i++, column++) {
      for (let from = i, to = column; from < table.values.length; from += width, to += metrics.length) {
        values[to] = elementAt(table.values, from);
      }
    }
  }
  return { metrics, times, values, isDated, described: group.flatMap(({ described }) => described) };
}
