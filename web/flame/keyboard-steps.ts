/** Where the arrow keys lead: to the caller, to the widest callee, or along the row. */
import { heaviestLeaf, type CallTree } from '../call-tree/call-tree.ts';

export type Step = 'caller' | 'callee' | 'left' | 'right' | 'first' | 'last';

/** The node itself when there is none in that direction. */
export function stepFrom(tree: CallTree, node: number, step: Step): number {
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

/** Binary search: the nodes of a row are sorted. */
function neighbour(tree: CallTree, node: number, by: -1 | 1): number {
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
