/** What a command found, as it is: `-o json`. */
import { unicodeEscaped } from '../base/visible-text.ts';

/** Control and invisible characters are written as escapes: the value is the same and a terminal is safe. */
export function renderJson(found: object): string {
  return `${unicodeEscaped(JSON.stringify(found, null, 2))}\n`;
}
