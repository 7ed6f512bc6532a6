/** Edges between the nodes that take part in a graph, from the stacks. */
import type { Int64Column } from '../../base/int64.ts';
import type { Profile } from '../profile.ts';
import { addEdge, type GraphNode } from './graph.ts';
import type { NodeTable } from './node-table.ts';
import { hasWeight, likeColumn, sumColumn, type Weights } from './tally.ts';

/**
 * Connects `participants` (node index to graph node; other nodes are left out). An edge counts once per sample. An edge
 * that skips nodes is residual; an edge is inline only if every call along it was. If `targets` is given, only edges
 * into those nodes are made.
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
  const weightOf = new ColumnAdder(weights.value);
  const divisorOf = weights.divisor === undefined ? undefined : new ColumnAdder(weights.divisor);
  const { stackStart, stackLocations, length } = profile.samples;
  const { start, steps, gapAfter, hasTarget } = locationSteps(nodes, participants, targets);
  for (let sample = 0; sample < length; sample++) {
    if (!hasWeight(weights, sample)) continue;
    const visit = sample + 1;
    const end = stackStart[visit];
    for (let i = end - 1; i >= stackStart[sample]; i--) {
      const location = stackLocations[i];
      if (hasTarget[location] === 0) continue;
      // The caller is the innermost participant of the nearest location that has any.
      let caller = i + 1;
      while (caller < end && start[stackLocations[caller] + 1] === start[stackLocations[caller]]) caller++;
      let parent = -1;
      let residual = 0;
      if (caller < end) {
        parent = steps[start[stackLocations[caller] + 1] - 1] >>> STEP_BITS;
        if (caller > i + 1 || gapAfter[stackLocations[caller]] === 1) residual = GAP_BEFORE;
      }
      for (let k = start[location]; k < start[location + 1]; k++) {
        const step = steps[k];
        const id = step >>> STEP_BITS;
        if ((step & WANTED) !== 0 && parent >= 0 && parent !== id) {
          const edge = edges.intern(parent, id);
          if (edges.visitor[edge] !== visit) {
            edges.visitor[edge] = visit;
            weightOf.add(edge, sample);
            divisorOf?.add(edge, sample);
            edges.flags[edge] |= residual | (step & (GAP_BEFORE | PLAIN));
          }
        }
        parent = id;
        residual = 0;
      }
    }
  }
  for (let edge = 0; edge < edges.length; edge++) {
    if (edges.visitor[edge] === 0) continue;
    addEdge({
      source: graphNodes[edges.sourceOf(edge)],
      target: graphNodes[edges.targetOf(edge)],
      weight: weightOf.sum(edge),
      divisor: divisorOf?.sum(edge) ?? 0n,
      residual: (edges.flags[edge] & GAP_BEFORE) !== 0,
      inline: (edges.flags[edge] & PLAIN) === 0,
    });
  }
}

// A step is the number of a participant, with flags about the path to it:
const STEP_BITS = 3;
/** Nodes that were left out come right before it in its location. */
const GAP_BEFORE = 1;
/** It is not inlined, but the outermost line of its location. */
const PLAIN = 2;
/** Edges into it are needed. */
const WANTED = 4;

/**
 * For each location, outermost first: its participants, whether nodes that were left out follow the last one, and
 * whether edges into any of them are needed.
 */
