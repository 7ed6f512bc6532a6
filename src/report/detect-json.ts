/** A detection as data, `-o json`. */
import type { DetectedTarget, Detection } from '../judge/detect/recorded-detection.ts';
import { unicodeEscaped } from '../base/visible-text.ts';

const TARGETS = '\n  "targets": [';
/** One by one would be many small writes; texts of hundreds of kilobytes are not collected soon. */
const TARGETS_AT_ONCE = 8;

/** In pieces: thousands of targets as one text, and the copies made of it, take more memory than judging them. */
export function* renderDetectionJson(detection: Detection): Generator<string> {
  // Only the outermost level has this indentation, and no string has a line break in it.
  const [before = '', after = ''] = JSON.stringify({ ...detection, targets: [] }, null, 2).split(`${TARGETS}]`, 2);
  yield unicodeEscaped(`${before}${TARGETS}`);
  const { targets } = detection;
  for (let first = 0; first < targets.length; first += TARGETS_AT_ONCE) {
    const texts = targets.slice(first, first + TARGETS_AT_ONCE).map(targetText);
    yield unicodeEscaped(`${first === 0 ? '' : ','}\n    ${texts.join(',\n    ')}`);
  }
  yield unicodeEscaped(`${targets.length === 0 ? '' : '\n  '}]${after}\n`);
}

/** Each history is on one line: only programs read it. */
function targetText(target: DetectedTarget): string {
  return JSON.stringify(target, null, 2)
    .replace(
      /("history": )\[([^\]]*)\]/g,
      (_, key: string, values: string) => `${key}[${values.trim().replace(/\s+/g, ' ')}]`,
    )
    .replaceAll('\n', '\n    ');
}
