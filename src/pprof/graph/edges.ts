/** Edges between the nodes that take part in a graph, from the stacks. */
import type { Int64Column } from '../../base/int64.ts';
import type { Profile } from '../../model/profile.ts';
import { addEdge, type GraphNode } from './graph.ts';
import type { NodeTable } from './node-table.ts';
import { hasWeight, likeColumn, sumColumn, type Weights } from './tally.ts';

/**
 * Connects `participants` (node index to graph node; nodes not in it are left out). Per sample an edge counts once;
 * an edge over left-out nodes is residual; an edge is inline only while every call along it was. `targets`, when
 * given, says into which nodes edges are wanted at all.
 */
export function connect(
  profile: Profile,
  nodes: NodeTable,
  weights: Weights,
  participants: ReadonlyMap<number, GraphNode>,
  targets?: Uint8Array,
): void {
  const graphNodes = [...participants.values()];
  const edges = new EdgeIndex(graphNodes.length);
  const idOf = new Int32Array(nodes.infos.length).fill(-1);
  let next = 0;
  for (const node of participants.keys()) idOf[node] = next++;
  const weightOf = new ColumnAdder(weights.value);
  const divisorOf = weights.divisor === undefined ? undefined : new ColumnAdder(weights.divisor);
  const { stackStart, stackLocations, length } = profile.samples;
  const { locationStart, locationNodes } = nodes;
  for (let sample = 0; sample < length; sample++) {
    if (!hasWeight(weights, sample)) continue;
    let parent = -1;
    let residual = false;
    for (let i = stackStart[sample + 1] - 1; i >= stackStart[sample]; i--) {
      const location = stackLocations[i];
      const outermost = locationStart[location + 1] - 1;
      for (let k = outermost; k >= locationStart[location]; k--) {
        const node = locationNodes[k];
        const id = idOf[node];
        if (id < 0) {
          residual = true;
          continue;
        }
        if (parent >= 0 && parent !== id && (targets === undefined || targets[node] === 1)) {
          const edge = edges.intern(parent, id);
          if (edges.visitor[edge] !== sample + 1) {
            edges.visitor[edge] = sample + 1;
            weightOf.add(edge, sample);
            divisorOf?.add(edge, sample);
            if (residual) edges.residual[edge] = 1;
            if (k === outermost) edges.plain[edge] = 1;
          }
        }
        parent = id;
        residual = false;
      }
    }
  }
  for (let edge = 0; edge < edges.length; edge++) {
    addEdge({
      source: graphNodes[edges.source[edge]],
      target: graphNodes[edges.target[edge]],
      weight: weightOf.sum(edge),
      divisor: divisorOf?.sum(edge) ?? 0n,
      residual: edges.residual[edge] === 1,
      inline: edges.plain[edge] === 0,
    });
  }
}

/** Sums of one column per edge, exact. */
class ColumnAdder {
  private readonly source: Int64Column;
  private sums: Int64Column;

  constructor(source: Int64Column) {
    this.sums = sumColumn(source, 1024);
    this.source = likeColumn(source, this.sums);
  }

  add(edge: number, sample: number): void {
    if (edge >= this.sums.length) {
      const size = Math.max(this.sums.length * 2, edge + 1);
      const next = this.sums instanceof Float64Array ? new Float64Array(size) : new BigInt64Array(size);
      (next as Float64Array).set(this.sums as Float64Array);
      this.sums = next;
    }
    (this.sums as Float64Array)[edge] += (this.source as Float64Array)[sample];
  }

  sum(edge: number): bigint {
    return edge < this.sums.length ? BigInt(this.sums[edge]) : 0n;
  }
}

/** Numbers (source, target) pairs; open addressing over doubles, which hold the pair exactly. */
class EdgeIndex {
  length = 0;
  source = new Uint32Array(1024);
  target = new Uint32Array(1024);
  visitor = new Uint32Array(1024);
  residual = new Uint8Array(1024);
  /** Set once a call along the edge was not inlined. */
  plain = new Uint8Array(1024);
  private slots = new Int32Array(4096).fill(-1);
  private readonly nodeCount: number;
  private readonly small: Int32Array | undefined;

  constructor(nodeCount: number) {
    this.nodeCount = nodeCount;
    // Few nodes: a plain matrix is faster than hashing.
    if (nodeCount <= 2048) this.small = new Int32Array(nodeCount * nodeCount).fill(-1);
  }

  intern(source: number, target: number): number {
    if (this.small !== undefined) {
      const at = source * this.nodeCount + target;
      if (this.small[at] < 0) this.small[at] = this.add(source, target);
      return this.small[at];
    }
    const mask = this.slots.length - 1;
    let slot = (Math.imul(source, 0x9e3779b1) ^ Math.imul(target, 0x85ebca6b)) >>> 0;
    slot = (slot ^ (slot >>> 15)) & mask;
    for (; this.slots[slot] >= 0; slot = (slot + 1) & mask) {
      const edge = this.slots[slot];
      if (this.source[edge] === source && this.target[edge] === target) return edge;
    }
    const edge = this.add(source, target);
    this.slots[slot] = edge;
    if (this.length * 2 > this.slots.length) this.rehash();
    return edge;
  }

  private add(source: number, target: number): number {
    if (this.length === this.source.length) {
      const size = this.length * 2;
      const grow = <T extends Uint32Array | Uint8Array>(old: T, next: T): T => {
        next.set(old);
        return next;
      };
      this.source = grow(this.source, new Uint32Array(size));
      this.target = grow(this.target, new Uint32Array(size));
      this.visitor = grow(this.visitor, new Uint32Array(size));
      this.residual = grow(this.residual, new Uint8Array(size));
      this.plain = grow(this.plain, new Uint8Array(size));
    }
    this.source[this.length] = source;
    this.target[this.length] = target;
    return this.length++;
  }

  private rehash(): void {
    const slots = new Int32Array(this.slots.length * 2).fill(-1);
    const mask = slots.length - 1;
    for (let edge = 0; edge < this.length; edge++) {
      let slot = (Math.imul(this.source[edge], 0x9e3779b1) ^ Math.imul(this.target[edge], 0x85ebca6b)) >>> 0;
      slot = (slot ^ (slot >>> 15)) & mask;
      while (slots[slot] >= 0) slot = (slot + 1) & mask;
      slots[slot] = edge;
    }
    this.slots = slots;
  }
}
