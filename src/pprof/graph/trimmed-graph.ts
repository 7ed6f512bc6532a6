/** The graph of a report, trimmed to what matters: -nodefraction, -edgefraction, -nodecount. */
import { abs64, truncateToInt64 } from '../../base/int64.ts';
import type { ReportContext } from '../report-context.ts';
import { pathTrimmer } from '../trim-path.ts';
import { buildCallTree, trimCallTree } from './call-tree.ts';
import { connect } from './edges.ts';
import { entropyScore } from './entropy.ts';
import { byFlat, byScore, GraphNode, removeEdge, type NodeOrder } from './graph.ts';
import { buildNodes, type NodeTable } from './node-table.ts';
import { removeRedundantEdges } from './redundant-edges.ts';
import { addTags, trimTags } from './tags.ts';
import { tallyNodes, type Tally } from './tally.ts';

export interface TrimmedGraph {
  readonly nodes: readonly GraphNode[];
  /** Nodes left after dropping the light ones, before -nodecount. */
  readonly originalCount: number;
  readonly droppedNodes: number;
  readonly droppedEdges: number;
}

/** Tag boxes drawn per node. */
export const MAX_TAGS = 4;

/** Which edges a report shows: all, or only those into nodes that are inlined somewhere. */
type EdgeNeed = 'all' | 'inline';

export function trimmedGraph(context: ReportContext): TrimmedGraph {
  const { config, report } = context;
  const visual = report === 'dot';
  const callTree = config.call_tree && (visual || report === 'callgrind');
  const need = report === 'text' || report === 'top' || report === 'topproto' ? 'inline' : 'all';
  const source = new GraphSource(context, need, visual);
  if (callTree) return trimmedTree(context, source.callTree());
  return visual ? trimmedDrawing(context, source) : trimmedPlain(context, source);
}

interface Cutoffs {
  readonly node: bigint;
  readonly edge: bigint;
}

/** Fractions are of what the nodes add up to, which is not the report's total when stacks were filtered. */
function cutoffs({ config }: ReportContext, flatSum: bigint): Cutoffs {
  const sum = Number(BigInt.asIntN(64, flatSum));
  const fraction = (of: number): bigint => abs64(truncateToInt64(sum * of));
  return { node: fraction(config.nodefraction), edge: fraction(config.edgefraction) };
}

function orderOf({ config, report }: ReportContext): NodeOrder {
  if (report === 'dot') return byScore(entropyScore);
  return config.sort === 'cum' ? byScore(node => node.cum) : byFlat;
}

/** Text reports: the choice of nodes depends on no edge, so edges are made once, for the nodes that are left. */
function trimmedPlain(context: ReportContext, source: GraphSource): TrimmedGraph {
  const { count, flatSum } = source.tally();
  const cutoff = cutoffs(context, flatSum);
  const heavy = source.nodes(cutoff.node).sort(orderOf(context));
  const { nodecount } = context.config;
  const nodes = nodecount > 0 ? heavy.slice(0, nodecount) : heavy;
  // Where nothing was trimmed every node takes part in the edges, also those that are not shown.
  source.connect(nodes, nodes.length === count);
  const droppedEdges = trimEdges(nodes, cutoff.edge);
  return { nodes, originalCount: heavy.length, droppedNodes: count - heavy.length, droppedEdges };
}

/** Drawings: nodes are chosen by how they are connected, so edges are made again after each choice. */
function trimmedDrawing(context: ReportContext, source: GraphSource): TrimmedGraph {
  const { count, flatSum } = source.tally();
  const cutoff = cutoffs(context, flatSum);
  let nodes = source.nodes(cutoff.node);
  const originalCount = nodes.length;
  source.connect(nodes, originalCount === count);
  nodes.sort(orderOf(context));
  const { nodecount } = context.config;
  if (nodecount > 0) {
    // Light tags and edges go first: they would count in the selection.
    trimTags(nodes, cutoff.node);
    trimEdges(nodes, cutoff.edge);
    const top = nodes.slice(0, drawnCount(nodes, nodecount));
    if (top.length < nodes.length) {
      nodes = source.fresh(top);
      source.connect(nodes, false);
      nodes.sort(orderOf(context));
    }
  }
  trimTags(nodes, cutoff.node);
  const droppedEdges = trimEdges(nodes, cutoff.edge);
  removeRedundantEdges(nodes);
  return { nodes, originalCount, droppedNodes: count - originalCount, droppedEdges };
}

