/** The graph of a report, trimmed to what matters: -nodefraction, -edgefraction, -nodecount. */
import { abs64, truncateToInt64 } from '../../../base/int64.ts';
import { trimCallTree } from './call-tree.ts';
import { entropyScore } from './entropy.ts';
import type { GraphOptions } from './graph-options.ts';
import { GraphSource } from './graph-source.ts';
import { byFlat, byScore, removeEdge, type GraphNode, type NodeOrder } from './graph.ts';
import { trimTags } from './node-tags.ts';
import { removeRedundantEdges } from './redundant-edges.ts';

export interface TrimmedGraph {
  readonly nodes: readonly GraphNode[];
  /** Nodes left after dropping the light ones, before -nodecount. */
  readonly originalCount: number;
  readonly droppedNodes: number;
  readonly droppedEdges: number;
}

/** Tag boxes drawn per node. */
export const MAX_TAGS = 4;

export function trimmedGraph(options: GraphOptions): TrimmedGraph {
  const source = new GraphSource(options);
  if (options.callTree) return trimmedTree(options, source.callTree());
  return options.drawing ? trimmedDrawing(options, source) : trimmedPlain(options, source);
}

interface Cutoffs {
  readonly node: bigint;
  readonly edge: bigint;
}

/** Fractions refer to the sum of the nodes, which differs from the report's total if stacks were filtered. */
function cutoffs({ nodeFraction, edgeFraction }: GraphOptions, flatSum: bigint): Cutoffs {
  const sum = Number(BigInt.asIntN(64, flatSum));
  const fraction = (of: number): bigint => abs64(truncateToInt64(sum * of));
  return { node: fraction(nodeFraction), edge: fraction(edgeFraction) };
}

function orderOf({ drawing, sort }: GraphOptions): NodeOrder {
  if (drawing) return byScore(entropyScore);
  return sort === 'cum' ? byScore(node => node.cum) : byFlat;
}

/** Text reports: the choice of nodes does not depend on edges, so edges are made once, for the remaining nodes. */
function trimmedPlain(options: GraphOptions, source: GraphSource): TrimmedGraph {
  const { count, flatSum } = source.tally();
  const cutoff = cutoffs(options, flatSum);
  const heavy = source.nodes(cutoff.node).sort(orderOf(options));
  const { nodeCount } = options;
  const nodes = nodeCount > 0 ? heavy.slice(0, nodeCount) : heavy;
  // If nothing was trimmed, edges go through every node, even those that are not shown.
  source.connect(nodes, nodes.length === count);
  const droppedEdges = trimEdges(nodes, cutoff.edge);
  return { nodes, originalCount: heavy.length, droppedNodes: count - heavy.length, droppedEdges };
}

/** Drawings: nodes are chosen by how they are connected, so edges are made again after each choice. */
function trimmedDrawing(options: GraphOptions, source: GraphSource): TrimmedGraph {
  const { count, flatSum } = source.tally();
  const cutoff = cutoffs(options, flatSum);
  let nodes = source.nodes(cutoff.node);
  const originalCount = nodes.length;
  source.connect(nodes, originalCount === count);
  nodes.sort(orderOf(options));
  const { nodeCount } = options;
  if (nodeCount > 0) {
    // Light tags and edges go first; otherwise they would affect the selection.
    trimTags(nodes, cutoff.node);
    trimEdges(nodes, cutoff.edge);
    const top = nodes.slice(0, drawnCount(nodes, nodeCount));
    if (top.length < nodes.length) {
      nodes = source.fresh(top);
      source.connect(nodes, false);
      nodes.sort(orderOf(options));
    }
  }
  trimTags(nodes, cutoff.node);
  const droppedEdges = trimEdges(nodes, cutoff.edge);
  removeRedundantEdges(nodes);
  return { nodes, originalCount, droppedNodes: count - originalCount, droppedEdges };
}

function trimmedTree(options: GraphOptions, all: readonly GraphNode[]): TrimmedGraph {
  const cutoff = cutoffs(
    options,
    all.reduce((sum, node) => sum + node.flat, 0n),
  );
  const heavy = all.filter(node => abs64(node.cum) >= cutoff.node);
  const keep = (nodes: readonly GraphNode[], kept: readonly GraphNode[]): GraphNode[] => {
    const left = trimCallTree(nodes, new Set(kept));
    removeRedundantEdges(left);
    return left;
  };
  let nodes = heavy.length < all.length ? keep(all, heavy) : [...all];
  const originalCount = nodes.length;
  nodes.sort(orderOf(options));
  const { nodeCount } = options;
  if (nodeCount > 0) {
    trimTags(nodes, cutoff.node);
    trimEdges(nodes, cutoff.edge);
    const top = nodes.slice(0, options.drawing ? drawnCount(nodes, nodeCount) : nodeCount);
    if (top.length < nodes.length) nodes = keep(nodes, top).sort(orderOf(options));
  }
  trimTags(nodes, cutoff.node);
  const droppedEdges = trimEdges(nodes, cutoff.edge);
  if (options.drawing) removeRedundantEdges(nodes);
  return { nodes, originalCount, droppedNodes: all.length - heavy.length, droppedEdges };
}

/** The untrimmed nodes without edges: what a source listing needs. */
export function flatNodes(options: GraphOptions): readonly GraphNode[] {
  const source = new GraphSource(options);
  source.tally();
  return source.nodes(0n);
}

/** How many of the sorted nodes to draw; tags take space too. */
function drawnCount(nodes: readonly GraphNode[], limit: number): number {
  let count = 0;
  for (let i = 0; i < nodes.length; i++) {
    count += Math.min(flatTagCount(nodes[i]), MAX_TAGS) + 1;
    if (count >= limit) return i + 1;
  }
  return Math.min(limit, nodes.length);
}

function flatTagCount(node: GraphNode): number {
  let count = 0;
  for (const tag of node.labelTags.values()) if (tag.flat !== 0n) count++;
  for (const tags of node.numericTags.values()) for (const tag of tags.values()) if (tag.flat !== 0n) count++;
  return count;
}

function trimEdges(nodes: readonly GraphNode[], cutoff: bigint): number {
  let dropped = 0;
  for (const node of nodes) {
    for (const edge of [...node.in.values()]) {
      if (abs64(edge.weight) >= cutoff) continue;
      removeEdge(edge);
      dropped++;
    }
  }
  return dropped;
}
