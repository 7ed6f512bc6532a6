/** Where the arrow keys lead: towards the root, to the widest callee, along the row. */
import type { FlameTree } from '../call-tree/call-tree.ts';

export type Step = 'caller' | 'callee' | 'left' | 'right' | 'first' | 'last';

/** The node itself where there is nothing in that direction. */
export function stepFrom(tree: FlameTree, node: number, step: Step): number {
  switch (step) {
    case 'caller':
      return Math.max(tree.parent[node], 0);
    case 'callee':
      return tree.end[node] > node + 1 ? node + 1 : node;
    case 'left':
    case 'right':
      return neighbour(tree, node, step === 'left' ? -1 : 1);
    case 'first':
      return 0;
    case 'last':
      return heaviestLeaf(tree, node);
  }
}

/** Nodes of a row are in the order of their numbers. */
function neighbour(tree: FlameTree, node: number, by: -1 | 1): number {
  const { levelStart, levelNodes, depth } = tree;
  const [from, to] = [levelStart[depth[node]], levelStart[depth[node] + 1]];
  let low = from;
  let high = to - 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (levelNodes[middle] < node) low = middle + 1;
    else high = middle;
  }
  const next = low + by;
  return next < from || next >= to ? node : levelNodes[next];
}

/** The end of the widest path below a node. */
export function heaviestLeaf(tree: FlameTree, node: number): number {
  let at = node;
  while (tree.end[at] > at + 1) at++;
  return at;
}
