/** The graph of a report, trimmed to what matters: -nodefraction, -edgefraction, -nodecount. */
import { abs64, truncateToInt64 } from '../../base/int64.ts';
import { byFlat, byScore, removeEdge, GraphNode, type NodeOrder, type GraphEdge, sortEdges, addEdge } from './graph.ts';
import { trimTags, addTags, tagAdder, type TagOptions } from './node-tags.ts';
import { connect } from './edges.ts';
import { buildNodes, type NodeTable, type NodeOptions } from './node-table.ts';
import { tallyNodes, type Tally, hasWeight, type Weights } from './tally.ts';
import type { Profile } from '../profile.ts';

/** What a graph is made of and how much of it is kept. Reports derive it from their name and pprof's flags. */
export interface GraphOptions extends NodeOptions, TagOptions {
  readonly profile: Profile;
  readonly weights: Weights;
  /** A drawing picks nodes by how they are connected, and its nodes carry tags. */
  readonly drawing: boolean;
  /** A location reached through different callers is a different node. */
  readonly callTree: boolean;
  /** Which edges are needed: all, or only those into nodes that are inlined somewhere. */
  readonly edges: 'all' | 'inlined';
  /** The order of the nodes, except in drawings. */
  readonly sort: 'flat' | 'cum';
  /** Nodes to keep; 0 keeps all. */
  readonly nodeCount: number;
  /** Nodes and edges below this share of the sum of the nodes are dropped. */
  readonly nodeFraction: number;
  readonly edgeFraction: number;
  readonly dropNegative: boolean;
}

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

/** How much a node adds to a drawing: a node that only passes calls from one caller to one callee adds little. */
function entropyScore(node: GraphNode): bigint {
  const into = node.in.size === 0 ? 1 : edgeEntropy(node.in.values(), 0n);
  const outOf = node.out.size === 0 ? 1 : edgeEntropy(node.out.values(), node.flat);
  return BigInt.asIntN(64, truncateToInt64((into + outOf) * Number(node.cum)) + node.flat);
}

function edgeEntropy(edges: Iterable<GraphEdge>, self: bigint): number {
  const weights = [...edges].map(edge => edge.weight);
  let total = self;
  for (const weight of weights) if (weight > 0n) total += weight;
  if (total === 0n) return 0;
  const part = (weight: bigint): number => {
    const fraction = Number(abs64(weight)) / Number(total);
    return -fraction * Math.log2(fraction);
  };
  let score = 0;
  for (const weight of weights) score += part(weight);
  return self > 0n ? score + part(self) : score;
}

/** Removes residual edges whose ends stay connected without them: the drawing gets clearer and means the same. */
function removeRedundantEdges(nodes: readonly GraphNode[]): void {
  // Lightest first: they matter least.
  for (let i = nodes.length - 1; i >= 0; i--) {
    const incoming = sortEdges(nodes[i].in.values());
    for (let j = incoming.length - 1; j >= 0; j--) {
      // Never remove an edge heavier than one that shows a direct call.
      if (!incoming[j].residual) break;
      if (isRedundant(incoming[j])) removeEdge(incoming[j]);
    }
  }
}

/** Whether the edge's source reaches its target some other way. */
function isRedundant(edge: GraphEdge): boolean {
  const seen = new Set<GraphNode>([edge.target]);
  const queue = [edge.target];
  for (let at = 0; at < queue.length; at++) {
    for (const incoming of queue[at].in.values()) {
      if (incoming === edge || seen.has(incoming.source)) continue;
      if (incoming.source === edge.source) return true;
      seen.add(incoming.source);
      queue.push(incoming.source);
    }
  }
  return false;
}

/** Makes the nodes of a graph and connects them, repeatedly if trimming needs it. */
class GraphSource {
  private readonly options: GraphOptions;
  private readonly table: NodeTable;
  private readonly indexOf = new Map<GraphNode, number>();
  private sums: Tally | undefined;

  constructor(options: GraphOptions) {
    this.options = options;
    this.table = buildNodes(options.profile, options);
  }

  /** Adds up the values; returns how many nodes are shown, and their flat sum. */
  tally(): { count: number; flatSum: bigint } {
    const { profile, weights } = this.options;
    this.sums = tallyNodes(profile, this.table, weights);
    const { flat, cum } = this.sums;
    let count = 0;
    let flatSum = 0n;
    for (let index = 0; index < flat.length; index++) {
      if (!this.isShown(flat[index], cum[index])) continue;
      count++;
      if (flat[index] != 0) flatSum += BigInt(flat[index]);
    }
    return { count, flatSum };
  }

  /** The shown nodes whose cum reaches `cutoff`, not yet connected. */
  nodes(cutoff: bigint): GraphNode[] {
    const { flat, cum } = this.sums!;
    const nodes: GraphNode[] = [];
    for (let index = 0; index < flat.length; index++) {
      // Numbers and bigints compare as integers.
      const reaches = cum[index] >= cutoff || -cum[index] >= cutoff;
      if (reaches && this.isShown(flat[index], cum[index])) nodes.push(this.node(index));
    }
    return nodes;
  }

  callTree(): GraphNode[] {
    const { profile, weights } = this.options;
    const tree = buildCallTree(profile, this.table, weights, this.options.drawing ? this.options : undefined);
    return tree.filter(node => this.isShown(node.flat, node.cum));
  }

  /** The same nodes without edges and tags. */
  fresh(nodes: readonly GraphNode[]): GraphNode[] {
    return nodes.map(node => this.node(this.indexOf.get(node)!));
  }

