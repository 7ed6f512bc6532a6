import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { FleetRow } from '../../../src/model/watch.ts';
import { setQuery } from '../../state/router.ts';

export interface ActiveRow {
  /** Index into the rows; -1 for none. */
  readonly active: number;
  readonly move: (to: number, focus?: boolean) => void;
}

/** Browsers limit how often a page may change the address. */
const PAUSE_MS = 400;
/** Pixels that the table's head and the line below the table cover. */
const [HEAD_HEIGHT, FOOT_HEIGHT] = [40, 56];

/** The row that the keyboard is on. The address follows after a pause. */
export function useActiveRow(
  rows: readonly FleetRow[],
  selected: string | null,
  body: { readonly current: HTMLElement | null },
  rowHeight: number,
): ActiveRow {
  const [name, setName] = useState(selected);
  const wantsFocus = useRef(false);
  const active = name === null ? -1 : rows.findIndex(row => row.target === name);

  useLayoutEffect(() => {
    if (!wantsFocus.current || active < 0) return;
    wantsFocus.current = false;
    const link = body.current?.querySelector<HTMLElement>(`[data-row="${active}"] a`);
    link?.focus({ preventScroll: true });
    scrollToRow(body.current, active * rowHeight, rowHeight);
  });
  useEffect(() => {
    // Returning to this page: scroll to the row in the address.
    if (active > 0) scrollToRow(body.current, active * rowHeight, rowHeight);
  }, []);
  useEffect(() => {
    if (name === selected) return;
    const timer = setTimeout(() => setQuery({ row: name }), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [name]);

  const move = (to: number, focus = true): void => {
    const row = rows[Math.max(0, Math.min(rows.length - 1, to))];
    if (row === undefined) return;
    wantsFocus.current = focus;
    setName(row.target);
  };
  return { active, move };
}

function scrollToRow(body: HTMLElement | null, top: number, rowHeight: number): void {
  if (body === null) return;
  const y = body.getBoundingClientRect().top + top;
  if (y < HEAD_HEIGHT) scrollBy(0, y - HEAD_HEIGHT);
  else if (y + rowHeight > innerHeight - FOOT_HEIGHT) scrollBy(0, y + rowHeight - innerHeight + FOOT_HEIGHT);
}
