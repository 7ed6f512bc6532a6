/**
 * Metrics text: the Prometheus text format and OpenMetrics, with timestamps and without, one scrape or many.
 *
 *     const read = readExposition(bytes);
 *     toSeries(read).get('go_goroutines')?.values
 *
 *     const reader = new ExpositionReader();             as it streams: what was read of a chunk is not kept
 *     for await (const chunk of body) reader.push(chunk);
 *     const read = reader.finish();
 *
 * One pass over the bytes. Only chosen metrics become strings; other lines are checked and counted.
 *
 * A new scrape begins at a line `# LAB scrape ts=1794772040.0 status=200` (any word for LAB), after `# EOF`, or where
 * the first series of a scrape comes again without a time of its own: files of scrapes are made by appending.
 */
import { Uint32ColumnBuilder } from '../../base/columns.ts';
import { concatBytes, decodeText } from '../../base/text.ts';
import { ByteScanner, textStart } from '../../base/byte-scan.ts';
import {
  type Exposition,
  type ExpositionProblem,
  type ExpositionScrape,
  type ExpositionSeries,
  type FamilySize,
  parseTimestamp,
  parseValue,
  parseLabels,
  parseScrapeMark,
  type ScrapeMark,
} from './exposition.ts';
import {
  HASH,
  isEndOrSpace,
  labelsEndAt,
  NAME_BYTE,
  nameInLabels,
  NEWLINE,
  NUMBER_BYTE,
  OPEN,
  skipSpaces,
  type MetricName,
  NameTable,
} from './exposition-names.ts';
import { isForAnalysis } from '../metric-names.ts';

/** The metric families with the most series: what grows when series leak. */
const SHOWN = 20;

const PARTS = ['_bucket', '_sum', '_count', '_gsum', '_gcount'];

/** OpenMetrics has a series beside each counter and histogram that says since when it counts. */
const CREATED = '_created';

export interface ExpositionOptions {
  /** Metric names to read; what an analysis needs when not given. */
  readonly select?: ReadonlySet<string> | ((name: string) => boolean);
  /**
   * For one scrape after the other: the table is kept between them, lines of other metrics are counted by their names
   * and not checked, and there are no biggest families. Takes a third of the time. The table selects the metrics.
   */
  readonly quick?: NameTable;
}

const MAX_PROBLEMS = 20;
const NO_BYTES = new Uint8Array(0);

export function readExposition(bytes: Uint8Array, options: ExpositionOptions = {}): Exposition {
  const reader = new ExpositionReader(options);
  reader.push(bytes);
  return reader.finish();
}

export class ExpositionReader {
  /** Whole lines of the input; all offsets are into them. */
  private bytes: Uint8Array = NO_BYTES;
  private end = 0;
  private scanner = new ByteScanner(NO_BYTES);
  /** The line that the chunks so far have only begun. */
  private begun: Uint8Array[] = [];
  private readonly names: NameTable;
  private readonly series: ExpositionSeries[] = [];
  private readonly seriesIndex = new Map<string, number>();
  private readonly sampleSeries = new Uint32ColumnBuilder();
  private readonly values: number[] = [];
  private readonly times: number[] = [];
  private readonly scrapes: ExpositionScrape[] = [];
  private readonly problems: ExpositionProblem[] = [];
  private problemCount = 0;
  private failedScrapeCount = 0;
  private line = 0;
  private scrapeNumber = 1;
  private mark: ScrapeMark | undefined;
  private ended = false;
  private seriesCount = 0;
  private firstSample = 0;
  /** The first series of this scrape: its name, and how it is written. */
  private firstName: MetricName | undefined;
  private firstSeries: Uint8Array = NO_BYTES;

  private readonly isQuick: boolean;

  constructor({ select = isForAnalysis, quick }: ExpositionOptions = {}) {
    this.names = quick ?? new NameTable(typeof select === 'function' ? select : name => select.has(name));
    this.isQuick = quick !== undefined;
  }

  push(given: Uint8Array): void {
    // Not a Buffer, whose slices are no copies and which the engine reads slower beside plain arrays.
    const chunk = new Uint8Array(given.buffer, given.byteOffset, given.length);
    const end = chunk.lastIndexOf(NEWLINE) + 1;
    if (end > 0) {
      const lines = chunk.subarray(0, end);
      this.readLines(this.begun.length === 0 ? lines : concatBytes([...this.begun, lines]));
      this.begun = [];
    }
    // The caller may use its buffer again.
    if (end < chunk.length) this.begun.push(chunk.slice(end));
  }