  /** Connects `nodes` with each other or, with `others`, with every node. */
  connect(nodes: readonly GraphNode[], others: boolean): void {
    const participants = new Map<number, GraphNode>();
    for (const node of nodes) participants.set(this.indexOf.get(node)!, node);
    if (others) {
      for (let index = 0; index < this.table.infos.length; index++) {
        if (!participants.has(index)) participants.set(index, this.node(index));
      }
    }
    const { profile, weights } = this.options;
    if (this.options.edges === 'inlined') {
      const targets = this.everInlined(participants);
      if (targets !== undefined) connect(profile, this.table, weights, participants, targets);
    } else {
      connect(profile, this.table, weights, participants);
    }
    if (this.options.drawing) addTags(profile, this.table, weights, participants, this.options);
  }

  /** Marks the nodes that are inlined in some location; undefined if no participant is. */
  private everInlined(participants: ReadonlyMap<number, GraphNode>): Uint8Array | undefined {
    const { locationStart, locationNodes, infos } = this.table;
    const marks = new Uint8Array(infos.length);
    let any = false;
    for (let location = 0; location < locationStart.length - 1; location++) {
      for (let k = locationStart[location]; k < locationStart[location + 1] - 1; k++) {
        marks[locationNodes[k]] = 1;
        any ||= participants.has(locationNodes[k]);
      }
    }
    return any ? marks : undefined;
  }

  private node(index: number): GraphNode {
    const node = new GraphNode(this.table.infos[index]);
    const { flat, cum, flatDivisor, cumDivisor } = this.sums!;
    node.flat = BigInt(flat[index]);
    node.cum = BigInt(cum[index]);
    node.flatDivisor = BigInt(flatDivisor?.[index] ?? 0);
    node.cumDivisor = BigInt(cumDivisor?.[index] ?? 0);
    this.indexOf.set(node, index);
    return node;
  }

  private isShown(flat: number | bigint, cum: number | bigint): boolean {
    if (cum == 0 && flat == 0) return false;
    return !(this.options.dropNegative && (flat < 0 || (flat == 0 && cum < 0)));
  }
}

/** -call_tree: a location reached through different callers is a different node. */
function buildCallTree(
  profile: Profile,
  nodes: NodeTable,
  weights: Weights,
  tags: TagOptions | undefined,
): GraphNode[] {
  const all: GraphNode[] = [];
  const childrenOf = new Map<GraphNode | undefined, Map<number, GraphNode>>();
  const numberOf = new Map<GraphNode | undefined, number>([[undefined, 0]]);
  const { stackStart, stackLocations, length } = profile.samples;
  const { locationStart, locationNodes, infos } = nodes;

  const child = (parent: GraphNode | undefined, index: number): GraphNode => {
    let children = childrenOf.get(parent);
    if (children === undefined) childrenOf.set(parent, (children = new Map()));
    let node = children.get(index);
    if (node === undefined) {
      node = new GraphNode(infos[index]);
      const { name, file, startLine, objectFile } = infos[index];
      node.functionKey = `${numberOf.get(parent)}\0${name}\0${file}\0${startLine}\0${objectFile}`;
      children.set(index, node);
      all.push(node);
      numberOf.set(node, all.length);
    }
    return node;
  };

  for (let sample = 0; sample < length; sample++) {
    if (!hasWeight(weights, sample)) continue;
    const weight = BigInt(weights.value[sample]);
    const divisor = weights.divisor === undefined ? 0n : BigInt(weights.divisor[sample]);
    const addTag = tags === undefined ? undefined : tagAdder(profile, weights, sample, tags);
    let parent: GraphNode | undefined;
    for (let i = stackStart[sample + 1] - 1; i >= stackStart[sample]; i--) {
      const location = stackLocations[i];
      const outermost = locationStart[location + 1] - 1;
      for (let k = outermost; k >= locationStart[location]; k--) {
        const node = child(parent, locationNodes[k]);
        node.cum += weight;
        node.cumDivisor += divisor;
        addTag?.(node, false);
        if (parent !== undefined) {
          let edge = parent.out.get(node);
          if (edge === undefined) {
            edge = { source: parent, target: node, weight: 0n, divisor: 0n, residual: false, inline: true };
            addEdge(edge);
          }
          edge.weight += weight;
          edge.divisor += divisor;
          if (k === outermost) edge.inline = false;
        }
        parent = node;
      }
    }
    if (parent !== undefined) {
      parent.flat += weight;
      parent.flatDivisor += divisor;
      addTag?.(parent, true);
    }
  }
  return all;
}

/** Keeps only `kept`; children of a removed node move to its parent, with a residual edge. */
function trimCallTree(nodes: readonly GraphNode[], kept: ReadonlySet<GraphNode>): GraphNode[] {
  const left: GraphNode[] = [];
  for (const node of nodes) {
    if (kept.has(node)) {
      left.push(node);
      continue;
    }
    const [parentEdge] = node.in.values();
    if (parentEdge === undefined) {
      for (const edge of node.out.values()) edge.target.in.delete(node);
      continue;
    }
    const parent = parentEdge.source;
    parent.out.delete(node);
    for (const edge of node.out.values()) {
      edge.target.in.delete(node);
      edge.source = parent;
      addEdge(edge);
      edge.residual = true;
      edge.inline &&= parentEdge.inline;
    }
  }
  return left;
}
