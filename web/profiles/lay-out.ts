/** Totals, widths, order and rows of a call tree. Iterative, not recursive: stacks can be very deep. */
import type { CallTree, FrameList, TreeNodes, TreeValues, WholeTotals } from './call-tree.ts';

/**
 * What a frame's width shows when two profiles are compared: the later value, or the larger of the two, which keeps
 * removed frames visible.
 */
export type WidthOf = 'after' | 'larger';

export interface LayoutOptions {
  readonly frames: FrameList;
  readonly hasBefore: boolean;
  readonly widthOf: WidthOf;
  /** What shares refer to, if the tree is only a part of it. */
  readonly whole?: WholeTotals | undefined;
  readonly maxNodes?: number;
}

/** More than anyone can look at, and still fast to lay out. */
const MAX_NODES = 400_000;

export function layOut(nodes: TreeNodes, options: LayoutOptions): CallTree {
  const { parents, frames, after, length: count } = nodes;
  const before = options.hasBefore ? nodes.before : undefined;

  // Widths add up from the leaves, so that children always fit in their parent.
  const weight = new Float64Array(count);
  for (let node = 0; node < count; node++) {
    const was = before === undefined || options.widthOf === 'after' ? 0 : Math.abs(before[node]);
    weight[node] = Math.max(Math.abs(after[node]), was);
  }
  sumUp(weight, parents);

  const kept = nodesToKeep(nodes, before, weight, options.maxNodes ?? MAX_NODES);
  const order = preorder(parents, weight, kept.marks, kept.count);
  const length = order.length;
  const frame = picked(new Int32Array(length), frames, order);
  frame[0] = -1;
  const ofAfter = totals(after, parents, order);
  const ofBefore = before === undefined ? undefined : totals(before, parents, order);
  const width = picked(new Float64Array(length), weight, order);
  const whole = width[0];
  for (let node = 0; node < length; node++) width[node] = whole > 0 ? width[node] / whole : 0;
  const parent = newParents(parents, order);
  return {
    length,
    frames: options.frames,
    frame,
    parent,
    ...ofAfter,
    before: ofBefore,
    whole: options.whole ?? { after: ofAfter.total[0], before: ofBefore?.total[0] ?? 0 },
    firstLine: picked(new Int32Array(length), nodes.firstLines, order),
    lastLine: picked(new Int32Array(length), nodes.lastLines, order),
    width,
    ...places(parent, width),
    droppedNodes: kept.dropped,
  };
}

/** Fills a column with the values of the nodes that are kept. A loop: `from` with a function is ten times slower. */
function picked<Column extends Int32Array | Float64Array>(
  into: Column,
  column: Uint32Array | Float64Array,
  order: Int32Array,
): Column {
  for (let at = 0; at < order.length; at++) into[at] = column[order[at]];
  return into;
}

function totals(self: Float64Array, parents: Uint32Array, order: Int32Array): TreeValues {
  const total = self.slice();
  sumUp(total, parents);
  const length = order.length;
  return { self: picked(new Float64Array(length), self, order), total: picked(new Float64Array(length), total, order) };
}

function newParents(parents: Uint32Array, order: Int32Array): Int32Array {
  const rank = new Int32Array(parents.length);
  for (let at = 0; at < order.length; at++) rank[order[at]] = at;
  const parent = new Int32Array(order.length);
  for (let at = 1; at < order.length; at++) parent[at] = rank[parents[order[at]]];
  parent[0] = -1;
  return parent;
}

/** Adds each node's value to its parent's, from the leaves up. */
function sumUp(column: Float64Array, parents: Uint32Array): void {
  for (let node = column.length - 1; node > 0; node--) column[parents[node]] += column[node];
}

/** Keeps nodes with a value on either side; if there are too many, only the widest. A parent is at least as wide as its children. */
function nodesToKeep(
  { parents, after, length: count }: TreeNodes,
  before: Float64Array | undefined,
  weight: Float64Array,
  maxNodes: number,
): { marks: Uint8Array; count: number; dropped: number } {
  const amount = new Float64Array(count);
  for (let node = 0; node < count; node++) {
    amount[node] = Math.abs(after[node]) + (before === undefined ? 0 : Math.abs(before[node]));
  }
  sumUp(amount, parents);
  const least = count > maxNodes ? nthSmallest(weight, count - maxNodes) : 0;
  const marks = new Uint8Array(count);
  let kept = 0;
  let dropped = 0;
  for (let node = 0; node < count; node++) {
    const hasValue = node === 0 || amount[node] > 0;
    // Drop all nodes that tie at the limit: keeping them could exceed `maxNodes`.
    const isWide = count <= maxNodes || node === 0 || weight[node] > least;
    if (hasValue && isWide) kept += marks[node] = 1;
    else if (hasValue) dropped++;
  }
  return { marks, count: kept, dropped };
}

