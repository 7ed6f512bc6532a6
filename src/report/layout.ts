/** Named lines of a report. */
import { wrap } from '../base/text-layout.ts';

export const MIN_WIDTH = 40;

/** `name  text`, wrapped under the text; more texts follow below the first. Items with `- ` have a hanging indent. */
export function named(name: string, texts: readonly string[], at: Place): string[] {
  const pad = ' '.repeat(at.indent);
  const column = at.indent + at.nameWidth;
  const room = Math.max(MIN_WIDTH, at.width) - column;
  const lines = texts.flatMap(text => (text.startsWith('- ') ? hanging(text.slice(2), room) : wrap(text, room)));
  return lines.map((line, i) => (i === 0 ? `${pad}${name.padEnd(at.nameWidth)}${line}` : ' '.repeat(column) + line));
}

function hanging(text: string, width: number): string[] {
  return wrap(text, width - 2).map((line, i) => (i === 0 ? `- ${line}` : `  ${line}`));
}

/** The layout of named lines. */
export interface Place {
  readonly indent: number;
  readonly nameWidth: number;
  readonly width: number;
}
