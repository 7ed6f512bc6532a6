/** The tree of the flame graph as a table with rows that open and close: exact numbers, and for screen readers. */
import { useEffect, useMemo, useState } from 'preact/hooks';
import { visible } from '../../src/base/visible-text.ts';
import { changeText, shareText, valueText } from '../text/value-text.ts';
import { VirtualTable, type Column } from '../widgets/virtual-table.tsx';
import { changeOf, nameOf, type CallTree } from '../call-tree/call-tree.ts';
import { shortSymbol } from '../text/short-names.ts';
import { initiallyOpen, isLeaf, openRows, openPathTo } from './tree-rows.ts';

export interface TreeTableProps {
  readonly tree: CallTree;
  readonly unit: string;
  readonly selected: number;
  readonly onSelect: (node: number) => void;
  readonly onZoom: (node: number) => void;
}

export function TreeTable({ tree, unit, selected, onSelect, onZoom }: TreeTableProps) {
  const [open, setOpen] = useState<ReadonlySet<number>>(() => initiallyOpen(tree));
  useEffect(() => setOpen(initiallyOpen(tree)), [tree]);
  useEffect(() => {
    if (selected > 0 && selected < tree.length) setOpen(known => openPathTo(tree, known, selected));
  }, [tree, selected]);
  const rows = useMemo(() => openRows(tree, open).filter(node => node < tree.length), [tree, open]);

  const toggle = (node: number): void => {
    const next = new Set(open);
    if (!next.delete(node)) next.add(node);
    setOpen(next);
  };
  return (
    <VirtualTable
      label="Call tree"
      columns={columnsOf(tree, unit)}
      rows={rows}
      rowKey={String}
      selected={rows.indexOf(selected)}
      onSelect={onSelect}
      onOpen={onZoom}
      tree={{
        level: node => tree.depth[node] + 1,
        isOpen: node => (isLeaf(tree, node) ? undefined : open.has(node)),
        toggle,
      }}
    />
  );
}

function columnsOf(tree: CallTree, unit: string): readonly Column<number>[] {
  const name: Column<number> = {
    key: 'name',
    head: 'Function',
    cell: node => <span title={visible(nameOf(tree, node))}>{shortSymbol(nameOf(tree, node))}</span>,
  };
  const { before } = tree;
  if (before !== undefined) {
    return [
      { key: 'change', head: 'Change', isNumber: true, cell: node => changeText(changeOf(tree, node), unit) },
      { key: 'before', head: 'Before', isNumber: true, isMinor: true, cell: n => valueText(before.total[n], unit) },
      { key: 'after', head: 'After', isNumber: true, isMinor: true, cell: n => valueText(tree.total[n], unit) },
      name,
    ];
  }
  return [
    { key: 'total', head: 'Total', isNumber: true, cell: node => valueText(tree.total[node], unit) },
    { key: 'share', head: '%', isNumber: true, isNarrow: true, cell: n => shareText(tree.total[n], tree.whole.after) },
    { key: 'self', head: 'Self', isNumber: true, isMinor: true, cell: node => valueText(tree.self[node], unit) },
    name,
  ];
}
