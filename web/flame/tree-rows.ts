/** The rows of the tree as a table: the nodes whose callers are all open, in preorder. */
import type { FlameTree } from '../call-tree/call-tree.ts';

export function openRows(tree: FlameTree, open: ReadonlySet<number>): number[] {
  const rows: number[] = [];
  for (let node = 0; node < tree.length;) {
    rows.push(node);
    node = open.has(node) ? node + 1 : tree.end[node];
  }
  return rows;
}

/** Open at first: the root and the widest path, down to where it is no longer most of what is above it. */
export function firstOpen(tree: FlameTree): Set<number> {
  const open = new Set([0]);
  for (let node = 0; tree.end[node] > node + 1; node++) {
    open.add(node);
    if (node > 0 && tree.width[node + 1] < tree.width[node] / 2) break;
  }
  return open;
}

/** With every caller of `node` open. */
export function openTo(tree: FlameTree, open: ReadonlySet<number>, node: number): ReadonlySet<number> {
  const missing: number[] = [];
  for (let above = tree.parent[node]; above >= 0; above = tree.parent[above]) {
    if (!open.has(above)) missing.push(above);
  }
  return missing.length === 0 ? open : new Set([...open, ...missing]);
}

export function isLeaf(tree: FlameTree, node: number): boolean {
  return tree.end[node] === node + 1;
}
