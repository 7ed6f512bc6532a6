/**
 * A table of any length: only the visible rows are in the document. The pointer, the arrow keys, and j and k select a
 * row; in a tree, the left and right arrow keys close and open one.
 */
import type { ComponentChildren, RefObject } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';

export interface Column<Row> {
  readonly key: string;
  readonly head: string;
  /** Explains the column, on hover. */
  readonly title?: string;
  readonly isNumber?: boolean;
  /** For short numbers. */
  readonly isNarrow?: boolean;
  /** Hidden on a phone. */
  readonly isMinor?: boolean;
  readonly isSortable?: boolean;
  readonly cell: (row: Row) => ComponentChildren;
}

export interface Sort {
  readonly key: string;
  readonly descending: boolean;
}

/** Turns the table into a tree. */
export interface RowTree<Row> {
  /** 1 for the root. */
  readonly level: (row: Row) => number;
  /** Undefined for a row without children. */
  readonly isOpen: (row: Row) => boolean | undefined;
  readonly toggle: (row: Row) => void;
}

export interface VirtualTableProps<Row> {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string;
  /** Index into `rows`; -1 for none. */
  readonly selected: number;
  readonly onSelect: (row: Row) => void;
  /** Enter or double click. */
  readonly onOpen?: (row: Row) => void;
  readonly sort?: Sort;
  readonly onSort?: (sort: Sort) => void;
  readonly tree?: RowTree<Row>;
  /** Shown when there are no rows. */
  readonly empty?: string;
}

const ROW_PIXELS = 24;

export function VirtualTable<Row>(props: VirtualTableProps<Row>) {
  const { columns, rows, selected, tree } = props;
  const box = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 480 });
  const id = useId();

  const measure = (): void => {
    // The observer may fire once more after the table is gone.
    if (box.current === null) return;
    const { scrollTop: top, clientHeight: height } = box.current;
    setView(known => (known.top === top && known.height === height ? known : { top, height }));
  };
  useEffect(() => {
    const observer = new ResizeObserver(measure);
    observer.observe(box.current!);
    return () => observer.disconnect();
  }, []);
  // Scroll to a row that was selected elsewhere on the page.
  useEffect(() => {
    if (selected < 0) return;
    const { scrollTop, clientHeight } = box.current!;
    const [top, bottom] = [selected * ROW_PIXELS, (selected + 2) * ROW_PIXELS];
    if (top < scrollTop) box.current!.scrollTop = top;
    else if (bottom > scrollTop + clientHeight) box.current!.scrollTop = bottom - clientHeight;
  }, [selected]);

  const { first, last } = rowWindow(view.top, view.height, ROW_PIXELS, rows.length);
  const isRendered = selected >= first && selected < last;

  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target !== box.current) return;
    if (!moveByKey(event.key, props, Math.floor(view.height / ROW_PIXELS))) return;
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <div
      ref={box}
      class="table-box"
      role={tree === undefined ? 'grid' : 'treegrid'}
      aria-label={props.label}
      aria-rowcount={rows.length + 1}
      aria-colcount={columns.length}
      aria-activedescendant={isRendered ? `${id}-${selected}` : undefined}
      tabIndex={0}
      onScroll={measure}
      onKeyDown={onKeyDown}
    >
      <table class="table" role="presentation">
        <TableHead columns={columns} sort={props.sort} onSort={props.onSort} />
        <tbody role="rowgroup">
          <Gap rows={first} />
          {rows.slice(first, last).map((row, i) => (
            <TableRow
              key={props.rowKey(row)}
              id={`${id}-${first + i}`}
              index={first + i}
              row={row}
              isSelected={first + i === selected}
              table={props}
            />
          ))}
          <Gap rows={rows.length - last} />
        </tbody>
      </table>
      {rows.length === 0 && <p class="table-empty muted">{props.empty ?? 'Nothing to show.'}</p>}
    </div>
  );
}

function Gap({ rows }: { readonly rows: number }) {
  if (rows <= 0) return null;
  return <tr role="presentation" aria-hidden="true" style={{ height: `${rows * ROW_PIXELS}px` }} />;
}

function classOf<Row>({ isNumber, isNarrow, isMinor }: Column<Row>): string {
  return `${isNumber === true ? 'num' : 'mono table-name'}${isNarrow === true ? ' table-narrow' : ''}${isMinor === true ? ' table-minor' : ''}`;
}

interface HeadProps<Row> {
  readonly columns: readonly Column<Row>[];
  readonly sort: Sort | undefined;
  readonly onSort: ((sort: Sort) => void) | undefined;
}

