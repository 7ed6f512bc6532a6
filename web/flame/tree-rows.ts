/** The rows of a call tree shown as a table: the nodes whose callers are all open, in preorder. */
import type { CallTree } from '../call-tree/call-tree.ts';

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
