/** Lines, each of which is a JSON object or list. */
import { parseJson } from '../../base/json.ts';
import { decodeText } from '../../base/text.ts';
import type { FileContent } from './file-content.ts';

const MAX_LINE_BYTES = 100_000;

/** A file that is JSON as a whole is not JSON lines, even if it is a single line. */
export function sniffJsonLines(file: FileContent): boolean {
  if (!file.isJsonLike || file.json !== undefined) return false;
  const newline = file.bytes.indexOf(10);
  if (newline < 0 || newline > MAX_LINE_BYTES) return false;
  return parseJson(decodeText(file.bytes, 0, newline).replace(/^\ufeff/, '')) !== undefined;
}
