/**
 * The rows of the fleet. The page scrolls; only rows near the view are in the document, and one canvas beside them
 * draws their heat. Roles say what it is, since a grid of a table's own elements cannot fold for a small screen.
 */
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { visible } from '../../../src/base/visible-text.ts';
import type { FleetRow, FleetView } from '../../../src/model/watch.ts';
import { HeatMap } from '../../charts/heat-map.tsx';
import { HeatAxis } from '../../charts/heat-axis.tsx';
import { useKeys } from '../../state/keys.ts';
import { navigate, setQuery, targetUrl } from '../../state/router.ts';
import { useIsNarrow } from '../../state/screen-width.ts';
import { withRange } from '../../state/time-range.ts';
import { useWindowRows } from '../../widgets/row-window.ts';
import type { FleetChoice, SortBy } from './fleet-filter.ts';
import { FleetRowLine } from './fleet-row.tsx';

/** Pixels; the style sheet has the same. */
const WIDE = { rowHeight: 24, stripTop: 4, stripHeight: 16 } as const;
const NARROW = { rowHeight: 56, stripTop: 36, stripHeight: 12 } as const;

const COLUMNS: readonly { readonly name: string; readonly sort?: SortBy; readonly isNumber?: boolean }[] = [
  { name: 'Verdict', sort: 'worst' },
  { name: 'Target', sort: 'name' },
  { name: 'Version' },
  { name: 'Resource' },
  { name: 'Level', sort: 'level', isNumber: true },
  { name: 'Shape' },
  { name: 'Slope', sort: 'slope', isNumber: true },
  { name: 'Limit in', sort: 'limit', isNumber: true },
];

interface FleetTableProps {
  readonly view: FleetView;
  readonly rows: readonly FleetRow[];
  readonly choice: FleetChoice;
  /** A target's name, as the address has it. */
  readonly selected: string | null;
}

export function FleetTable({ view, rows, choice, selected }: FleetTableProps) {
  const body = useRef<HTMLDivElement>(null);
  const size = useIsNarrow() ? NARROW : WIDE;
  const { first, last } = useWindowRows(body, size.rowHeight, rows.length);
  const heat = useHeatPlace(body, size);
  const { active, move } = useActiveRow(rows, selected, body, size.rowHeight);
  const why = rows[active];

  useKeys('Fleet', {
    j: ['next row', () => move(active + 1)],
    k: ['previous row', () => move(active < 0 ? 0 : active - 1)],
    ArrowDown: ['next row', () => move(active + 1)],
    ArrowUp: ['previous row', () => move(active < 0 ? 0 : active - 1)],
    Enter: ['open the row', () => why !== undefined && navigate(withRange(targetUrl(why.target)))],
  });

  const painted = useMemo(() => rows.slice(first, last), [rows, first, last]);
  // The active row stays in the document, so that it keeps the focus while it is scrolled out of view.
  const shown = indices(first, last, active, rows.length);
  return (
    <>
      <div class="fleet" role="table" aria-label="Targets" aria-rowcount={rows.length + 1} aria-colcount={9}>
        <div class="fleet-head" role="rowgroup">
          <div class="fleet-row" role="row" aria-rowindex={1}>
            {COLUMNS.map(column => (
              <ColumnHead key={column.name} {...column} sorted={choice.sort} />
            ))}
            <div class="fleet-cell fleet-heat" role="columnheader">
              <span class="sr-only">Verdicts over time</span>
              <HeatAxis bins={view.bins} width={heat.width} />
            </div>
          </div>
        </div>
        <div
          class="fleet-body"
          role="rowgroup"
          ref={body}
          style={{ height: `${rows.length * size.rowHeight}px` }}
          onFocusIn={event => {
            const row = (event.target as Element).closest('[data-row]');
            if (row !== null) move(Number(row.getAttribute('data-row')), false);
          }}
        >
          {shown.map(index => (
            <FleetRowLine
              key={rows[index].target}
              row={rows[index]}
              index={index}
              top={index * size.rowHeight}
              bins={view.bins}
              isActive={index === active}
              isTabStop={index === Math.max(0, active)}
            />
          ))}
          <div
            class="fleet-canvas"
            role="presentation"
            style={{ top: `${first * size.rowHeight}px`, left: `${heat.left}px` }}
          >
            <HeatMap rows={painted} binCount={view.bins.count} width={heat.width} {...size} />
          </div>
        </div>
      </div>
      <p class="fleet-why">
        {why === undefined ? (
          <span class="muted">
            <kbd>j</kbd> <kbd>k</kbd> to move, <kbd>Enter</kbd> to open, <kbd>?</kbd> for all keys
          </span>
        ) : (
          <>
            <strong>{visible(why.target)}</strong> {visible(why.stale ?? why.reason)}{' '}
            {why.incidentId !== null && <a href={`/i/${encodeURIComponent(why.incidentId)}`}>incident</a>}
          </>
        )}
      </p>
    </>
  );
}

function ColumnHead({ name, sort, isNumber, sorted }: (typeof COLUMNS)[number] & { readonly sorted: SortBy }) {
  const order = sort === 'name' || sort === 'limit' ? 'ascending' : 'descending';
  const isSorted = sort !== undefined && sort === sorted;
  return (
    <div
      class={`fleet-cell fleet-${name.split(' ')[0].toLowerCase()}${isNumber === true ? ' num' : ''}`}
      role="columnheader"
      aria-sort={isSorted ? order : undefined}
    >
      {sort === undefined ? (
        name
      ) : (
        <button type="button" onClick={() => setQuery({ sort: sort === 'worst' ? null : sort })}>
          {name}
          {isSorted && <span aria-hidden="true">{order === 'ascending' ? '↑' : '↓'}</span>}
        </button>
      )}
    </div>
  );
}

function indices(first: number, last: number, active: number, count: number): number[] {
  const shown = Array.from({ length: last - first }, (_, i) => first + i);
  const isOutside = active >= 0 && active < count && (active < first || active >= last);
  return isOutside ? [...shown, active].sort((a, b) => a - b) : shown;
}

/** Where the heat column is within the body, as the style sheet lays it out. */
function useHeatPlace(body: { current: HTMLElement | null }, size: object): { left: number; width: number } {
  const [heat, setHeat] = useState({ left: 0, width: 0 });
  useLayoutEffect(() => {
    const element = body.current;
    if (element === null) return;
    const measure = (): void => {
      const cell = element.querySelector('.fleet-heat');
      if (cell === null) return;
      const box = cell.getBoundingClientRect();
      const left = box.left - element.getBoundingClientRect().left;
      setHeat(now => (now.left === left && now.width === box.width ? now : { left, width: box.width }));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [size]);
  return heat;
}

/** The row that the keyboard is on; kept in the address once it rests. */
function useActiveRow(
  rows: readonly FleetRow[],
  selected: string | null,
  body: { current: HTMLElement | null },
  rowHeight: number,
): { active: number; move: (to: number, focus?: boolean) => void } {
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
    // Back on this page: where it was left.
    if (active > 0) scrollToRow(body.current, active * rowHeight, rowHeight);
  }, []);
  useEffect(() => {
    if (name === selected) return;
    // Browsers allow only so many changes of the address in a second.
    const rest = setTimeout(() => setQuery({ row: name }), 400);
    return () => clearTimeout(rest);
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
  const [headRoom, footRoom] = [40, 56];
  if (y < headRoom) scrollBy(0, y - headRoom);
  else if (y + rowHeight > innerHeight - footRoom) scrollBy(0, y + rowHeight - innerHeight + footRoom);
}
