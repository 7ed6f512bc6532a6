/** Makes the nodes of a graph and connects them, repeatedly if trimming needs it. */
import { buildCallTree } from './call-tree.ts';
import { connect } from './edges.ts';
import type { GraphOptions } from './graph-options.ts';
import { GraphNode } from './graph.ts';
import { buildNodes, type NodeTable } from './node-table.ts';
import { addTags } from './node-tags.ts';
import { tallyNodes, type Tally } from './tally.ts';

export class GraphSource {
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
