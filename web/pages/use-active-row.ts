import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { FleetRow, FleetView } from '../../src/watch/views/fleet.ts';
import { setQuery } from '../state/router.ts';
import type { Fleet } from './use-fleet.ts';

export interface PlacedRow {
  /** Its place among the rows that match. */
  readonly index: number;
  readonly row: FleetRow;
}

export interface ActiveRow {
  /** Undefined if there is none, or if the filter hides it. */
  readonly active: PlacedRow | undefined;
  readonly move: (to: number, focus?: boolean) => void;
}

/** Browsers limit how often a page may change the address. */
const PAUSE_MS = 400;
/** Pixels that the table's head and the line below the table cover. */
const [HEAD_HEIGHT, FOOT_HEIGHT] = [40, 56];

/** The row that the keyboard is on. The address follows after a pause. */
export function useActiveRow(
  view: FleetView,
  fleet: Pick<Fleet, 'rows' | 'followed' | 'follow'>,
  selected: string | null,
  body: { readonly current: HTMLElement | null },
  rowHeight: number,
  rowCount: number,
): ActiveRow {
  const [name, setName] = useState(selected);
  const known = useRef<{ readonly rows: string; readonly placed: PlacedRow }>(undefined);
  /** The target whose row is to get the focus. */
  const wantsFocus = useRef<string>(undefined);
  /** A row that is asked for and not loaded yet. */
  const awaited = useRef<{ readonly to: number; readonly focus: boolean }>(undefined);

  // Rows are elements of places, not of targets: the focus follows the target.
  const hasFocus = document.activeElement?.closest('.fleet-target') != null;
  const active = name === null ? undefined : placeOf(name, view, fleet, known.current);
  known.current = active === undefined ? undefined : { rows: fleet.rows, placed: active };

  useLayoutEffect(() => {
    const { current: next } = awaited;
    const row = next === undefined ? undefined : view.rows[next.to - view.offset];
    if (next === undefined || row === undefined) return;
    awaited.current = undefined;
    choose(row, next.focus);
  }, [view]);
  useLayoutEffect(() => {
    const isWanted = active !== undefined && wantsFocus.current === active.row.target;
    if (active === undefined || !(isWanted || hasFocus)) return;
    const link = body.current?.querySelector<HTMLElement>(`[data-row="${active.index}"] .fleet-target a`);
    if (link !== document.activeElement) link?.focus({ preventScroll: true });
    if (!isWanted) return;
    wantsFocus.current = undefined;
    scrollToRow(body.current, active.index * rowHeight, rowHeight);
  });
  useEffect(() => {
    // Returning to this page: scroll to the row in the address.
    if (active !== undefined && active.index > 0) scrollToRow(body.current, active.index * rowHeight, rowHeight);
  }, []);
  useEffect(() => {
    if (name === selected) return;
    const timer = setTimeout(() => setQuery({ row: name }), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [name]);

  const choose = (row: FleetRow, focus: boolean): void => {
    wantsFocus.current = focus ? row.target : undefined;
    fleet.follow(row.target);
    setName(row.target);
  };
  const move = (to: number, focus = true): void => {
    if (rowCount === 0) return;
    const index = Math.max(0, Math.min(rowCount - 1, to));
    const row = view.rows[index - view.offset];
    awaited.current = row === undefined ? { to: index, focus } : undefined;
    if (row !== undefined) choose(row, focus);
    else scrollToRow(body.current, index * rowHeight, rowHeight);
  };
  return { active, move };
}

/** Where a target is: among the rows that are loaded, or as the server says, or where it was last seen. */
function placeOf(
  name: string,
  view: FleetView,
  { rows, followed }: Pick<Fleet, 'rows' | 'followed'>,
  known: { readonly rows: string; readonly placed: PlacedRow } | undefined,
): PlacedRow | undefined {
  const loaded = view.rows.findIndex(({ target }) => target === name);
  const row = view.rows[loaded];
  if (row !== undefined) return { index: view.offset + loaded, row };
  if (followed === name) return view.found ?? undefined;
  return known?.rows === rows && known.placed.row.target === name ? known.placed : undefined;
}

function scrollToRow(body: HTMLElement | null, top: number, rowHeight: number): void {
  if (body === null) return;
  const y = body.getBoundingClientRect().top + top;
  if (y < HEAD_HEIGHT) scrollBy(0, y - HEAD_HEIGHT);
  else if (y + rowHeight > innerHeight - FOOT_HEIGHT) scrollBy(0, y + rowHeight - innerHeight + FOOT_HEIGHT);
}

/** Other rows begin at the top: shows it if the page is scrolled below. */
export function useScrollToFirst(
  body: { readonly current: HTMLElement | null },
  rows: string,
  isAllowed: () => boolean,
): void {
  const before = useRef(rows);
  useLayoutEffect(() => {
    if (before.current === rows) return;
    before.current = rows;
    if (isAllowed()) {
      const y = body.current?.getBoundingClientRect().top ?? 0;
      if (y < HEAD_HEIGHT) scrollBy(0, y - HEAD_HEIGHT);
    }
  }, [rows]);
}
