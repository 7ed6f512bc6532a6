/**
 * One screen of `oakum top`: as many lines as the terminal has rows, none wider than it.
 *
 *     LEAK  main leaks goroutines ...                              the verdict, one or two lines
 *     http://localhost:6060  5,529 goroutines +120/min ...         the process
 *     GOROUTINES  heap  labels   sorted by size   every 5s
 *       COUNT CHANGE/min AGES ...
 *     > 5,120       +120 ▁▇▆▆▆▆█▇ 12m ...                          rows; below the selected one its stack, if it is open
 *     ? help  q quit ...
 */
import { formatAge, formatCount } from '../../base/say.ts';
import { wrap } from '../../base/text-layout.ts';
import { visible } from '../../base/visible-text.ts';
import { headOf, type TopFrame, processText } from './top.ts';
import { cut, shortenedTo, tableOf } from './cells.ts';
import { PANES, type Row, rowsOf, selectedIndex, type View, labelText, FIRST_VIEW, type Pane } from './view.ts';
import { PLAIN, type Style } from '../../report/layout.ts';

const MAX_LABELS = 5;

/** The help page of `oakum top`. */
const HELP_LINES: readonly string[] = [
  'oakum top: what one process holds now, and how it changes',
  '',
  '  tab, g h l      the next pane; goroutines, live heap, labels',
  '  up down j k     select a row; page up, page down, home, end',
  '  enter           the stack of the selected row, with file:line',
  '  s               sort by size, change, longest wait or name',
  '  /               only rows with this text; esc clears',
  '  p               pause: take no samples',
  '  w               save a capture to a folder that oakum analyze reads',
  '  + -             sample less or more often',
  '  q, Ctrl-C       quit; Ctrl-Z suspends',
  '',
  '  CHANGE/min      over the last minute',
  '  AGES            goroutines by how long they have waited, the youngest first',
  '  KEPT            live objects of all that were ever allocated there',
  '',
  '  Heap profiles show the last garbage collection; none is forced. A list of',
  '  all goroutines stops the process: it is taken at most 1 % of the time, and',
  '  never of more than 10,000.',
];

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

export interface ScreenOptions {
  readonly style?: Style;
  readonly ascii?: boolean;
  /** Between two samples. */
  readonly everySeconds: number;
  /** The last line instead of the keys: what was saved, what failed. */
  readonly message?: string;
}

const VERDICT_LINES = 2;
/** Process, pane, header and keys. */
const FIXED_LINES = 4;
const KEYS = '? help  tab pane  s sort  / filter  enter stack  p pause  w save  q quit';

/** How many rows of the table fit. */
export function pageRowsOf({ rows }: Size): number {
  return Math.max(1, rows - VERDICT_LINES - FIXED_LINES);
}

export function drawScreen(frame: TopFrame | undefined, view: View, size: Size, options: ScreenOptions): string[] {
  const { style = PLAIN, ascii = false, message } = options;
  const width = size.columns;
  const last = lastLine(view, message, width, style, ascii);
  if (view.isHelp) return filled([...HELP_LINES.map(line => cut(line, width))], last, size);
  if (frame === undefined) return filled(['waiting for the first answer ...'], last, size);
  const head = [
    ...verdictLines(frame, width, style),
    style.faint(cut(processText(frame, width), width)),
    paneLine(view, options.everySeconds, frame, width, style),
  ];
  return filled([...head, ...tableLines(frame, view, size.rows - head.length - 2, width, style, ascii)], last, size);
}

/** Exactly as many lines as there are rows, the last one at the bottom. */
function filled(lines: readonly string[], last: string, { rows }: Size): string[] {
  const shown = lines.slice(0, Math.max(0, rows - 1));
  return [...shown, ...Array.from({ length: rows - 1 - shown.length }, () => ''), last];
}

function verdictLines(frame: TopFrame, width: number, style: Style): string[] {
  const { verdict } = frame;
  const { tag, sentence } = headOf(frame);
  const lines = wrap(visible(sentence), width - tag.length - 2);
  const [first = '', second] = lines;
  const rest = lines.length > VERDICT_LINES ? `${second} ...` : (second ?? '');
  const indent = ' '.repeat(tag.length + 2);
  return [
    `${style.verdict(verdict, tag)}  ${style.strong(cut(first, width - indent.length))}`,
    style.strong(cut(indent + rest, width)),
  ];
}

