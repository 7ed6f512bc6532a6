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
import { FormatError } from '../../base/errors.ts';
import { oneLine } from '../../base/text-layout.ts';
import { textStart, ByteScanner } from '../../base/byte-scan.ts';
import { JsonCursor } from './json-cursor.ts';
import { SeriesColumns, type RangeQuery } from './series-columns.ts';
import { parseValue, parseLabels } from './exposition.ts';
import { decodeText } from '../../base/text.ts';

/**
 * Samples as Prometheus writes nearly all of them: a time and a number in quotes, without spaces, signs and exponents.
 *
 *     [1794772040,"294"],[1794775640.25,"15.5"],[1794779240,"NaN"]
 *     ^ start                                  ^ end: the next sample has another form, which takes the slower way
 */
const ZERO = 0x30;
const DOT = 0x2e;
const COMMA = 0x2c;
const QUOTE = 0x22;
const OPEN = 0x5b;
const CLOSE = 0x5d;

/** What `readNumber` read, and where it ended. */
interface NumberRead {
  at: number;
  value: number;
}

/** Powers of ten that are exact as floating-point numbers. */
const TENS = Float64Array.from({ length: 23 }, (_, exponent) => Number(`1e${exponent}`));

/** `{"status":"error","errorType":"bad_data","error":"..."}`: what to ask instead. */
const HINTS: readonly (readonly [RegExp, string])[] = [
  [/exceeded maximum resolution/i, 'ask with a larger step, or for a shorter time'],
  [/too many samples|max.*samples|memory.*limit/i, 'ask for fewer series or a larger step'],
  [/parse error|bad_data|invalid parameter/i, 'check the query and its start, end and step'],
  [/timeout|timed out|deadline|canceled/i, 'ask for less at once'],
  [/not_found|unauthorized|forbidden/i, 'check the address and the right to query'],
];

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

function explainApiError(errorType: string, error: string): string {
  const hint = HINTS.find(([pattern]) => pattern.test(`${errorType} ${error}`))?.[1];
  const type = errorType === '' ? '' : ` (${errorType})`;
  return `no samples: Prometheus answered with an error${type}: ${error || 'no reason given'}${hint === undefined ? '' : `; ${hint}`}`;
}

/** Returns the end of the last sample that was read; `start` if the first one has another form. */
export function readPlainSamples(bytes: Uint8Array, start: number, columns: SeriesColumns): number {
  const number: NumberRead = { at: start, value: 0 };
  let end = start;
  let at = start;
  for (;;) {
    if (bytes[at] !== OPEN) return end;
    number.at = at + 1;
    if (!readNumber(bytes, number)) return end;
    const time = number.value;
    if (bytes[number.at] !== COMMA || bytes[number.at + 1] !== QUOTE) return end;
    number.at += 2;
    if (!readNumber(bytes, number)) return end;
    if (bytes[number.at] !== QUOTE || bytes[number.at + 1] !== CLOSE) return end;
    columns.push(time, number.value);
    end = number.at + 2;
    if (bytes[end] !== COMMA) return end;
    at = end + 1;
  }
}

/** Whether there is a number of digits, with or without a fraction, that can be read exactly. */
function readNumber(bytes: Uint8Array, number: NumberRead): boolean {
  let { at } = number;
  const first = at;
  let digits = 0;
  let digit = (bytes[at] ?? 0) - ZERO;
  for (; digit >= 0 && digit <= 9; digit = (bytes[++at] ?? 0) - ZERO) digits = digits * 10 + digit;
  if (at === first) return false;
  let scale = 0;
  if (bytes[at] === DOT) {
    const dot = at++;
    digit = (bytes[at] ?? 0) - ZERO;
    for (; digit >= 0 && digit <= 9; digit = (bytes[++at] ?? 0) - ZERO) digits = digits * 10 + digit;
    scale = at - dot - 1;
  }
  // Both are exact up to here, so their quotient is the nearest number.
  if (digits >= 2 ** 53 || scale > 22) return false;
  number.at = at;
  number.value = scale === 0 ? digits : digits / (TENS[scale] ?? NaN);
  return true;
}

/**
 * What `promtool query range` and `query instant` print:
 *
 *     go_goroutines{instance="a:10250", job="kubelet"} =>
 *     294 @[1794772040]
 *     295 @[1794772100.25]
 */
const SERIES = /^([a-zA-Z_:][\w:]*)?(?:\{(.*)\})? =>(?: (.*))?$/;
const SAMPLE = /^(\S+) @\[(-?[\d.]+(?:e[+-]?\d+)?)\]$/;

export function sniffPromtoolText(head: Uint8Array): boolean {
  const [first, second = ''] = decodeText(head, 0, Math.min(head.length, 8192)).split('\n', 2);
  const series = SERIES.exec(first.trimEnd());
  return series !== null && SAMPLE.test(series[3] ?? second.trimEnd());
}

function readPromtoolText(bytes: Uint8Array, columns: SeriesColumns): void {
  const scanner = new ByteScanner(bytes);
  let open = false;
  for (let start = 0, line = 1; start < bytes.length; line++) {
    const end = scanner.newline(start);
    const text = decodeText(bytes, start, end).trimEnd();
    start = end + 1;
    if (text === '') continue;
    const series = SERIES.exec(text);
    if (series !== null) {
      if (open) columns.end();
      columns.begin();
      columns.setLabels(labelsOf(series, line));
      open = true;
      if (series[3] !== undefined) sample(series[3], line, columns);
    } else if (open) sample(text, line, columns);
    else throw new FormatError('a series of promtool expected, e.g. go_goroutines{} =>', { line });
  }
  if (open) columns.end();
}

function labelsOf([, name = '', inner = '']: RegExpExecArray, line: number): Record<string, string> {
  const labels = parseLabels(inner)?.labels;
  if (labels === undefined) throw new FormatError('labels expected', { line });
  return { ...labels, ...(name === '' ? {} : { __name__: name }) };
}

function sample(text: string, line: number, columns: SeriesColumns): void {
  const [, number = '', time = ''] = SAMPLE.exec(text) ?? [];
  const value = parseValue(number);
  if (value === undefined) throw new FormatError('a sample of promtool expected, e.g. 294 @[1794772040]', { line });
  columns.push(Number(time), value);
}
