/** Functions by flat and cum, as in pprof's top; for two profiles, by change. */
import { useMemo } from 'preact/hooks';
import { visible } from '../../src/base/visible-text.ts';
import { frameName, type CallTree } from './call-tree.ts';
import { functionTotals, type FunctionTotal } from './function-totals.ts';
import { shortSymbol } from '../widgets/short-names.ts';
import { VirtualTable, type Column, type Sort } from '../widgets/virtual-table.tsx';
import { changeText, shareText, valueText } from '../widgets/value-text.ts';

export interface FunctionTableProps {
  readonly tree: CallTree;
  readonly unit: string;
  /** By frame: 1 to list the function; undefined lists all. */
  readonly matched: Uint8Array | undefined;
  readonly selectedFrame: number;
  readonly sort: Sort | undefined;
  readonly onSort: (sort: Sort) => void;
  readonly onSelect: (node: number) => void;
  readonly onOpen: (node: number) => void;
}

type Key = 'flat' | 'cum' | 'name' | 'flat-change' | 'cum-change';

const AMOUNT: Readonly<Record<Exclude<Key, 'name'>, (row: FunctionTotal) => number>> = {
  flat: row => row.flat,
  cum: row => row.cum,
  'flat-change': row => row.flat - row.flatBefore,
  'cum-change': row => row.cum - row.cumBefore,
};

export function FunctionTable(props: FunctionTableProps) {
  const { tree, unit, matched, selectedFrame } = props;
  const sort = props.sort ?? { key: tree.before === undefined ? 'flat' : 'flat-change', descending: true };
  const all = useMemo(() => functionTotals(tree), [tree]);
  const rows = useMemo(() => {
    const listed = matched === undefined ? all : all.filter(({ frame }) => matched[frame] === 1);
    return sorted(listed, tree, sort);
  }, [all, matched, sort.key, sort.descending]);
  return (
    <VirtualTable
      label="Functions"
      columns={tree.before === undefined ? columnsOf(tree, unit) : changeColumns(tree, unit)}
      rows={rows}
      rowKey={row => String(row.frame)}
      selected={rows.findIndex(({ frame }) => frame === selectedFrame)}
      onSelect={row => props.onSelect(row.node)}
      onOpen={row => props.onOpen(row.node)}
      sort={sort}
      onSort={props.onSort}
      empty={matched === undefined ? 'No stack has a value of this type.' : 'No function matches.'}
    />
  );
}

function sorted(rows: readonly FunctionTotal[], tree: CallTree, { key, descending }: Sort): FunctionTotal[] {
  const sign = descending ? -1 : 1;
  const amount = AMOUNT[key as Exclude<Key, 'name'>];
  if (amount !== undefined) return rows.toSorted((a, b) => sign * (amount(a) - amount(b)));
  const nameOf = ({ frame }: FunctionTotal): string => frameName(tree, frame);
  return rows.toSorted((a, b) => sign * (nameOf(a) < nameOf(b) ? -1 : 1));
}

function nameColumn(tree: CallTree): Column<FunctionTotal> {
  const name = ({ frame }: FunctionTotal): string => frameName(tree, frame);
  return {
    key: 'name',
    head: 'Function',
    isSortable: true,
    cell: row => <span title={visible(name(row))}>{shortSymbol(name(row))}</span>,
  };
}

function columnsOf(tree: CallTree, unit: string): readonly Column<FunctionTotal>[] {
  const whole = tree.whole.after;
  const number = { isNumber: true, isSortable: true } as const;
  const share = { isNumber: true, isNarrow: true, isMinor: true } as const;
  return [
    { ...number, key: 'flat', head: 'Flat', title: 'In the function itself', cell: row => valueText(row.flat, unit) },
    { ...share, key: 'flat-share', head: '%', cell: row => shareText(row.flat, whole) },
    {
      ...number,
      key: 'cum',
      head: 'Cum',
      title: 'Including everything it calls',
      cell: row => valueText(row.cum, unit),
    },
    { ...share, key: 'cum-share', head: '%', cell: row => shareText(row.cum, whole) },
    nameColumn(tree),
  ];
}

function changeColumns(tree: CallTree, unit: string): readonly Column<FunctionTotal>[] {
  const change = (key: 'flat-change' | 'cum-change', head: string): Column<FunctionTotal> => ({
    key,
    head,
    isNumber: true,
    isSortable: true,
    cell: row => changeText(AMOUNT[key](row), unit),
  });
  const minor = { isNumber: true, isSortable: true, isMinor: true } as const;
  return [
    change('flat-change', 'Flat change'),
    change('cum-change', 'Cum change'),
    { ...minor, key: 'flat', head: 'Flat after', cell: row => valueText(row.flat, unit) },
    { ...minor, key: 'cum', head: 'Cum after', cell: row => valueText(row.cum, unit) },
    nameColumn(tree),
  ];
}