function paneLine(view: View, everySeconds: number, frame: TopFrame, width: number, style: Style): string {
  const names = PANES.map(pane => (pane === view.pane ? pane.toUpperCase() : pane)).join('  ');
  const filter = view.filter === '' ? '' : `  filter: ${visible(view.filter)}`;
  const pace = view.isPaused ? 'paused' : `every ${formatAge(everySeconds)}`;
  const count = rowsOf(frame, view).length;
  const rows = count === 1 ? '1 row' : `${formatCount(count)} rows`;
  const text = `${names}   ${rows} by ${view.sortBy}${filter}   ${pace}`;
  return style.strong(cut(text, width));
}

function tableLines(frame: TopFrame, view: View, room: number, width: number, style: Style, ascii: boolean): string[] {
  const rows = rowsOf(frame, view);
  if (rows.length === 0)
    return [style.strong(tableOf(view.pane, [], width, ascii).header), cut(emptyText(frame, view), width)];
  const selected = selectedIndex(rows, view);
  const open = view.isOpen ? rows[selected] : undefined;
  const details = open !== undefined ? detailLines(open, width, ascii).slice(0, Math.max(1, room - 2)) : [];
  const fits = Math.max(1, room - details.length);
  const first = Math.max(0, Math.min(selected - (fits >> 1), rows.length - fits));
  const shown = rows.slice(first, first + fits);
  const table = tableOf(view.pane, shown, width, ascii);
  const lines = shown.flatMap((row, i) => {
    const isSelected = first + i === selected;
    const line = `${isSelected ? '> ' : '  '}${table.line(row)}`;
    return [isSelected ? style.strong(line) : marked(row, line, style), ...(isSelected ? details : [])];
  });
  return [style.strong(table.header), ...lines];
}

function marked(row: Row, line: string, style: Style): string {
  if (row.pane === 'labels' || row.row.verdict === null) return line;
  return style.verdict(row.row.verdict, line);
}

function emptyText(frame: TopFrame, { pane, filter }: View): string {
  if (filter !== '') return `  no row has "${visible(filter)}" in its stack, cause, wait or labels`;
  if (pane === 'labels') return '  no goroutine of this process has labels';
  return `  no ${pane === 'heap' ? 'heap' : 'goroutine'} profile yet${frame.notes
    .slice(0, 1)
    .map(note => `: ${visible(note)}`)
    .join('')}`;
}

function lastLine(view: View, message: string | undefined, width: number, style: Style, ascii: boolean): string {
  if (view.isTyping) return cut(`filter: ${visible(view.filter)}_   enter keeps it, esc clears it`, width);
  if (view.isHelp) return style.faint(cut('any key goes back', width));
  return style.faint(message === undefined ? cut(KEYS, width) : shortenedTo(visible(message), width, ascii));
}

function detailLines(one: Row, width: number, ascii: boolean): string[] {
  const at = (text: string, indent: number): string =>
    ' '.repeat(indent) + shortenedTo(visible(text), width - indent, ascii);
  if (one.pane === 'labels') return [at(one.key, 4)];
  const { row } = one;
  const lines = row.cause === null ? [] : [at(row.cause, 4)];
  row.frames.forEach((frame, i) => lines.push(at(withPlace(frame, row.places[i]), 4)));
  if (one.pane === 'heap') return lines;
  const { createdBy, createdAt, owner, labels, family } = one.row;
  if (createdBy !== null) lines.push(at(`created by ${withPlace(createdBy, createdAt)}`, 4));
  const shown = labels.filter(set => Object.keys(set.labels).length > 0).slice(0, MAX_LABELS);
  for (const set of shown) lines.push(at(`${formatCount(set.count)} with ${labelText(set.labels)}`, 4));
  return [...lines, cut(`    ${family}${owner === null ? '' : `, of ${visible(owner)}`}`, width)];
}

function withPlace(name: string, place: string | null | undefined): string {
  return place == null ? name : `${name}  ${place}`;
}

export interface FrameTextOptions {
  readonly style?: Style;
  readonly ascii?: boolean;
  readonly width: number;
  /** Rows of each pane. */
  readonly rows: number;
}

/** A frame as text, for `oakum top --once`. */
export function frameText(frame: TopFrame, { width, rows, style = PLAIN, ascii = false }: FrameTextOptions): string {
  const { verdict, notes } = frame;
  const { tag, sentence } = headOf(frame);
  const lines = [
    `${style.verdict(verdict, tag)}  ${style.strong(visible(sentence))}`,
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
  const first = rows.slice(0, most);
  const table = tableOf(pane, first, width, ascii);
  const shown = first.map(row => `  ${table.line(row)}`.trimEnd());
  const left = rows.length - shown.length;
  return ['', table.header.trimEnd(), ...shown, ...(left > 0 ? [`  ... ${left} more`] : [])];
}