/** Nodes in preorder, the widest child first; equal children in the order they were added. */
function preorder(parents: Uint32Array, weight: Float64Array, marks: Uint8Array, kept: number): Int32Array {
  const count = parents.length;
  const start = new Int32Array(count + 1);
  for (let node = 1; node < count; node++) if (marks[node] === 1) start[parents[node] + 1]++;
  for (let node = 0; node < count; node++) start[node + 1] += start[node];
  const fill = start.slice(0, count);
  const children = new Int32Array(start[count]);
  for (let node = 1; node < count; node++) if (marks[node] === 1) children[fill[parents[node]]++] = node;

  const order = new Int32Array(kept);
  const stack = new Int32Array(kept);
  let height = 1;
  let at = 0;
  while (height > 0) {
    const node = stack[--height];
    order[at++] = node;
    const [from, to] = [start[node], start[node + 1]];
    if (to - from > 1) sortByWeight(children, from, to, weight);
    for (let i = to - 1; i >= from; i--) stack[height++] = children[i];
  }
  return order;
}

/** Most nodes have a few children: for those, the built-in sort takes longer to begin than to sort. */
const FEW = 24;

function sortByWeight(nodes: Int32Array, from: number, to: number, weight: Float64Array): void {
  if (to - from > FEW) {
    nodes.subarray(from, to).sort((a, b) => weight[b] - weight[a] || a - b);
    return;
  }
  for (let i = from + 1; i < to; i++) {
    const node = nodes[i];
    let at = i;
    for (; at > from && weight[nodes[at - 1]] < weight[node]; at--) nodes[at] = nodes[at - 1];
    nodes[at] = node;
  }
}

/** Depths, subtree ends, left edges and rows, from nodes in preorder. */
function places(
  parent: Int32Array,
  width: Float64Array,
): Pick<CallTree, 'depth' | 'end' | 'x' | 'levelStart' | 'levelNodes'> {
  const length = parent.length;
  const depth = new Int32Array(length);
  const end = new Int32Array(length);
  const x = new Float64Array(length);
  /** By node: the left edge of its next child. */
  const edge = new Float64Array(length);
  let deepest = 0;
  for (let node = 1; node < length; node++) {
    const above = parent[node];
    depth[node] = depth[above] + 1;
    deepest = Math.max(deepest, depth[node]);
    edge[node] = x[node] = edge[above];
    edge[above] += width[node];
  }
  for (let node = length - 1; node >= 0; node--) {
    end[node] = Math.max(end[node], node + 1);
    if (node > 0) end[parent[node]] = Math.max(end[parent[node]], end[node]);
  }
  const levelStart = new Int32Array(deepest + 2);
  for (let node = 0; node < length; node++) levelStart[depth[node] + 1]++;
  for (let level = 0; level <= deepest; level++) levelStart[level + 1] += levelStart[level];
  const fill = levelStart.slice();
  const levelNodes = new Int32Array(length);
  for (let node = 0; node < length; node++) levelNodes[fill[depth[node]]++] = node;
  return { depth, end, x, levelStart, levelNodes };
}

/** The value that would be at `index` if the values were sorted, without sorting them: Hoare's selection. */
export function nthSmallest(values: Float64Array, index: number): number {
  const items = values.slice();
  let [low, high] = [0, items.length - 1];
  while (low < high) {
    const pivot = middleOf(items[low], items[(low + high) >> 1], items[high]);
    let [i, j] = [low, high];
    while (i <= j) {
      while (items[i] < pivot) i++;
      while (items[j] > pivot) j--;
      if (i > j) break;
      const item = items[i];
      items[i++] = items[j];
      items[j--] = item;
    }
    if (index <= j) high = j;
    else if (index >= i) low = i;
    else break;
  }
  return items[index];
}

/** The middle one of three: a sorted column is then the best case, not the worst. */
function middleOf(a: number, b: number, c: number): number {
  return Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
}
