/** The columns of each pane of `oakum top`. */
import { formatAge, formatBytes, formatCount, formatShare, signed } from '../../base/say.ts';
import { displayWidth } from '../../base/text-layout.ts';
import { shortened, visible } from '../../base/visible-text.ts';
import type { TopAges } from './top.ts';
import type { Pane, Row } from './view.ts';
import { drawBins } from '../../report/phrases.ts';

interface Column {
  readonly title: string;
  readonly width: number;
  readonly right?: boolean;
  /** Only on screens at least this wide. */
  readonly from?: number;
  readonly text: (row: Row, ascii: boolean) => string;
}

const HISTOGRAM_BINS = 8;
/** `> ` before the selected row. */
const MARK_WIDTH = 2;

const CHANGE: Column = { title: 'CHANGE/min', width: 10, right: true, text: row => changeText(row) };

/** The last column of each pane takes the rest of the line. */
const COLUMNS: Readonly<Record<Pane, readonly Column[]>> = {
  goroutines: [
    { title: 'COUNT', width: 7, right: true, text: row => (row.pane === 'heap' ? '' : formatCount(row.row.count)) },
    CHANGE,
    {
      title: 'AGES',
      width: 12,
      from: 70,
      text: (row, ascii) => (row.pane === 'goroutines' ? agesText(row.row.ages, ascii) : ''),
    },
    { title: 'WAIT', width: 16, from: 50, text: row => (row.pane === 'goroutines' ? waitText(row.row) : '') },
    { title: 'OWNER', width: 18, from: 110, text: row => (row.pane === 'goroutines' ? (row.row.owner ?? '') : '') },
  ],
  heap: [
    { title: 'LIVE', width: 9, right: true, text: row => (row.pane === 'heap' ? formatBytes(row.row.bytes) : '') },
    CHANGE,
    { title: 'OBJECTS', width: 9, right: true, text: row => (row.pane === 'heap' ? formatCount(row.row.objects) : '') },
    { title: 'KEPT', width: 5, right: true, text: row => (row.pane === 'heap' ? keptText(row.row.retainedShare) : '') },
  ],
  labels: [
    { title: 'COUNT', width: 7, right: true, text: row => (row.pane === 'labels' ? formatCount(row.row.count) : '') },
    CHANGE,
    { title: 'FAMILIES', width: 8, right: true, text: row => (row.pane === 'labels' ? `${row.row.families}` : '') },
  ],
};

const LAST: Readonly<Record<Pane, string>> = { goroutines: 'FAMILY', heap: 'FAMILY', labels: 'LABELS' };

export function headerLine(pane: Pane, width: number): string {
  const cells = columnsFor(pane, width).map(column => fitted(column.title, column));
  return cut(`  ${[...cells, LAST[pane]].join(' ')}`, width);
}

export function rowLine(row: Row, width: number, ascii: boolean): string {
  const cells = columnsFor(row.pane, width).map(column => fitted(visible(column.text(row, ascii)), column));
  const before = cells.reduce((sum, cell) => sum + displayWidth(cell) + 1, MARK_WIDTH);
  return cut(`${cells.join(' ')} ${nameText(row, width - before, ascii)}`, width - MARK_WIDTH);
}

/** The name of a row and, where there is room, what it means. */
function nameText(row: Row, room: number, ascii: boolean): string {
  if (row.pane === 'labels') return shortenedTo(visible(row.key), room, ascii);
  const mark = row.row.verdict === null ? '' : `${row.row.verdict.toUpperCase()} `;
  const title = `${mark}${visible(row.row.title)}`;
  const cause = row.row.cause === null ? '' : `  ${visible(row.row.cause)}`;
  const left = room - displayWidth(title);
  return shortenedTo(title, room, ascii) + (left > 20 ? shortenedTo(cause, left, ascii) : '');
}

function columnsFor(pane: Pane, width: number): readonly Column[] {
  return COLUMNS[pane].filter(({ from = 0 }) => width >= from);
}

function fitted(text: string, { width, right = false }: Column): string {
  const shown = cut(text, width);
  const pad = ' '.repeat(width - displayWidth(shown));
  return right ? pad + shown : shown + pad;
}

/** Cut at the end. */
export function cut(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  let out = '';
  let used = 0;
  for (const char of text) {
    used += displayWidth(char);
    if (used > width) break;
    out += char;
  }
  return out;
}

export function shortenedTo(text: string, width: number, ascii: boolean): string {
  const shown = width < 4 ? cut(text, Math.max(0, width)) : shortened(text, width);
  return ascii ? shown.replace(/[…→←]/g, sign => ASCII_SIGNS[sign] ?? '?') : shown;
}

/** For terminals without UTF-8. */
const ASCII_SIGNS: Readonly<Record<string, string>> = { '…': '~', '→': '>', '←': '<' };

function changeText({ pane, row }: Row): string {
  const { perMinute } = row;
  if (perMinute === null) return '-';
  if (Math.abs(perMinute) < 0.05) return '0';
  return signed(pane === 'heap' ? formatBytes(perMinute) : formatCount(perMinute));
}

function keptText(share: number | null): string {
  return share === null ? '' : formatShare(share);
}

function waitText({ wait, longestWaitMinutes }: { wait: string | null; longestWaitMinutes: number | null }): string {
  const longest = longestWaitMinutes === null || longestWaitMinutes === 0 ? '' : formatAge(longestWaitMinutes * 60);
  return [wait ?? '', longest].filter(part => part !== '').join(' ');
}

/** `▁▂▃▄▅▆▇█ 12m`: the youngest first, in at most eight bins. */
function agesText(ages: TopAges | null, ascii: boolean): string {
  if (ages === null) return '';
  const each = Math.ceil(ages.bins.length / HISTOGRAM_BINS);
  const bins = Array.from({ length: Math.ceil(ages.bins.length / each) }, (_, i) =>
    ages.bins.slice(i * each, (i + 1) * each).reduce((sum, one) => sum + one, 0),
  );
  return `${drawBins(bins, ascii)} ${formatAge(ages.bins.length * ages.binMinutes * 60)}`;
}
