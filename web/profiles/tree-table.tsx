/** The tree of the flame graph as a table with rows that open and close: exact numbers, and for screen readers. */
import { useEffect, useMemo, useState } from 'preact/hooks';
import { visible } from '../../src/base/visible-text.ts';
import { changeText, shareText, valueText } from '../widgets/value-text.ts';
import { type Column, VirtualTable } from '../widgets/virtual-table.tsx';
import { type CallTree, changeOf, nameOf } from './call-tree.ts';
import { shortSymbol } from '../widgets/short-names.ts';

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

/** The rows of a call tree shown as a table: the nodes whose callers are all open, in preorder. */
export function openRows(tree: CallTree, open: ReadonlySet<number>): number[] {
  const rows: number[] = [];
  for (let node = 0; node < tree.length;) {
    rows.push(node);
    node = open.has(node) ? node + 1 : tree.end[node];
  }
  return rows;
}

/** The root and the widest path below it, as long as each node is at least half as wide as its caller. */
export function initiallyOpen(tree: CallTree): Set<number> {
  const open = new Set([0]);
  for (let node = 0; tree.end[node] > node + 1; node++) {
    open.add(node);
    if (node > 0 && tree.width[node + 1] < tree.width[node] / 2) break;
  }
  return open;
}

/** The open nodes plus every caller of `node`. */
export function openPathTo(tree: CallTree, open: ReadonlySet<number>, node: number): ReadonlySet<number> {
  const missing: number[] = [];
  for (let above = tree.parent[node]; above >= 0; above = tree.parent[above]) {
    if (!open.has(above)) missing.push(above);
  }
  return missing.length === 0 ? open : new Set([...open, ...missing]);
}

export function isLeaf(tree: CallTree, node: number): boolean {
  return tree.end[node] === node + 1;
}
