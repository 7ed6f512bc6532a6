/** Totals, widths, order and rows of a call tree. Iterative, not recursive: stacks can be very deep. */
import type { CallTree, FrameList } from './call-tree.ts';
import type { TreeBuilder } from './tree-builder.ts';

/**
 * What a frame's width shows when two profiles are compared: the later value, or the larger of the two, which keeps
 * removed frames visible.
 */
export type WidthOf = 'after' | 'larger';

export interface LayoutOptions {
  readonly frames: FrameList;
  readonly hasBefore: boolean;
  readonly widthOf: WidthOf;
  readonly maxNodes?: number;
}

/** More than anyone can look at, and still fast to lay out. */
const MAX_NODES = 400_000;

export function layOut(builder: TreeBuilder, options: LayoutOptions): CallTree {
  const { parents, frames } = builder;
  const after = builder.self('after');
  const before = options.hasBefore ? builder.self('before') : undefined;
  const count = builder.length;

  // Widths add up from the leaves, so that children always fit in their parent.
  const weight = new Float64Array(count);
  for (let node = 0; node < count; node++) {
    const was = before === undefined || options.widthOf === 'after' ? 0 : Math.abs(before[node]);
    weight[node] = Math.max(Math.abs(after[node]), was);
  }
  sumUp(weight, parents.items);

  const kept = nodesToKeep(builder, after, before, weight, options.maxNodes ?? MAX_NODES);
  const order = preorder(builder, weight, kept.marks, kept.count);
  const rank = new Int32Array(count).fill(-1);
  order.forEach((node, at) => (rank[node] = at));

  const length = order.length;
  const frame = Int32Array.from(order, node => (node === 0 ? -1 : frames.items[node]));
  const parent = Int32Array.from(order, node => (node === 0 ? -1 : rank[parents.items[node]]));
  const totals = (self: Float64Array): { self: Float64Array; total: Float64Array } => {
    const total = self.slice();
    sumUp(total, parents.items);
    const pick = (column: Float64Array): Float64Array => Float64Array.from(order, node => column[node]);
    return { self: pick(self), total: pick(total) };
  };
  const width = Float64Array.from(order, node => (weight[0] > 0 ? weight[node] / weight[0] : 0));
  return {
    length,
    frames: options.frames,
    frame,
    parent,
    ...totals(after),
    before: before === undefined ? undefined : totals(before),
    width,
    ...places(parent, width),
    droppedNodes: kept.dropped,
  };
}

/** Adds each node's value to its parent's, from the leaves up. */
function sumUp(column: Float64Array, parents: Uint32Array): void {
  for (let node = column.length - 1; node > 0; node--) column[parents[node]] += column[node];
}

/** Keeps nodes with a value on either side; if there are too many, only the widest. A parent is at least as wide as its children. */
function nodesToKeep(
  builder: TreeBuilder,
  after: Float64Array,
  before: Float64Array | undefined,
  weight: Float64Array,
  maxNodes: number,
): { marks: Uint8Array; count: number; dropped: number } {
  const count = builder.length;
  const amount = new Float64Array(count);
  for (let node = 0; node < count; node++) amount[node] = Math.abs(after[node]) + Math.abs(before?.[node] ?? 0);
  sumUp(amount, builder.parents.items);
  let least = 0;
  if (count > maxNodes) least = weight.slice().sort()[count - maxNodes];
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
function preorder(builder: TreeBuilder, weight: Float64Array, marks: Uint8Array, kept: number): Int32Array {
  const parents = builder.parents.items;
  const count = builder.length;
  const start = new Int32Array(count + 1);
  for (let node = 1; node < count; node++) if (marks[node] === 1) start[parents[node] + 1]++;
  for (let node = 0; node < count; node++) start[node + 1] += start[node];
  const fill = start.slice(0, count);
  const children = new Int32Array(start[count]);
  for (let node = 1; node < count; node++) if (marks[node] === 1) children[fill[parents[node]]++] = node;

  const order = new Int32Array(kept);
  const stack = [0];
  let at = 0;
  while (stack.length > 0) {
    const node = stack.pop()!;
    order[at++] = node;
    const own = children.subarray(start[node], start[node + 1]);
    if (own.length > 1) own.sort((a, b) => weight[b] - weight[a] || a - b);
    for (let i = own.length - 1; i >= 0; i--) stack.push(own[i]);
  }
  return order;
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
