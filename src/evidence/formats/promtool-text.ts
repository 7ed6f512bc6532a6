/**
 * What `promtool query range` and `query instant` print:
 *
 *     go_goroutines{instance="a:10250", job="kubelet"} =>
 *     294 @[1794772040]
 *     295 @[1794772100.25]
 */
import { FormatError } from '../../base/errors.ts';
import { decodeText } from '../../base/text.ts';
import { ByteScanner } from '../../base/byte-scan.ts';
import type { SeriesColumns } from './series-columns.ts';
import { parseValue, parseLabels } from './exposition/exposition.ts';

const SERIES = /^([a-zA-Z_:][\w:]*)?(?:\{(.*)\})? =>(?: (.*))?$/;
const SAMPLE = /^(\S+) @\[(-?[\d.]+(?:e[+-]?\d+)?)\]$/;

export function sniffPromtoolText(head: Uint8Array): boolean {
  const [first, second = ''] = decodeText(head, 0, Math.min(head.length, 8192)).split('\n', 2);
  const series = SERIES.exec(first.trimEnd());
  return series !== null && SAMPLE.test(series[3] ?? second.trimEnd());
}

export function readPromtoolText(bytes: Uint8Array, columns: SeriesColumns): void {
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
