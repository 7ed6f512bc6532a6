/** Whether a file is metrics text, by how it begins. */
import { decodeText } from '../../../base/text.ts';
import { parseScrapeMark } from './exposition.ts';

const METADATA = /^# (?:HELP|TYPE|UNIT) [a-zA-Z_:"][^\s]*(?:\s|$)/;
const SAMPLE =
  /^(?:[a-zA-Z_:][a-zA-Z0-9_:.]*)?(?:\{(?:[^{}"]|"(?:[^"\\]|\\.)*")*\})?[ \t]+[+-]?(?:[\d.]+(?:[eE][+-]?\d+)?|NaN|[Ii]nf)(?:[ \t]+-?[\d.]+)?(?: # .*)?\r?$/;

/** Metadata lines or a scrape mark decide at once; without them the first lines must all be samples. */
export function sniffExposition(head: Uint8Array): boolean {
  const lines = decodeText(head.subarray(0, 8192)).split('\n');
  // The last line may be cut.
  if (lines.length > 1) lines.pop();
  let samples = 0;
  for (const line of lines.slice(0, 40)) {
    if (line.trim() === '') continue;
    if (METADATA.test(line) || line.trimEnd() === '# EOF') return true;
    if (line.startsWith('#')) {
      if (parseScrapeMark(line) !== undefined) return true;
      continue;
    }
    if (!SAMPLE.test(line)) return false;
    // `main;work 3` is a folded stack, `3 @ 0x1` a profile: neither begins like a metric that is known.
    if (
      !/^(?:\{__name__="|go_|process_|\w+(?::\w+)*\{|\w*_(?:total|bytes|seconds|count|sum|bucket|info|pods|goroutines)\b)/.test(
        line,
      )
    ) {
      continue;
    }
    samples++;
  }
  return samples > 0;
}