function locationSteps(
  nodes: NodeTable,
  participants: ReadonlyMap<number, GraphNode>,
  targets: Uint8Array | undefined,
): { start: Uint32Array; steps: Uint32Array; gapAfter: Uint8Array; hasTarget: Uint8Array } {
  const { locationStart, locationNodes, infos } = nodes;
  const idOf = new Int32Array(infos.length).fill(-1);
  let next = 0;
  for (const node of participants.keys()) idOf[node] = next++;
  const locationCount = locationStart.length - 1;
  const start = new Uint32Array(locationCount + 1);
  const steps = new Uint32Array(locationNodes.length);
  const gapAfter = new Uint8Array(locationCount);
  const hasTarget = new Uint8Array(locationCount);
  let length = 0;
  for (let location = 0; location < locationCount; location++) {
    const outermost = locationStart[location + 1] - 1;
    let gap = 0;
    for (let k = outermost; k >= locationStart[location]; k--) {
      const node = locationNodes[k];
      if (idOf[node] < 0) {
        gap = GAP_BEFORE;
        continue;
      }
      const wanted = targets === undefined || targets[node] === 1 ? WANTED : 0;
      steps[length++] = ((idOf[node] << STEP_BITS) | gap | (k === outermost ? PLAIN : 0) | wanted) >>> 0;
      if (wanted !== 0) hasTarget[location] = 1;
      gap = 0;
    }
    gapAfter[location] = gap;
    start[location + 1] = length;
  }
  return { start, steps: steps.subarray(0, length), gapAfter, hasTarget };
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

/** Up to this many nodes, an edge's number is its position in a matrix of all pairs. */
const MATRIX_NODES = 1024;

/** Numbers (source, target) pairs: a matrix for few nodes, a hash table for many. */
class EdgeIndex {
  length = 0;
  /** The last sample that used the edge, plus one; 0 if none has. */
  visitor: Uint32Array;
  flags: Uint8Array;
  private readonly nodeCount: number;
  private readonly isMatrix: boolean;
  private source = new Uint32Array(0);
  private target = new Uint32Array(0);
  private slots = new Int32Array(0);

  constructor(nodeCount: number) {
    this.nodeCount = nodeCount;
    this.isMatrix = nodeCount <= MATRIX_NODES;
    const size = this.isMatrix ? nodeCount * nodeCount : 4096;
    this.visitor = new Uint32Array(size);
    this.flags = new Uint8Array(size);
    if (this.isMatrix) {
      this.length = size;
    } else {
      this.source = new Uint32Array(size);
      this.target = new Uint32Array(size);
      this.slots = new Int32Array(size * 4).fill(-1);
    }
  }

  sourceOf(edge: number): number {
    return this.isMatrix ? Math.floor(edge / this.nodeCount) : this.source[edge];
  }

  targetOf(edge: number): number {
    return this.isMatrix ? edge % this.nodeCount : this.target[edge];
  }

  intern(source: number, target: number): number {
    return this.isMatrix ? source * this.nodeCount + target : this.lookup(source, target);
  }

  private lookup(source: number, target: number): number {
    const mask = this.slots.length - 1;
    let slot = hashPair(source, target) & mask;
    for (; this.slots[slot] >= 0; slot = (slot + 1) & mask) {
      const edge = this.slots[slot];
      if (this.source[edge] === source && this.target[edge] === target) return edge;
    }
    if (this.length === this.source.length) this.grow();
    const edge = this.length++;
    this.source[edge] = source;
    this.target[edge] = target;
    this.slots[slot] = edge;
    if (this.length * 2 > this.slots.length) this.rehash();
    return edge;
  }

  private grow(): void {
    const size = this.length * 2;
    const larger = <T extends Uint32Array | Uint8Array>(next: T, old: T): T => {
      next.set(old);
      return next;
    };
    this.source = larger(new Uint32Array(size), this.source);
    this.target = larger(new Uint32Array(size), this.target);
    this.visitor = larger(new Uint32Array(size), this.visitor);
    this.flags = larger(new Uint8Array(size), this.flags);
  }

  private rehash(): void {
    const slots = new Int32Array(this.slots.length * 2).fill(-1);
    const mask = slots.length - 1;
    for (let edge = 0; edge < this.length; edge++) {
      let slot = hashPair(this.source[edge], this.target[edge]) & mask;
      while (slots[slot] >= 0) slot = (slot + 1) & mask;
      slots[slot] = edge;
    }
    this.slots = slots;
  }
}

function hashPair(source: number, target: number): number {
  const mixed = Math.imul(source, 0x9e3779b1) ^ Math.imul(target, 0x85ebca6b);
  return (mixed ^ (mixed >>> 15)) >>> 0;
}
