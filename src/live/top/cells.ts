/** The columns of each pane of `oakum top`. */
import { formatAge, formatBytes, formatCount, formatShare, signed } from '../../base/say.ts';
import { displayWidth } from '../../base/text-layout.ts';
import { shortened, visible } from '../../base/visible-text.ts';
import type { TopGoroutines } from './top.ts';
import type { Pane, Row } from './view.ts';
import { drawBins } from '../../report/phrases.ts';

interface Column {
  readonly title: string;
  /** With room for what changes, so that the others stay where they are. */
  readonly least?: number;
  readonly most: number;
  readonly right?: boolean;
  /** Only on screens at least this wide. */
  readonly from?: number;
  readonly text: (row: Row, shown: Shown) => string;
}

interface Shown {
  readonly ascii: boolean;
  /** Whether there is a column of ages. */
  readonly hasAges: boolean;
}

const HISTOGRAM_BINS = 8;
/** `> ` before the selected row. */
const MARK_WIDTH = 2;

const CHANGE: Column = {
  title: 'CHANGE/min',
  least: 10,
  most: 10,
  right: true,
  from: 36,
  text: row => changeText(row),
};
const AGES: Column = {
  title: 'AGES',
  most: 12,
  from: 70,
  text: (row, { ascii }) => (row.pane === 'goroutines' ? agesText(row.row, ascii) : ''),
};

/** The last column of each pane takes the rest of the line. */
const COLUMNS: Readonly<Record<Pane, readonly Column[]>> = {
  goroutines: [
    {
      ...{ title: 'COUNT', least: 7, most: 7, right: true },
      text: row => (row.pane === 'heap' ? '' : formatCount(row.row.count)),
    },
    CHANGE,
    AGES,
    {
      ...{ title: 'WAIT', most: 19, from: 50 },
      text: (row, { hasAges }) => (row.pane === 'goroutines' ? waitText(row.row, hasAges) : ''),
    },
    {
      ...{ title: 'OWNER', most: 18, from: 110 },
      text: row => (row.pane === 'goroutines' ? (row.row.owner ?? '') : ''),
    },
  ],
  heap: [
    {
      ...{ title: 'LIVE', least: 9, most: 9, right: true },
      text: row => (row.pane === 'heap' ? formatBytes(row.row.bytes) : ''),
    },
    CHANGE,
    {
      ...{ title: 'OBJECTS', least: 9, most: 9, right: true },
      text: row => (row.pane === 'heap' ? formatCount(row.row.objects) : ''),
    },
    {
      ...{ title: 'KEPT', least: 5, most: 5, right: true },
      text: row => (row.pane === 'heap' ? keptText(row.row.retainedShare) : ''),
    },
  ],
  labels: [
    {
      ...{ title: 'COUNT', least: 7, most: 7, right: true },
      text: row => (row.pane === 'labels' ? formatCount(row.row.count) : ''),
    },
    CHANGE,
    {
      ...{ title: 'FAMILIES', least: 8, most: 8, right: true },
      text: row => (row.pane === 'labels' ? `${row.row.families}` : ''),
    },
  ],
};

const LAST: Readonly<Record<Pane, string>> = { goroutines: 'FAMILY', heap: 'FAMILY', labels: 'LABELS' };

export interface Table {
  readonly header: string;
  /** Without the mark of the selected row. */
  readonly line: (row: Row) => string;
}

/** As wide as what it shows: empty columns go, and the histogram of ages goes where names need its room. */
export function tableOf(pane: Pane, rows: readonly Row[], width: number, ascii: boolean): Table {
  const all = COLUMNS[pane].filter(({ from = 0 }) => width >= from);
  const whole = fittedTo(rows, all, width, ascii);
  const isWhole = rows.every(row => plainLength(row, whole) <= whole.room);
  const table =
    isWhole || !whole.hasAges
      ? whole
      : fittedTo(
          rows,
          all.filter(column => column !== AGES),
          width,
          ascii,
        );
  const cells = table.columns.map(({ column, size }) => fitted(column.title, size, column.right));
  return {
    header: cut(`  ${[...cells, LAST[pane]].join(' ')}`, width),
    line: row => cut(rowLine(row, table), width - MARK_WIDTH),
  };
}

interface Fitted extends Shown {
  readonly columns: readonly { readonly column: Column; readonly size: number }[];
  readonly hasWaits: boolean;
  /** For the name. */
  readonly room: number;
}

