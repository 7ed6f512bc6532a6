/** What the user wants to see of the frames of `oakum top`, and how keys change it. */
import type { TopFrame, TopGoroutines, TopHeap, TopLabel } from './top.ts';

export type Pane = 'goroutines' | 'heap' | 'labels';
export const PANES: readonly Pane[] = ['goroutines', 'heap', 'labels'];

export type SortBy = 'size' | 'change' | 'wait' | 'name';

export interface View {
  readonly pane: Pane;
  readonly sortBy: SortBy;
  /** Rows that contain it, in any case. */
  readonly filter: string;
  /** The filter is being typed. */
  readonly isTyping: boolean;
  /** The key of the selected row; '' before any was chosen, which is the first. */
  readonly selected: string;
  /** Its stack is shown. */
  readonly isOpen: boolean;
  readonly isPaused: boolean;
  readonly isHelp: boolean;
}

export const FIRST_VIEW: View = {
  pane: 'goroutines',
  sortBy: 'size',
  filter: '',
  isTyping: false,
  selected: '',
  isOpen: false,
  isPaused: false,
  isHelp: false,
};

export type Row =
  | { readonly pane: 'goroutines'; readonly key: string; readonly row: TopGoroutines }
  | { readonly pane: 'heap'; readonly key: string; readonly row: TopHeap }
  | { readonly pane: 'labels'; readonly key: string; readonly row: TopLabel };

/** The rows of the pane that pass the filter, in order. */
export function rowsOf(frame: TopFrame, { pane, sortBy, filter }: View): Row[] {
  const wanted = filter.toLowerCase();
  return allRows(frame, pane)
    .filter(row => wanted === '' || textOf(row).toLowerCase().includes(wanted))
    .sort((a, b) => order(a, b, sortBy) || sizeOf(b) - sizeOf(a) || (a.key < b.key ? -1 : 1));
}

function allRows(frame: TopFrame, pane: Pane): Row[] {
  if (pane === 'goroutines') return frame.goroutines.map(row => ({ pane, key: row.family, row }));
  if (pane === 'heap') return frame.heap.map(row => ({ pane, key: row.family, row }));
  return frame.labels.map(row => ({ pane, key: labelText(row.labels), row }));
}

export function labelText(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(' ');
}

function textOf(one: Row): string {
  if (one.pane === 'labels') return one.key;
  const { title, cause, frames } = one.row;
  const more = one.pane === 'goroutines' ? [one.row.wait, one.row.owner, ...one.row.labels.map(labelsOf)] : [];
  return [title, cause, ...frames, ...more].join('\n');
}

function labelsOf({ labels }: { readonly labels: Readonly<Record<string, string>> }): string {
  return labelText(labels);
}

function sizeOf(one: Row): number {
  return one.pane === 'heap' ? one.row.bytes : one.row.count;
}

function order(a: Row, b: Row, sortBy: SortBy): number {
  if (sortBy === 'change') return (b.row.perMinute ?? -Infinity) - (a.row.perMinute ?? -Infinity) || 0;
  if (sortBy === 'wait') return waitOf(b) - waitOf(a);
  if (sortBy === 'name') return nameOf(a) < nameOf(b) ? -1 : nameOf(a) > nameOf(b) ? 1 : 0;
  return 0;
}

function waitOf(one: Row): number {
  return one.pane === 'goroutines' ? (one.row.longestWaitMinutes ?? -1) : -1;
}

function nameOf(one: Row): string {
  return one.pane === 'labels' ? one.key : one.row.title;
}

const SORTS: Readonly<Record<Pane, readonly SortBy[]>> = {
  goroutines: ['size', 'change', 'wait', 'name'],
  heap: ['size', 'change', 'name'],
  labels: ['size', 'change', 'name'],
};

/** Keys as the terminal adapter names them: `a`, `up`, `page-down`, `enter`, `escape`, `backspace`, `tab`. */
export function withKey(view: View, key: string, frame: TopFrame | undefined, pageRows: number): View {
  if (view.isTyping) return typed(view, key);
  if (view.isHelp) return { ...view, isHelp: false };
  switch (key) {
    case '?':
      return { ...view, isHelp: true };
    case 'tab':
      return inPane(view, nextOf(PANES, view.pane));
    case 'g':
      return inPane(view, 'goroutines');
    case 'h':
      return inPane(view, 'heap');
    case 'l':
      return inPane(view, 'labels');
    case 's':
      return { ...view, sortBy: nextOf(SORTS[view.pane], view.sortBy) };
    case '/':
      return { ...view, isTyping: true };
    case 'p':
      return { ...view, isPaused: !view.isPaused };
    case 'enter':
    case ' ':
      return { ...view, isOpen: !view.isOpen };
    case 'escape':
      return view.isOpen ? { ...view, isOpen: false } : { ...view, filter: '' };
    default: {
      const steps = stepsOf(key, pageRows);
      return steps === 0 || frame === undefined ? view : moved(view, rowsOf(frame, view), steps);
    }
  }
}

function typed(view: View, key: string): View {
  if (key === 'enter') return { ...view, isTyping: false };
  if (key === 'escape') return { ...view, isTyping: false, filter: '' };
  if (key === 'backspace') return { ...view, filter: [...view.filter].slice(0, -1).join('') };
  return [...key].length === 1 ? { ...view, filter: view.filter + key } : view;
}

function inPane(view: View, pane: Pane): View {
  if (pane === view.pane) return view;
  const sortBy = SORTS[pane].includes(view.sortBy) ? view.sortBy : 'size';
  return { ...view, pane, sortBy, selected: '', isOpen: false };
}

function nextOf<T>(all: readonly T[], one: T): T {
  return all[(all.indexOf(one) + 1) % all.length] ?? one;
}

function stepsOf(key: string, pageRows: number): number {
  const steps: Readonly<Record<string, number>> = {
    up: -1,
    k: -1,
    down: 1,
    j: 1,
    'page-up': -pageRows,
    'page-down': pageRows,
    home: -Infinity,
    end: Infinity,
  };
  return Object.hasOwn(steps, key) ? (steps[key] ?? 0) : 0;
}

function moved(view: View, rows: readonly Row[], steps: number): View {
  const to = Math.min(rows.length - 1, Math.max(0, selectedIndex(rows, view) + steps));
  return { ...view, selected: rows[to]?.key ?? '' };
}

/** A row that went away leaves the selection at the top. */
export function selectedIndex(rows: readonly Row[], { selected }: View): number {
  return Math.max(
    0,
    rows.findIndex(({ key }) => key === selected),
  );
}
