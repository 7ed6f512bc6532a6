/**
 * The rows of the fleet. The table scrolls with the page and is as high as all rows that match; only rows near the visible
 * part are loaded and in the document, and one canvas draws their heat map. It is built from divs with roles, because
 * table elements cannot fold on a small screen.
 */
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { formatCount } from '../../src/base/say.ts';
import { visible } from '../../src/base/visible-text.ts';
import type { FleetRow, FleetSort, FleetView } from '../../src/watch/views/fleet.ts';
import { HeatAxis, HeatMap, heatSentence } from '../charts/heat-map.tsx';
import { status } from '../state/live.ts';
import { useKeys } from '../state/keys.ts';
import { isRestoringScroll, navigate, setQuery, targetUrl } from '../state/router.ts';
import { useIsNarrow } from '../state/use-width.ts';
import { withRange } from '../state/time-range.ts';
import { useRowWindow } from '../widgets/virtual-table.tsx';
import { useActiveRow, useScrollToFirst } from './use-active-row.ts';
import type { Fleet } from './use-fleet.ts';
import { clusterOf, withoutCluster } from '../../src/evidence/target.ts';
import type { Verdict } from '../../src/judge/verdict.ts';
import type { TimeBins } from '../../src/watch/watch-model.ts';
import { amountText, limitText, slopeText } from '../widgets/value-text.ts';
import { VerdictWord } from '../widgets/verdict.tsx';

/** Without a cause. */
const UNEXPLAINED: Partial<Record<Verdict, string>> = {
  leak: 'not known yet',
  watch: 'not known yet',
  unknown: 'too few samples to tell from chance',
};

/** Pixels, as in the style sheet. */
const WIDE = { rowHeight: 24, barTop: 4, barHeight: 16 } as const;
const NARROW = { rowHeight: 76, barTop: 56, barHeight: 12 } as const;
/** Browsers cannot place anything much further down. */
const MAX_PIXELS = 15_000_000;

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
  const rowCount = Math.min(view.matching, Math.floor(MAX_PIXELS / rowHeight));
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
        <FleetHead bins={view.bins} heatWidth={heat.width} sorted={sort} />
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
      <ActiveRowLine row={activeRow} />
    </>
  );
}

interface FleetHeadProps {
  readonly bins: FleetView['bins'];
  readonly heatWidth: number;
  readonly sorted: FleetSort;
}

function FleetHead({ bins, heatWidth, sorted }: FleetHeadProps) {
  return (
    <div class="fleet-head" role="rowgroup">
      <div class="fleet-row" role="row" aria-rowindex={1}>
        {COLUMNS.map(head => (
          <ColumnHead key={head.column} {...head} sorted={sorted} />
        ))}
        <div class="fleet-cell fleet-heat" role="columnheader">
          <span class="sr-only">Verdicts over time</span>
          <HeatAxis bins={bins} width={heatWidth} />
        </div>
      </div>
    </div>
  );
}

