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

/** Which edges a report shows: all, none but what tells inlined nodes apart, or none. */
type EdgeNeed = 'all' | 'inline';

export function trimmedGraph(context: ReportContext): TrimmedGraph {
  const { config, report } = context;
  const visual = report === 'dot';
  const callTree = config.call_tree && (visual || report === 'callgrind');
  const source = new GraphSource(context, report === 'text' || report === 'top' || report === 'topproto' ? 'inline' : 'all', visual);

  let nodes = callTree ? source.callTree() : source.all();
  let total = 0n;
  for (const node of nodes) total += node.flat;
  const fraction = (of: number): bigint => abs64(truncateToInt64(Number(BigInt.asIntN(64, total)) * of));
  const nodeCutoff = fraction(config.nodefraction);
  const edgeCutoff = fraction(config.edgefraction);

  let droppedNodes = 0;
  let connected = callTree;
  if (nodeCutoff > 0n) {
    const kept = nodes.filter(node => abs64(node.cum) >= nodeCutoff);
    droppedNodes = nodes.length - kept.length;
    if (droppedNodes > 0) {
      if (callTree) {
        nodes = trimCallTree(nodes, new Set(kept));
        removeRedundantEdges(nodes);
      } else {
        nodes = source.rebuild(kept);
        connected = true;
      }
    }
  }
  // Without trimming every node takes part in the edges, also those that are not shown.
  if (!connected) nodes = source.connectAll(nodes);
  const originalCount = nodes.length;

  const sort = (): void => {
    const order: NodeOrder = visual ? byScore(entropyScore) : config.sort === 'cum' ? byScore(node => node.cum) : byFlat;
    nodes = [...nodes].sort(order);
  };
  sort();
  if (config.nodecount > 0) {
    // Light tags and edges go first: they would count in the selection.
    trimTags(nodes, nodeCutoff);
    trimEdges(nodes, edgeCutoff);
    const top = nodes.slice(0, topCount(nodes, config.nodecount, visual));
    if (top.length !== nodes.length) {
      if (callTree) {
        nodes = trimCallTree(nodes, new Set(top));
        removeRedundantEdges(nodes);
      } else {
        nodes = source.rebuild(top);
      }
      sort();
    }
  }
  trimTags(nodes, nodeCutoff);
  const droppedEdges = trimEdges(nodes, edgeCutoff);
  if (visual) removeRedundantEdges(nodes);
  return { nodes, originalCount, droppedNodes, droppedEdges };
}

/** The untrimmed nodes without edges: what a source listing needs. */
export function flatNodes(context: ReportContext): readonly GraphNode[] {
  return new GraphSource(context, 'inline', false).all();
}

class GraphSource {
  private readonly context: ReportContext;
  private readonly need: EdgeNeed;
  private readonly tagged: boolean;
  private readonly table: NodeTable;
  private readonly indexOf = new Map<GraphNode, number>();
  private tally: Tally | undefined;

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

  /** Every node with a value, not yet connected. */
  all(): GraphNode[] {
    const { profile, weights } = this.context;
    this.tally = tallyNodes(profile, this.table, weights);
    const nodes: GraphNode[] = [];
    for (let index = 0; index < this.table.infos.length; index++) {
      const node = this.node(index);
      if (this.isShown(node)) nodes.push(node);
    }
    return nodes;
  }

  callTree(): GraphNode[] {
    const { profile, weights } = this.context;
    const tree = buildCallTree(profile, this.table, weights, this.tagged ? this.tagOptions() : undefined);
    return tree.filter(node => this.isShown(node));
  }

  /** New nodes for these, connected among themselves only. */
  rebuild(kept: readonly GraphNode[]): GraphNode[] {
    const participants = new Map<number, GraphNode>();
    for (const old of kept) {
      const index = this.indexOf.get(old)!;
      participants.set(index, this.node(index));
    }
    this.connect(participants);
    return [...participants.values()];
  }

  /** Connects every node there is; returns `shown`. */
  connectAll(shown: readonly GraphNode[]): GraphNode[] {
    const participants = new Map<number, GraphNode>();
    for (const node of shown) participants.set(this.indexOf.get(node)!, node);
    for (let index = 0; index < this.table.infos.length; index++) {
      if (!participants.has(index)) participants.set(index, this.node(index));
    }
    this.connect(participants);
    return [...shown];
  }

  private connect(participants: ReadonlyMap<number, GraphNode>): void {
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
    const { flat, cum, flatDivisor, cumDivisor } = this.tally!;
    node.flat = BigInt(flat[index]);
    node.cum = BigInt(cum[index]);
    node.flatDivisor = BigInt(flatDivisor?.[index] ?? 0);
    node.cumDivisor = BigInt(cumDivisor?.[index] ?? 0);
    this.indexOf.set(node, index);
    return node;
  }

  private isShown(node: GraphNode): boolean {
    if (node.cum === 0n && node.flat === 0n) return false;
    return !(this.context.config.drop_negative && (node.flat < 0n || (node.flat === 0n && node.cum < 0n)));
  }
}

/** How many of the sorted nodes to keep; in a drawing, tags take room too. */
function topCount(nodes: readonly GraphNode[], limit: number, visual: boolean): number {
  if (visual) {
    let count = 0;
    for (let i = 0; i < nodes.length; i++) {
      count += Math.min(flatTagCount(nodes[i]), MAX_TAGS) + 1;
      if (count >= limit) return Math.min(i + 1, nodes.length);
    }
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
