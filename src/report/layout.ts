/** Named lines of a report. */
import { wrap } from '../base/text-layout.ts';
import type { Verdict } from '../judge/verdict.ts';

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

/** Colour, if the caller wants it: the CLI decides by --color, NO_COLOR and the terminal. */
export interface Style {
  strong(text: string): string;
  faint(text: string): string;
  verdict(verdict: Verdict, text: string): string;
}

export const PLAIN: Style = { strong: same, faint: same, verdict: (_, text) => text };

/** SGR codes. The words stay, so nothing depends on colour alone. */
const VERDICT_CODES: Readonly<Record<Verdict, string>> = {
  leak: '1;31',
  watch: '1;33',
  healthy: '1;36',
  unknown: '1;90',
};

export const ANSI: Style = {
  strong: text => sgr('1', text),
  faint: text => sgr('2', text),
  verdict: (verdict, text) => sgr(VERDICT_CODES[verdict], text),
};

function sgr(codes: string, text: string): string {
  return `\x1b[${codes}m${text}\x1b[0m`;
}

function same(text: string): string {
  return text;
}
