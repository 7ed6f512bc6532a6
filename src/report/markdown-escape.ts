/**
 * Markdown that tenants cannot change: label values, paths and targets are put into code spans or fences, where nothing
 * is interpreted, and prose that may contain them is escaped.
 */
import { visible } from '../base/visible-text.ts';

/** Invisible; keeps GitHub from making @mentions, #references and links out of plain text. */
const JOINER = '\u2060';

export function prose(text: string): string {
  return visible(text)
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/[\\*_[\]~$]/g, '\\$&')
    .replace(/@(?=\w)/g, `@${JOINER}`)
    .replace(/(^|[^\w]|\w\/[\w.-]+)#(?=\d)/g, `$1#${JOINER}`)
    .replace(/`/g, '&#96;')
    .replace(/\|/g, '&#124;')
    .replace(/:\/\//g, `:${JOINER}//`)
    .replace(/\bwww\./gi, match => `${match.slice(0, -1)}${JOINER}.`)
    .replace(/^(\s*)([#+-]|\d+(?=[.)](?:\s|$)))/, (_, space: string, mark: string) =>
      /\d/.test(mark) ? `${space}${mark}\\` : `${space}\\${mark}`,
    );
}

/** Code inside a table, where a pipe would end the cell. */
export function codeCell(text: string): string {
  return code(text).replace(/\|/g, '\\|');
}

export function code(text: string): string {
  const shown = visible(text);
  if (shown === '') return '` `';
  const ticks = '`'.repeat(longestRun(shown) + 1);
  const space = shown.startsWith('`') || shown.endsWith('`') ? ' ' : '';
  return `${ticks}${space}${shown}${space}${ticks}`;
}

export function fenced(lines: readonly string[], language = ''): string[] {
  const shown = lines.map(visible);
  const fence = '`'.repeat(Math.max(3, longestRun(shown.join('\n')) + 1));
  return [`${fence}${language}`, ...shown, fence];
}

function longestRun(text: string): number {
  return Math.max(0, ...Array.from(text.matchAll(/`+/g), match => match[0].length));
}