  finish(): Exposition {
    if (this.begun.length > 0) this.readLines(concatBytes(this.begun));
    this.endScrape();
    const last = this.scrapes.at(-1);
    return {
      series: this.series,
      samples: {
        series: this.sampleSeries.finish(),
        values: Float64Array.from(this.values),
        times: Float64Array.from(this.times),
      },
      scrapes: this.scrapes,
      failedScrapeCount: this.failedScrapeCount,
      lineCount: this.line,
      seriesCount: last?.seriesCount ?? 0,
      biggestFamilies: this.isQuick ? [] : biggestFamilies(this.names.names, this.scrapeNumber - 1),
      problems: this.problems,
      problemCount: this.problemCount,
    };
  }

  private readLines(bytes: Uint8Array): void {
    this.bytes = bytes;
    this.end = bytes.length;
    this.scanner = new ByteScanner(bytes);
    this.names.scan(this.scanner);
    let at = this.line === 0 ? textStart(bytes) : 0;
    while (at < this.end) {
      this.line++;
      if (bytes[at] === HASH) at = this.comment(at);
      else if (this.mark?.failed === true) at = this.scanner.newline(at) + 1;
      else if (this.isQuick && this.isOther(at)) at = this.scanner.newline(at) + 1;
      else at = this.sample(at);
    }
  }

  private comment(start: number): number {
    const { bytes } = this;
    const end = this.scanner.newline(start);
    // `# TYPE `, `# HELP `, `# UNIT `, `# EOF`: they differ in the third byte.
    const kind = bytes[start + 1] === 0x20 ? bytes[start + 2] : 0;
    if (kind === 0x54 && bytes[start + 3] === 0x59) {
      if (!this.isQuick) this.type(start + 7, end);
    } else if (kind === 0x45 && end - start <= 7 && decodeText(bytes, start, end).trimEnd() === '# EOF')
      this.ended = true;
    else if (kind !== 0x48) {
      const mark = parseScrapeMark(decodeText(bytes, start, Math.min(end, start + 400)));
      if (mark !== undefined) this.beginScrape(mark);
    }
    return end + 1;
  }

  private type(start: number, end: number): void {
    const { bytes } = this;
    let at = start;
    while (at < end && NAME_BYTE[bytes[at]] === 1) at++;
    if (at === start || at >= end) return;
    const name = this.names.at(start, at);
    if (!name.typed) this.names.setType(name, decodeText(bytes, at, end).trim());
  }

  private beginScrape(mark: ScrapeMark): void {
    this.endScrape();
    this.mark = mark;
    if (mark.failed) this.failedScrapeCount++;
  }

  private endScrape(): void {
    this.ended = false;
    this.firstName = undefined;
    if (this.seriesCount === 0) return;
    const sampleCount = this.values.length - this.firstSample;
    let atSeconds = this.mark?.atSeconds;
    // Every sample may have a time of its own: the scrape is as late as the latest.
    for (let i = this.firstSample; i < this.values.length; i++) {
      if (Number.isNaN(this.times[i])) this.times[i] = this.mark?.atSeconds ?? NaN;
      else if (this.mark === undefined) atSeconds = Math.max(atSeconds ?? -Infinity, this.times[i]);
    }
    const { firstSample, seriesCount } = this;
    this.scrapes.push({ atSeconds, firstSample, sampleCount, seriesCount, node: this.mark?.node ?? '' });
    this.firstSample = this.values.length;
    this.seriesCount = 0;
    this.scrapeNumber++;
  }

  /** True if nobody needs the line, as for most lines of a scrape; then it is only counted. */
  private isOther(start: number): boolean {
    // The first line of a scrape may come again as that of the next.
    if (this.firstName === undefined || this.ended) return false;
    const name = this.names.again(start) ?? this.names.beginning(start);
    if (name === undefined || name.selected || name === this.firstName) return false;
    this.seriesCount++;
    return true;
  }

  /** Reads the line at `start`, which is neither a comment nor of a failed scrape; returns where the next one begins. */
  private sample(start: number): number {
    const { bytes, end } = this;
    let at = skipSpaces(bytes, start);
    const nameStart = at;
    while (at < end && NAME_BYTE[bytes[at]] === 1) at++;
    const nameEnd = at;
    if (at === nameStart && bytes[at] !== OPEN) {
      if (at >= end || bytes[at] === NEWLINE) return at + 1;
      return this.problem(start, 'metric name');
    }
    at = skipSpaces(bytes, at);
    let labelsEnd = nameEnd;
    if (bytes[at] === OPEN) {
      at = labelsEndAt(bytes, at + 1, end);
      if (at < 0) return this.problem(start, 'labels');
      labelsEnd = at;
    }
    const valueStart = skipSpaces(bytes, at);
    at = valueStart;
    while (at < end && NUMBER_BYTE[bytes[at]] === 1) at++;
    const valueEnd = at;
    if (at === valueStart || !isEndOrSpace(bytes, at, end)) return this.problem(start, 'value');
    const lineEnd = at >= end || bytes[at] === NEWLINE ? at : this.scanner.newline(at);

    const name = nameEnd > nameStart ? this.names.at(nameStart, nameEnd) : this.nameInLabels(nameStart, labelsEnd);
    if (name === undefined) return this.problem(start, 'metric name');
    const timeStart = skipSpaces(bytes, valueEnd);
    const hasTime = timeStart < lineEnd && bytes[timeStart] !== HASH && bytes[timeStart] !== 0x0d;
    this.maybeNextScrape(name, nameStart, labelsEnd, hasTime);
    if (name.selected) {
      const value = parseValue(decodeText(bytes, valueStart, valueEnd));
      if (value === undefined) return this.problem(start, 'value');
      const time = hasTime ? parseTimestamp(this.token(timeStart, lineEnd)) : NaN;
      if (time === undefined) return this.problem(start, 'timestamp');
      const index = this.seriesAt(nameStart, labelsEnd, name);
      if (index === undefined) return this.problem(start, 'labels');
      this.sampleSeries.push(index);
      this.values.push(value);
      this.times.push(time);
    }
    this.count(name);
    return lineEnd + 1;
  }

