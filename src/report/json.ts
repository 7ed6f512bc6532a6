/** The analysis itself, `-o json`. */
import type { Analysis } from '../model/analysis.ts';
import { unicodeEscaped } from './visible-text.ts';

/** Control and invisible characters are written as escapes: the value is the same and a terminal is safe. */
export function renderJson(analysis: Analysis): string {
  return `${unicodeEscaped(JSON.stringify(analysis, null, 2))}\n`;
}
