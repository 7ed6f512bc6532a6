/**
 * The rows of the fleet. The table scrolls with the page; only rows near the visible part are in the document, and one
 * canvas draws their heat map. It is built from divs with roles, because table elements cannot fold on a small screen.
 */
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { visible } from '../../../src/base/visible-text.ts';
import type { FleetRow, FleetView } from '../../../src/model/watch.ts';
import { HeatMap } from '../../charts/heat-map.tsx';
import { HeatAxis } from '../../charts/heat-axis.tsx';
import { status } from '../../state/live.ts';
import { useKeys } from '../../state/keys.ts';
import { navigate, setQuery, targetUrl } from '../../state/router.ts';
import { useIsNarrow } from '../../state/screen-width.ts';
import { withRange } from '../../state/time-range.ts';
import { useRowWindow } from '../../widgets/row-window.ts';
import type { FleetFilter, SortBy } from './fleet-filter.ts';
import { FleetTableRow } from './fleet-row.tsx';
import { useActiveRow } from './use-active-row.ts';

/** Pixels, as in the style sheet. */
const WIDE = { rowHeight: 24, barTop: 4, barHeight: 16 } as const;
const NARROW = { rowHeight: 76, barTop: 56, barHeight: 12 } as const;

interface FleetColumn {
  /** Part of the class names. */
  readonly column: string;
  readonly name: string;
  readonly sort?: SortBy;
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
  readonly rows: readonly FleetRow[];
  readonly filter: FleetFilter;
  /** The target that the address names. */
  readonly selected: string | null;
}

export function FleetTable({ view, rows, filter, selected }: FleetTableProps) {
  const body = useRef<HTMLDivElement>(null);
  const size = useIsNarrow() ? NARROW : WIDE;
  const { first, last } = useRowWindow(body, size.rowHeight, rows.length);
  const heat = useHeatColumn(body, size);
  const { active, move } = useActiveRow(rows, selected, body, size.rowHeight);
  const activeRow = rows[active];
  const isSeveral = status.value?.clusters !== undefined;

  useKeys('Fleet', {
    j: ['next row', () => move(active + 1)],
    k: ['previous row', () => move(active < 0 ? 0 : active - 1)],
    ArrowDown: ['next row', () => move(active + 1)],
    ArrowUp: ['previous row', () => move(active < 0 ? 0 : active - 1)],
    Enter: ['open the row', () => activeRow !== undefined && navigate(withRange(targetUrl(activeRow.target)))],
  });

  const painted = useMemo(() => rows.slice(first, last), [rows, first, last]);
  // The active row stays in the document, so that it keeps the focus when it scrolls out of view.
  const shown = painted.map((row, i) => ({ row, index: first + i }));
  if (activeRow !== undefined && active < first) shown.unshift({ row: activeRow, index: active });
  if (activeRow !== undefined && active >= last) shown.push({ row: activeRow, index: active });
  return (
    <>
      <div
        class={`fleet${isSeveral ? ' fleet-several' : ''}`}
        role="table"
        aria-label="Targets"
        aria-rowcount={rows.length + 1}
        aria-colcount={10}
      >
        <div class="fleet-head" role="rowgroup">
          <div class="fleet-row" role="row" aria-rowindex={1}>
            {COLUMNS.map(head => (
              <ColumnHead key={head.column} {...head} sorted={filter.sort} />
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
          {shown.map(({ row, index }) => (
            <FleetTableRow
              key={row.target}
              row={row}
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

function ColumnHead({ column, name, sort, isNumber, sorted }: FleetColumn & { readonly sorted: SortBy }) {
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
