/** Whether a file is a log: lines with a time or a level before them, or the JSON of journald and Docker. */
import type { FileContent } from '../file-content.ts';
import { decodeText } from '../../../base/text.ts';
import { parseLogEntry } from './log-entry.ts';

const LOG_LINE =
  /^(?:[IWEF]\d{4} \d\d:\d\d:\d\d|\w{3} +\d{1,2} \d\d:\d\d:\d\d |\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d|time=["\d]|level=|\[ *\d+\.\d+\] |-- (?:Logs|Journal) begin)/;

/** At least half of the first lines must be of a log. */
export function sniffNodeLog(file: FileContent): boolean {
  if (!file.isText) return false;
  const text = decodeText(file.head, 0, 20_000).trimStart();
  if (file.isJsonLike) return parseLogEntry(firstLine(file)) !== undefined;
  const lines = text.split('\n', 50).filter(line => line.trim() !== '');
  const logged = lines.filter(line => LOG_LINE.test(line)).length;
  return logged > 0 && logged * 2 >= lines.length;
}

function firstLine({ head }: FileContent): string {
  const newline = head.indexOf(10);
  return decodeText(head, 0, newline < 0 ? head.length : newline);
}
