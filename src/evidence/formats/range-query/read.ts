/**
 * Answers of the Prometheus HTTP API to `/api/v1/query_range` and `/api/v1/query`, as `curl` saves them, and the same
 * as `promtool query` prints it.
 *
 *     {"status":"success","data":{"resultType":"matrix","result":[
 *       {"metric":{"__name__":"go_goroutines","instance":"a:10250"},"values":[[1794772040,"294"], ...]}, ...]}}
 *
 *     const { series, samples } = readRangeQuery(bytes);
 *
 * A file may hold several answers, one after another. If an answer is cut, the series before the cut are read.
 */
import { FormatError } from '../../../base/errors.ts';
import { oneLine } from '../../../base/text-layout.ts';
import { parseValue } from '../exposition/value.ts';
import { textStart } from '../../../base/byte-scan.ts';
import { explainApiError } from './api-error.ts';
import { JsonCursor } from './json-cursor.ts';
import { readPlainSamples } from './plain-samples.ts';
import { readPromtoolText, sniffPromtoolText } from './promtool-text.ts';
import { SeriesColumns, type RangeQuery } from './series-columns.ts';

/** What a note about a warning begins with. */
export const WARNING = 'Prometheus warns: ';
const MAX_WARNING = 300;

export interface RangeQueryOptions {
  /** Which metrics to keep; all by default. Series without a name are always kept. */
  readonly select?: (name: string) => boolean;
}

/** Throws a FormatError when nothing can be read, or when the answer says that the query failed. */
export function readRangeQuery(bytes: Uint8Array, options: RangeQueryOptions = {}): RangeQuery {
  const columns = new SeriesColumns(options.select ?? (() => true));
  if (sniffPromtoolText(bytes)) readPromtoolText(bytes, columns);
  else readAnswers(bytes, columns);
  return columns.finish();
}

function readAnswers(bytes: Uint8Array, columns: SeriesColumns): void {
  const cursor = new JsonCursor(bytes, textStart(bytes));
  try {
    while (cursor.peek() !== '') new AnswerReader(cursor, columns).read();
  } catch (error) {
    if (!(error instanceof FormatError) || columns.seriesCount === 0) throw error;
    columns.note(`${error.describe()}; the ${columns.seriesCount} series before it were read`);
  }
}

class AnswerReader {
  private readonly cursor: JsonCursor;
  private readonly columns: SeriesColumns;
  private status = '';
  private errorType = '';
  private error = '';
  private histograms = 0;

  constructor(cursor: JsonCursor, columns: SeriesColumns) {
    this.cursor = cursor;
    this.columns = columns;
  }

  /** A whole answer, its `data`, or only the list of series, which is what promtool prints as JSON. */
  read(): void {
    const { cursor, columns } = this;
    if (cursor.peek() === '[') this.result();
    else cursor.object(key => this.member(key));
    if (this.status === 'error') throw new FormatError(explainApiError(this.errorType, this.error));
    if (this.histograms > 0) columns.note(`${this.histograms} series of native histograms are not used`);
  }

  private member(key: string): void {
    const { cursor } = this;
    if (key === 'status') this.status = cursor.string();
    else if (key === 'errorType') this.errorType = cursor.string();
    else if (key === 'error') this.error = cursor.string();
    else if (key === 'warnings' && cursor.peek() === '[') cursor.array(() => this.warning());
    else if (key === 'data' && cursor.peek() === '{') cursor.object(inner => this.dataMember(inner));
    else if (key === 'data' && cursor.peek() === '[') this.list();
    else this.dataMember(key);
  }

  private dataMember(key: string): void {
    if (key === 'resultType') this.resultType();
    else if (key === 'result' && this.cursor.peek() === '[') this.result();
    else this.cursor.skip();
  }

  /** Thanos says here that a store did not answer: gaps may look like falls. */
  private warning(): void {
    const { cursor, columns } = this;
    if (cursor.peek() === '"') columns.note(`${WARNING}${oneLine(cursor.string()).slice(0, MAX_WARNING)}`);
    else cursor.skip();
  }

  private list(): void {
    this.cursor.skip();
    this.columns.note('a list of names or labels, not of samples: ask /api/v1/query_range');
  }

  private resultType(): void {
    const type = this.cursor.string();
    if (type === 'scalar' || type === 'string') this.columns.note(`a ${type} is no series: query the metric itself`);
  }

  private result(): void {
    const { cursor, columns } = this;
    let count = 0;
    cursor.array(() => {
      // The numbers of a scalar stand where series are expected.
      if (cursor.peek() !== '{') return cursor.skip();
      count++;
      this.seriesObject();
    });
    if (count === 0) columns.note('the query found no series');
  }

  private seriesObject(): void {
    const { cursor, columns } = this;
    columns.begin();
    cursor.object(key => {
      if (key === 'metric') columns.setLabels(this.labels());
      else if (key === 'values') cursor.array(() => this.samples());
      else if (key === 'value') this.sample();
      else {
        if (key.startsWith('histogram')) this.histograms++;
        cursor.skip();
      }
    });
    columns.end();
  }

  private labels(): Record<string, string> {
    const labels = Object.create(null) as Record<string, string>;
    this.cursor.object(key => void (labels[key] = this.cursor.string()));
    return labels;
  }

  /** One sample, and those behind it that are written as nearly all are. */
  private samples(): void {
    const { cursor, columns } = this;
    cursor.peek();
    const end = readPlainSamples(cursor.bytes, cursor.at, columns);
    if (end === cursor.at) this.sample();
    else cursor.at = end;
  }

  /** `[1794772040.5,"294"]` */
  private sample(): void {
    const { cursor } = this;
    cursor.expect('[');
    let time = cursor.plainNumber();
    if (Number.isNaN(time)) time = Number(cursor.word());
    cursor.expect(',');
    const value = this.value();
    if (value === undefined || !Number.isFinite(time)) return cursor.fail('a time and a number expected');
    cursor.expect(']');
    this.columns.push(time, value);
  }

  private value(): number | undefined {
    const { cursor } = this;
    if (cursor.peek() !== '"') return parseValue(cursor.word());
    const start = cursor.at++;
    const plain = cursor.plainNumber();
    if (!Number.isNaN(plain) && cursor.take('"')) return plain;
    cursor.at = start;
    return parseValue(cursor.string());
  }
}