function TableHead<Row>({ columns, sort, onSort }: HeadProps<Row>) {
  return (
    <thead role="rowgroup">
      <tr role="row" aria-rowindex={1}>
        {columns.map((column, i) => {
          const { key, head, title } = column;
          const isSorted = sort?.key === key;
          const direction = sort?.descending === true ? 'descending' : 'ascending';
          // The first click sorts numbers in descending order, names in ascending order.
          const next: Sort = { key, descending: isSorted ? !sort.descending : column.isNumber === true };
          return (
            <th
              key={key}
              role="columnheader"
              scope="col"
              class={classOf(column)}
              title={title}
              aria-colindex={i + 1}
              aria-sort={isSorted ? direction : undefined}
            >
              {column.isSortable === true && onSort !== undefined ? (
                <button type="button" class="table-sort" onClick={() => onSort(next)}>
                  {head}
                  <span aria-hidden="true">{isSorted ? (sort.descending ? ' ↓' : ' ↑') : ''}</span>
                </button>
              ) : (
                head
              )}
            </th>
          );
        })}
      </tr>
    </thead>
  );
}

interface RowProps<Row> {
  readonly id: string;
  readonly index: number;
  readonly row: Row;
  readonly isSelected: boolean;
  readonly table: VirtualTableProps<Row>;
}

function TableRow<Row>({ id, index, row, isSelected, table }: RowProps<Row>) {
  const { columns, tree } = table;
  const isOpen = tree?.isOpen(row);
  const level = tree?.level(row);
  return (
    <tr
      id={id}
      role="row"
      aria-rowindex={index + 2}
      aria-selected={isSelected}
      aria-level={level}
      aria-expanded={isOpen}
      onClick={() => table.onSelect(row)}
      onDblClick={() => table.onOpen?.(row)}
    >
      {columns.map((column, i) => (
        <td key={column.key} role="gridcell" class={classOf(column)} aria-colindex={i + 1}>
          {level !== undefined && column.isNumber !== true && (
            <span class="table-indent" style={{ paddingLeft: `${Math.min(level - 1, 40) * 10}px` }}>
              <button
                type="button"
                class="table-toggle"
                tabIndex={-1}
                aria-hidden="true"
                disabled={isOpen === undefined}
                onClick={event => {
                  event.stopPropagation();
                  tree?.toggle(row);
                }}
              >
                {isOpen === undefined ? '' : isOpen ? '▾' : '▸'}
              </button>
            </span>
          )}
          {column.cell(row)}
        </td>
      ))}
    </tr>
  );
}

/** False if the key does nothing here. */
function moveByKey<Row>(key: string, props: VirtualTableProps<Row>, pageRows: number): boolean {
  const { rows, selected, tree } = props;
  const at = Math.max(selected, 0);
  const row = rows[selected];
  const moves: Readonly<Record<string, number>> = {
    ArrowDown: selected + 1,
    j: selected + 1,
    ArrowUp: at - 1,
    k: at - 1,
    PageDown: at + pageRows,
    PageUp: at - pageRows,
    Home: 0,
    End: rows.length - 1,
  };
  const target = moves[key];
  if (target !== undefined) {
    const next = rows[Math.min(Math.max(target, 0), rows.length - 1)];
    if (next !== undefined) props.onSelect(next);
    return true;
  }
  if (row === undefined) return false;
  if (key === 'Enter') props.onOpen?.(row);
  else if (tree !== undefined && key === 'ArrowRight' && tree.isOpen(row) === false) tree.toggle(row);
  else if (tree !== undefined && key === 'ArrowLeft' && tree.isOpen(row) === true) tree.toggle(row);
  else if (tree !== undefined && key === 'ArrowLeft') {
    const parent = rows.findLast((other, i) => i < selected && tree.level(other) < tree.level(row));
    if (parent !== undefined) props.onSelect(parent);
  } else return false;
  return true;
}

/**
 * Which rows of a long table belong in the document: those near the visible part. All rows have the same height.
 */
interface RowWindow {
  readonly first: number;
  /** Exclusive. */
  readonly last: number;
}

/** Extra rows beyond each edge, and the step in which the window moves, so that fast scrolling shows no empty rows. */
const MARGIN = 8;
const STRIDE = 8;

export function rowWindow(scrolled: number, viewHeight: number, rowHeight: number, count: number): RowWindow {
  const first = Math.floor(scrolled / rowHeight / STRIDE) * STRIDE - MARGIN;
  const last = Math.ceil((scrolled + viewHeight) / rowHeight / STRIDE) * STRIDE + MARGIN;
  const clamp = (row: number): number => Math.max(0, Math.min(count, row));
  return { first: clamp(first), last: clamp(last) };
}

/** For a table that scrolls with the page. */
export function useRowWindow(body: RefObject<HTMLElement | null>, rowHeight: number, count: number): RowWindow {
  const [shown, setShown] = useState<RowWindow>({ first: 0, last: Math.min(count, 2 * MARGIN) });
  useLayoutEffect(() => {
    const measure = (): void => {
      const top = body.current?.getBoundingClientRect().top ?? 0;
      const next = rowWindow(-top, innerHeight, rowHeight, count);
      setShown(now => (now.first === next.first && now.last === next.last ? now : next));
    };
    measure();
    addEventListener('scroll', measure, { passive: true });
    addEventListener('resize', measure);
    return () => {
      removeEventListener('scroll', measure);
      removeEventListener('resize', measure);
    };
  }, [rowHeight, count]);
  // There may be fewer rows now than at the last measurement.
  return { first: Math.min(shown.first, count), last: Math.min(shown.last, count) };
}