/** The reason of the active row, or how to get one. */
function ActiveRowLine({ row }: { readonly row: FleetRow | undefined }) {
  return (
    <p class="fleet-why">
      {row === undefined ? (
        <span class="muted">
          <kbd>j</kbd> <kbd>k</kbd> to move, <kbd>Enter</kbd> to open, <kbd>?</kbd> for all shortcuts
        </span>
      ) : (
        <>
          <strong>{visible(row.target)}</strong> {visible(row.stale ?? row.reason)}{' '}
          {row.incidentId !== null && <a href={`/i/${encodeURIComponent(row.incidentId)}`}>incident</a>}
        </>
      )}
    </p>
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

interface FleetTableRowProps {
  readonly row: FleetRow;
  readonly index: number;
  readonly top: number;
  readonly bins: TimeBins;
  readonly isActive: boolean;
  /** Tab reaches one row of the table; j and k move from there. */
  readonly isTabStop: boolean;
}

function FleetTableRow({ row, index, top, bins, isActive, isTabStop }: FleetTableRowProps) {
  const history = heatSentence(row.heat, bins);
  const cluster = clusterOf(row.target);
  const isCalm = row.verdict === 'healthy' || row.verdict === 'unknown';
  return (
    <div
      class={`fleet-row${isActive ? ' fleet-active' : ''}${row.stale === null ? '' : ' fleet-stale'}`}
      role="row"
      aria-rowindex={index + 2}
      data-row={index}
      style={{ top: `${top}px` }}
    >
      <div class="fleet-cell fleet-verdict" role="cell">
        <VerdictWord verdict={row.verdict} />
      </div>
      <div class="fleet-cell fleet-target" role="rowheader">
        <a href={withRange(targetUrl(row.target))} tabIndex={isTabStop ? 0 : -1} title={visible(row.reason)}>
          {cluster !== undefined && <span class="fleet-cluster">{visible(cluster)} </span>}
          {visible(withoutCluster(row.target))}
        </a>
      </div>
      <div class="fleet-cell fleet-version mono" role="cell">
        {visible(row.attributes['version'] ?? '')}
      </div>
      <div class="fleet-cell fleet-cause" role="cell" title={causeTitle(row)}>
        <Cause row={row} />
      </div>
      <div class="fleet-cell fleet-resource" role="cell">
        {row.resource ?? ''}
      </div>
      <div class="fleet-cell fleet-level num" role="cell">
        {amountText(row.unit, row.level)}
      </div>
      <div class="fleet-cell fleet-shape" role="cell">
        <Sparkline values={row.spark} />
      </div>
      <div class={`fleet-cell fleet-slope num${isCalm ? ' muted' : ''}`} role="cell">
        {slopeText(row.unit, row.slopePerHour)}
      </div>
      <div class="fleet-cell fleet-limit num" role="cell">
        {limitText(row.timeToLimitHours)}
      </div>
      <div class="fleet-cell fleet-heat" role="cell" title={history}>
        <span class="sr-only">{history}</span>
      </div>
    </div>
  );
}

/** Why it grows, or why there is nothing newer. */
function Cause({ row: { cause, stale, verdict, incidentId } }: { readonly row: FleetRow }) {
  if (stale !== null) return <>no answer: {visible(stale)}</>;
  if (cause === null) {
    const why = UNEXPLAINED[verdict];
    return why === undefined ? null : <span class="muted">{why}</span>;
  }
  if (cause.kind === 'explained') return <span class="muted">{visible(cause.text)}</span>;
  // The row's link goes to the target; this one goes to the proof.
  if (incidentId === null) return <>{visible(cause.text)}</>;
  return (
    <a href={`/i/${encodeURIComponent(incidentId)}`} tabIndex={-1}>
      {visible(cause.text)}
    </a>
  );
}

function causeTitle({ cause, stale }: FleetRow): string | undefined {
  if (stale !== null) return `no answer: ${visible(stale)}`;
  return cause === null
    ? undefined
    : visible(cause.kind === 'explained' ? cause.text : `${cause.text}: ${cause.title}`);
}

const [WIDTH, HEIGHT] = [88, 16];

/** The numbers beside it say the same, so screen readers skip it. */
function Sparkline({ values }: { readonly values: readonly (number | null)[] }) {
  const path = useMemo(() => sparkPath(values, WIDTH, HEIGHT), [values]);
  return (
    <svg class="sparkline" viewBox={`0 -1 ${WIDTH} ${HEIGHT + 2}`} preserveAspectRatio="none" aria-hidden="true">
      <path d={path} />
    </svg>
  );
}

/** Values that vary by less than this share of the highest are drawn flat. */
const MIN_RANGE_SHARE = 0.1;

/** A series as an SVG path in a box; the line breaks where a value is missing. */
export function sparkPath(values: readonly (number | null)[], width: number, height: number): string {
  const known = values.filter((value): value is number => value !== null && Number.isFinite(value));
  if (known.length === 0) return '';
  const low = known.reduce((a, b) => Math.min(a, b));
  const high = known.reduce((a, b) => Math.max(a, b));
  const range = Math.max(high - low, MIN_RANGE_SHARE * Math.max(Math.abs(high), Math.abs(low))) || 1;
  const lift = (range - (high - low)) / 2;
  const step = values.length > 1 ? width / (values.length - 1) : 0;
  let path = '';
  let pen = 'M';
  for (const [i, value] of values.entries()) {
    if (value === null || !Number.isFinite(value)) {
      pen = 'M';
      continue;
    }
    const y = height - ((value - low + lift) / range) * height;
    // A line of length zero: a lone point shows as a dot.
    path += `${pen}${(i * step).toFixed(1)} ${y.toFixed(1)}${pen === 'M' ? 'h0' : ''}`;
    pen = 'L';
  }
  return path;
}
