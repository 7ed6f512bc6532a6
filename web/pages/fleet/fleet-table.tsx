/**
 * The rows of the fleet. The table scrolls with the page and is as high as all rows that match; only rows near the visible
 * part are loaded and in the document, and one canvas draws their heat map. It is built from divs with roles, because
 * table elements cannot fold on a small screen.
 */
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { formatCount } from '../../../src/base/quantities.ts';
import { visible } from '../../../src/base/visible-text.ts';
import type { FleetRow, FleetSort, FleetView } from '../../../src/watch/fleet/fleet.ts';
import { HeatMap } from '../../charts/heat-map.tsx';
import { HeatAxis } from '../../charts/heat-axis.tsx';
import { status } from '../../state/live.ts';
import { useKeys } from '../../state/keys.ts';
import { isRestoringScroll, navigate, setQuery, targetUrl } from '../../state/router.ts';
import { useIsNarrow } from '../../state/screen-width.ts';
import { withRange } from '../../state/time-range.ts';
import { useRowWindow } from '../../widgets/row-window.ts';
import { FleetTableRow } from './fleet-row.tsx';
import { useActiveRow, useScrollToFirst } from './use-active-row.ts';
import type { Fleet } from './use-fleet.ts';

/** Pixels, as in the style sheet. */
const WIDE = { rowHeight: 24, barTop: 4, barHeight: 16 } as const;
const NARROW = { rowHeight: 76, barTop: 56, barHeight: 12 } as const;
/** Browsers cannot place anything much further down. */
const MOST_PIXELS = 15_000_000;

interface FleetColumn {
  /** Part of the class names. */
  readonly column: string;
  readonly name: string;
  readonly sort?: FleetSort;
  readonly isNumber?: boolean;
}

const COLUMNS: readonly FleetColumn[] = [
  { column: 'verdict', name: 'Verdict', sort: 'worst' },
  { column: 'target', name: 'Target', sort: 'name' },
  { column: 'version', name: 'Version' },
  { column: 'cause', name: 'Cause' },
  { column: 'resource', name: 'Resource' },
  { column: 'level', name: 'Level', sort: 'level', isNumber: true },
  { column: 'shape', name: 'Shape' },
  { column: 'slope', name: 'Slope', sort: 'slope', isNumber: true },
  { column: 'limit', name: 'Limit in', sort: 'limit', isNumber: true },
];

interface FleetTableProps {
  readonly view: FleetView;
  readonly fleet: Fleet;
  readonly sort: FleetSort;
  /** The target that the address names. */
  readonly selected: string | null;
}

export function FleetTable({ view, fleet, sort, selected }: FleetTableProps) {
  const body = useRef<HTMLDivElement>(null);
  const size = useIsNarrow() ? NARROW : WIDE;
  const { rowHeight } = size;
  const rowCount = Math.min(view.matching, Math.floor(MOST_PIXELS / rowHeight));
  const { first, last } = useRowWindow(body, rowHeight, rowCount);
  const heat = useHeatColumn(body, size);
  const { active, move } = useActiveRow(view, fleet, selected, body, rowHeight, rowCount);
  const activeRow = active?.row;
  const isSeveral = status.value?.clusters !== undefined;
  useScrollToFirst(body, fleet.rows, () => !isRestoringScroll());
  useEffect(() => fleet.show(first, last), [first, last, view, fleet.isOld]);

  const [next, previous] = [(active?.index ?? -1) + 1, Math.max(0, (active?.index ?? 0) - 1)];
  useKeys('Fleet', {
    j: ['next row', () => move(next)],
    k: ['previous row', () => move(previous)],
    ArrowDown: ['next row', () => move(next)],
    ArrowUp: ['previous row', () => move(previous)],
    Enter: ['open the row', () => activeRow !== undefined && navigate(withRange(targetUrl(activeRow.target)))],
  });

  const { rows, offset } = view;
  const top = Math.max(first, offset);
  const painted = useMemo(() => rows.slice(top - offset, Math.max(0, last - offset)), [rows, top, offset, last]);
  const isActiveShown = active === undefined || (active.index >= top && active.index < top + painted.length);
  const tabStop = active?.index ?? top;
  const rowAt = (index: number, row: FleetRow, key: number | string) => (
    <FleetTableRow
      key={key}
      row={row}
      index={index}
      top={index * rowHeight}
      bins={view.bins}
      isActive={index === active?.index}
      isTabStop={index === tabStop}
    />
  );
  return (
    <>
      <div
        class={`fleet${isSeveral ? ' fleet-several' : ''}`}
        role="table"
        aria-label="Targets"
        aria-rowcount={view.matching + 1}
        aria-colcount={10}
        aria-busy={fleet.isOld}
      >
        <div class="fleet-head" role="rowgroup">
          <div class="fleet-row" role="row" aria-rowindex={1}>
            {COLUMNS.map(head => (
              <ColumnHead key={head.column} {...head} sorted={sort} />
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
          style={{ height: `${rowCount * rowHeight}px` }}
          onFocusIn={event => {
            const index = Number((event.target as Element).closest('[data-row]')?.getAttribute('data-row') ?? NaN);
            if (index >= 0 && index !== active?.index) move(index, false);
          }}
        >
          {painted.map((row, i) => rowAt(top + i, row, top + i))}
          {/* The active row stays in the document, so that it keeps the focus when it scrolls out of view. */}
          {active !== undefined && !isActiveShown && rowAt(active.index, active.row, 'active')}
          <div class="fleet-canvas" role="presentation" style={{ top: `${top * rowHeight}px`, left: `${heat.left}px` }}>
            <HeatMap rows={painted} binCount={view.bins.count} width={heat.width} {...size} />
          </div>
        </div>
      </div>
      {rowCount < view.matching && (
        <p class="muted">{formatCount(view.matching - rowCount)} more; a search or a filter finds them</p>
      )}
      <p class="fleet-why">
        {activeRow === undefined ? (
          <span class="muted">
            <kbd>j</kbd> <kbd>k</kbd> to move, <kbd>Enter</kbd> to open, <kbd>?</kbd> for all shortcuts
          </span>
        ) : (
          <>
            <strong>{visible(activeRow.target)}</strong> {visible(activeRow.stale ?? activeRow.reason)}{' '}
            {activeRow.incidentId !== null && <a href={`/i/${encodeURIComponent(activeRow.incidentId)}`}>incident</a>}
          </>
        )}
      </p>
    </>
  );
}

function ColumnHead({ column, name, sort, isNumber, sorted }: FleetColumn & { readonly sorted: FleetSort }) {
  const order = sort === 'name' || sort === 'limit' ? 'ascending' : 'descending';
  const isSorted = sort !== undefined && sort === sorted;
  return (
    <div
      class={`fleet-cell fleet-${column}${isNumber === true ? ' num' : ''}`}
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

/** The position of the heat map's column, which the style sheet decides. */
function useHeatColumn(body: { current: HTMLElement | null }, size: object): { left: number; width: number } {
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