function fittedTo(rows: readonly Row[], columns: readonly Column[], width: number, ascii: boolean): Fitted {
  const shown = { ascii, hasAges: columns.includes(AGES) && rows.some(row => AGES.text(row, EITHER) !== '') };
  const sized = columns.flatMap(column => {
    const longest = Math.max(0, ...rows.map(row => displayWidth(visible(column.text(row, shown)))));
    const isEmpty = longest === 0 || rows.every(row => column.text(row, shown) === UNKNOWN);
    const size = Math.min(column.most, Math.max(column.least ?? 0, displayWidth(column.title), longest));
    return isEmpty ? [] : [{ column, size }];
  });
  const used = sized.reduce((sum, { size }) => sum + size + 1, MARK_WIDTH);
  return {
    ...shown,
    columns: sized,
    hasWaits: sized.some(({ column }) => column.title === 'WAIT'),
    room: width - used,
  };
}

const EITHER: Shown = { ascii: true, hasAges: true };

function rowLine(row: Row, table: Fitted): string {
  const cells = table.columns.map(({ column, size }) => fitted(visible(column.text(row, table)), size, column.right));
  return [...cells, nameText(row, table)].join(' ');
}

/** The name of a row and, where there is room, what it means. */
function nameText(row: Row, table: Fitted): string {
  const { room, ascii } = table;
  if (row.pane === 'labels') return shortenedTo(visible(row.key), room, ascii);
  const whole = `${markOf(row)}${titleOf(row, table)}`;
  const title = displayWidth(whole) <= room ? whole : `${markOf(row)}${withoutPackages(titleOf(row, table))}`;
  const cause = row.row.cause === null ? '' : `  ${visible(row.row.cause)}`;
  const left = room - displayWidth(title);
  return shortenedTo(title, room, ascii) + (left > 20 ? shortenedTo(cause, left, ascii) : '');
}

function markOf(row: Row): string {
  return row.pane === 'labels' || row.row.verdict === null ? '' : `${row.row.verdict.toUpperCase()} `;
}

/** `main.forward` of `main.forward ← chan send`, beside a column that has the wait. */
function titleOf(row: Row, { hasWaits }: Pick<Fitted, 'hasWaits'>): string {
  if (row.pane === 'labels') return visible(row.key);
  const wait = row.pane === 'goroutines' && hasWaits ? row.row.wait : null;
  const { title } = row.row;
  return visible(wait !== null && title.endsWith(` ← ${wait}`) ? title.slice(0, -` ← ${wait}`.length) : title);
}

/** `(*podWorkers).podWorkerLoop` of `kubelet.(*podWorkers).podWorkerLoop`, which the open stack shows whole. */
function withoutPackages(title: string): string {
  return title.replace(/(^| )[\w.-]+?\.(?=\(|[A-Za-z]\w*(?:\.func\d+)*(?:$| ))/g, '$1');
}

function plainLength(row: Row, table: Fitted): number {
  return row.pane === 'labels' ? 0 : displayWidth(markOf(row) + withoutPackages(titleOf(row, table)));
}

function fitted(text: string, width: number, right = false): string {
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

/** With the first sample. */
const UNKNOWN = '-';

function changeText({ pane, row }: Row): string {
  const { perMinute } = row;
  if (perMinute === null) return UNKNOWN;
  if (Math.abs(perMinute) < 0.05) return '0';
  return signed(pane === 'heap' ? formatBytes(perMinute) : formatCount(perMinute));
}

function keptText(share: number | null): string {
  return share === null ? '' : formatShare(share);
}

/** With how long the oldest has waited, unless that stands beside it. */
function waitText({ wait, longestWaitMinutes, ages }: TopGoroutines, hasAges: boolean): string {
  const isTold = longestWaitMinutes === null || longestWaitMinutes === 0 || (hasAges && ages !== null);
  const longest = isTold ? '' : formatAge(longestWaitMinutes * 60);
  return [wait ?? '', longest].filter(part => part !== '').join(' ');
}

/** `▁▂▃▄▅▆▇█ 12m`: the youngest first, in at most eight bins. */
function agesText({ ages, longestWaitMinutes }: TopGoroutines, ascii: boolean): string {
  if (ages === null) return '';
  const each = Math.ceil(ages.bins.length / HISTOGRAM_BINS);
  const bins = Array.from({ length: Math.ceil(ages.bins.length / each) }, (_, i) =>
    ages.bins.slice(i * each, (i + 1) * each).reduce((sum, one) => sum + one, 0),
  );
  const oldest = longestWaitMinutes ?? ages.bins.length * ages.binMinutes;
  return `${drawBins(bins, ascii)} ${formatAge(oldest * 60)}`;
}
