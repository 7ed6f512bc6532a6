/** A detection as data, `-o json`. */
import type { Detection } from '../model/recorded-detection.ts';
import { unicodeEscaped } from '../base/visible-text.ts';

/** Each history is on one line: only programs read it. */
export function renderDetectionJson(detection: Detection): string {
  const text = JSON.stringify(detection, null, 2);
  const compact = text.replace(
    /("history": )\[([^\]]*)\]/g,
    (_, key: string, values: string) => `${key}[${values.trim().replace(/\s+/g, ' ')}]`,
  );
  return `${unicodeEscaped(compact)}\n`;
}
