/**
 * A call tree laid out for drawing: nodes in preorder, in columns.
 *
 *     0 root ── 1 main ── 2 serve        depth   0 1 2 2
 *                      └─ 3 poll         end     4 4 3 4       the subtree of i is i .. end[i]
 *                                        parent -1 0 1 1
 *
 *     |root                  |           x, width       from 0 to 1; siblings lie side by side, the widest first
 *     |main             |                               what is left of a parent at the right is its own
 *     |serve     |poll|
 *
 *     levelNodes[levelStart[d] .. levelStart[d + 1]]     the nodes of depth d from left to right
 *
 * A tree of two profiles has `before` too; `self` and `total` are then of the later one.
 */
export interface FrameList {
  /** The function as the profile names it, or `key=value` of a label. */
  readonly names: readonly string[];
  /** Source file, '' when not known. */
  readonly files: readonly string[];
  /** 1 where the frame stands for a label. */
  readonly isLabel: Uint8Array;
}

export interface TreeValues {
  readonly self: Float64Array;
  readonly total: Float64Array;
}

export interface FlameTree extends TreeValues {
  readonly length: number;
  readonly frames: FrameList;
  /** Index into `frames`; -1 for the root. */
  readonly frame: Int32Array;
  readonly parent: Int32Array;
  readonly depth: Int32Array;
  readonly end: Int32Array;
  readonly before: TreeValues | undefined;
  readonly x: Float64Array;
  readonly width: Float64Array;
  readonly levelStart: Int32Array;
  readonly levelNodes: Int32Array;
  /** Nodes that were left out because they are too many; all are smaller than those that are kept. */
  readonly droppedNodes: number;
}

/** The rows of the drawing, the root's included. */
export function levelCount(tree: FlameTree): number {
  return tree.levelStart.length - 1;
}

export function nameOf(tree: FlameTree, node: number): string {
  return tree.frame[node] < 0 ? 'all' : tree.frames.names[tree.frame[node]];
}

/** Nodes from the root's child to `node`. */
export function pathTo(tree: FlameTree, node: number): number[] {
  const path: number[] = [];
  for (let at = node; at > 0; at = tree.parent[at]) path.push(at);
  return path.reverse();
}

/** The change of a node's total; its total where there is nothing to compare with. */
export function changeOf(tree: FlameTree, node: number): number {
  return tree.total[node] - (tree.before?.total[node] ?? 0);
}

/** The direct child of `node` for `frame`; -1 when there is none. */
export function childWith(tree: FlameTree, node: number, frame: number): number {
  for (let child = node + 1; child < tree.end[node]; child = tree.end[child]) {
    if (tree.frame[child] === frame) return child;
  }
  return -1;
}

/** Follows names from the root for as long as they are there; 0 when the first is not. */
export function nodeAlong(tree: FlameTree, names: readonly string[]): number {
  let node = 0;
  for (const name of names) {
    const next = childWith(tree, node, tree.frames.names.indexOf(name));
    if (next < 0) break;
    node = next;
  }
  return node;
}
