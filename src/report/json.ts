/** The result of a command as data: `-o json`. */
import { unicodeEscaped } from '../base/visible-text.ts';

/** Control and invisible characters are escaped: the value stays the same and is safe to print. */
export function renderJson(found: object): string {
  return `${unicodeEscaped(JSON.stringify(found, null, 2))}\n`;
}
