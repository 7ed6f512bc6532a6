/** The result of a command as data: `-o json`. */
import { unicodeEscaped, hasHidden } from '../base/visible-text.ts';
import { stringify } from 'yaml';
import type { DetectedTarget, Detection } from '../judge/detect/recorded-detection.ts';

/** Control and invisible characters are escaped: the value stays the same and is safe to print. */
export function renderJson(found: object): string {
  return `${unicodeEscaped(JSON.stringify(found, null, 2))}\n`;
}

/** On one line, within a text. */
export function jsonLine(value: unknown): string {
  return unicodeEscaped(JSON.stringify(value));
}

/** The result of a command as data: `-o yaml`. */
export function renderYaml(found: object): string {
  const options = { lineWidth: 0, aliasDuplicateObjects: false } as const;
  // Via JSON, which drops what cannot be serialised; a lone surrogate must not reach a UTF-8 stream.
  const plain = JSON.parse(JSON.stringify(found)) as unknown;
  const text = stringify(plain, options);
  if (!hasHidden(text.replaceAll('\n', ''))) return text;
  return unicodeEscaped(
    stringify(plain, {
      ...options,
      defaultStringType: 'QUOTE_DOUBLE',
      defaultKeyType: 'QUOTE_DOUBLE',
      blockQuote: false,
    }),
  );
}

/** A detection as data, `-o json`. */
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
