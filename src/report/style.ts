/** Colour, if the caller wants it: the CLI decides by --color, NO_COLOR and the terminal. */
import type { Verdict } from '../judge/verdict.ts';

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