function trimmedTree(context: ReportContext, all: readonly GraphNode[]): TrimmedGraph {
  const visual = context.report === 'dot';
  const cutoff = cutoffs(
    context,
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
  nodes.sort(orderOf(context));
  const { nodecount } = context.config;
  if (nodecount > 0) {
    trimTags(nodes, cutoff.node);
    trimEdges(nodes, cutoff.edge);
    const top = nodes.slice(0, visual ? drawnCount(nodes, nodecount) : nodecount);
    if (top.length < nodes.length) nodes = keep(nodes, top).sort(orderOf(context));
  }
  trimTags(nodes, cutoff.node);
  const droppedEdges = trimEdges(nodes, cutoff.edge);
  if (visual) removeRedundantEdges(nodes);
  return { nodes, originalCount, droppedNodes: all.length - heavy.length, droppedEdges };
}

/** The untrimmed nodes without edges: what a source listing needs. */
export function flatNodes(context: ReportContext): readonly GraphNode[] {
  const source = new GraphSource(context, 'inline', false);
  source.tally();
  return source.nodes(0n);
}

class GraphSource {
  private readonly context: ReportContext;
  private readonly need: EdgeNeed;
  private readonly tagged: boolean;
  private readonly table: NodeTable;
  private readonly indexOf = new Map<GraphNode, number>();
  private sums: Tally | undefined;

  constructor(context: ReportContext, need: EdgeNeed, tagged: boolean) {
    this.context = context;
    this.need = need;
    this.tagged = tagged;
    const { report, config } = context;
    this.table = buildNodes(context.profile, {
      objectNames: report === 'list' || report === 'callgrind',
      trimPath: pathTrimmer(config.trim_path, config.source_path),
    });
  }

  /** Adds up the values; returns how many nodes are shown, and their flat sum. */
  tally(): { count: number; flatSum: bigint } {
    const { profile, weights } = this.context;
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
      // Numbers and bigints compare as the integers they are.
      const reaches = cum[index] >= cutoff || -cum[index] >= cutoff;
      if (reaches && this.isShown(flat[index], cum[index])) nodes.push(this.node(index));
    }
    return nodes;
  }

  callTree(): GraphNode[] {
    const { profile, weights } = this.context;
    const tree = buildCallTree(profile, this.table, weights, this.tagged ? this.tagOptions() : undefined);
    return tree.filter(node => this.isShown(node.flat, node.cum));
  }

  /** The same nodes without edges and tags. */
  fresh(nodes: readonly GraphNode[]): GraphNode[] {
    return nodes.map(node => this.node(this.indexOf.get(node)!));
  }

  /** Connects `nodes` among themselves, or, with `others`, with every node there is. */
  connect(nodes: readonly GraphNode[], others: boolean): void {
    const participants = new Map<number, GraphNode>();
    for (const node of nodes) participants.set(this.indexOf.get(node)!, node);
    if (others) {
      for (let index = 0; index < this.table.infos.length; index++) {
        if (!participants.has(index)) participants.set(index, this.node(index));
      }
    }
    const { profile, weights } = this.context;
    if (this.need === 'inline') {
      const targets = this.everInlined(participants);
      if (targets !== undefined) connect(profile, this.table, weights, participants, targets);
    } else {
      connect(profile, this.table, weights, participants);
    }
    if (this.tagged) addTags(profile, this.table, weights, participants, this.tagOptions());
  }

  /** Marks the nodes that stand inlined in some location; undefined when there is none among the participants. */
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

  private tagOptions(): { labelUnits: ReadonlyMap<string, string>; outputUnit: string } {
    return { labelUnits: this.context.labelUnits, outputUnit: this.context.config.unit };
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
    return !(this.context.config.drop_negative && (flat < 0 || (flat == 0 && cum < 0)));
  }
}

/** How many of the sorted nodes to draw: tags take room too. */
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