  private nameInLabels(start: number, end: number): MetricName | undefined {
    const [from, to] = nameInLabels(this.bytes, start, end);
    return to > from ? this.names.at(from, to) : undefined;
  }

  private maybeNextScrape(name: MetricName, start: number, end: number, hasTime: boolean): void {
    const isRepeat = name === this.firstName && this.mark === undefined && !hasTime && this.isFirstSeries(start, end);
    if (this.ended || isRepeat) {
      this.endScrape();
      this.mark = undefined;
    }
    if (this.firstName !== undefined) return;
    this.firstName = name;
    this.firstSeries = this.bytes.slice(start, end);
  }

  private isFirstSeries(start: number, end: number): boolean {
    const { bytes, firstSeries } = this;
    if (end - start !== firstSeries.length) return false;
    for (let i = start; i < end; i++) if (bytes[i] !== firstSeries[i - start]) return false;
    return true;
  }

  private count(name: MetricName): void {
    this.seriesCount++;
    if (name.scrape !== this.scrapeNumber) {
      name.scrape = this.scrapeNumber;
      name.count = 0;
    }
    name.count++;
    if (this.scrapeNumber === 1) name.firstCount++;
  }

  private seriesAt(start: number, end: number, name: MetricName): number | undefined {
    const key = decodeText(this.bytes, start, end);
    const known = this.seriesIndex.get(key);
    if (known !== undefined) return known;
    const open = key.indexOf('{');
    const parsed = open < 0 ? { labels: {} } : parseLabels(key.slice(open + 1, -1));
    if (parsed === undefined) return undefined;
    this.seriesIndex.set(key, this.series.length);
    return this.series.push({ name: name.text, labels: parsed.labels }) - 1;
  }

  private token(start: number, end: number): string {
    let at = start;
    while (at < end && this.bytes[at] > 0x20) at++;
    return decodeText(this.bytes, start, at);
  }

  private problem(start: number, expected: ExpositionProblem['expected']): number {
    const end = this.scanner.newline(start);
    this.problemCount++;
    if (this.problems.length < MAX_PROBLEMS) {
      const text = decodeText(this.bytes, start, Math.min(end, start + 120));
      this.problems.push({ line: this.line, expected, text });
    }
    return end + 1;
  }
}

/** `lastScrape` is the number of the last scrape that had series. */
function biggestFamilies(names: readonly MetricName[], lastScrape: number): FamilySize[] {
  const compounds = new Set(names.filter(name => name.compound).map(name => name.text));
  const all = new Set(names.map(name => name.text));
  const sizes = new Map<string, { seriesCount: number; firstSeriesCount: number }>();
  for (const name of names) {
    const count = name.scrape === lastScrape ? name.count : 0;
    if (count === 0 && name.firstCount === 0) continue;
    const family = familyOf(name.text, compounds, all);
    const size = sizes.get(family) ?? { seriesCount: 0, firstSeriesCount: 0 };
    size.seriesCount += count;
    size.firstSeriesCount += name.firstCount;
    sizes.set(family, size);
  }
  const sorted = [...sizes].sort(([a, x], [b, y]) => y.seriesCount - x.seriesCount || (a < b ? -1 : 1));
  return sorted.slice(0, SHOWN).map(([name, size]) => ({ name, ...size }));
}

function familyOf(name: string, compounds: ReadonlySet<string>, all: ReadonlySet<string>): string {
  if (name.endsWith(CREATED)) {
    const base = name.slice(0, -CREATED.length);
    return compounds.has(base) ? base : all.has(`${base}_total`) ? `${base}_total` : name;
  }
  const part = PARTS.find(suffix => name.endsWith(suffix));
  if (part === undefined) return name;
  const base = name.slice(0, -part.length);
  return compounds.has(base) ? base : name;
}
