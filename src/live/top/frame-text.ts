/** A frame as text, for `oakum top --once`. */
import { visible } from '../../base/visible-text.ts';
import { type TopFrame, processText } from './top.ts';
import { headerLine, rowLine } from './cells.ts';
import { FIRST_VIEW, type Pane, PANES, rowsOf } from './view.ts';
import { PLAIN, type Style } from '../../report/layout.ts';

export interface FrameTextOptions {
  readonly style?: Style;
  readonly ascii?: boolean;
  readonly width: number;
  /** Rows of each pane. */
  readonly rows: number;
}

export function frameText(frame: TopFrame, { width, rows, style = PLAIN, ascii = false }: FrameTextOptions): string {
  const { verdict, sentence, notes } = frame;
  const lines = [
    `${style.verdict(verdict, verdict.toUpperCase())}  ${style.strong(visible(sentence))}`,
    // Notes follow below.
    processText({ ...frame, notes: [] }),
    ...PANES.flatMap(pane => paneText(frame, pane, width, rows, ascii)),
    ...(notes.length > 0 ? ['', ...notes.map(note => `note: ${visible(note)}`)] : []),
  ];
  return `${lines.join('\n')}\n`;
}

function paneText(frame: TopFrame, pane: Pane, width: number, most: number, ascii: boolean): string[] {
  const rows = rowsOf(frame, { ...FIRST_VIEW, pane });
  if (rows.length === 0) return [];
  const shown = rows.slice(0, most).map(row => `  ${rowLine(row, width, ascii)}`.trimEnd());
  const left = rows.length - shown.length;
  return ['', headerLine(pane, width).trimEnd(), ...shown, ...(left > 0 ? [`  ... ${left} more`] : [])];
}
