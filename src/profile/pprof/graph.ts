/** The call graph of a report: nodes with values, and the edges between them. */
import { abs64 } from '../../base/int64.ts';
import { compareText } from '../../base/text.ts';
import { goStructText, printableName, type NodeInfo } from './node-table.ts';

const NO_EDGES = new Map<GraphNode, GraphEdge>();
const NO_TAGS = new Map<string, Tag>();
const NO_NUMERIC_TAGS = new Map<string, Map<string, Tag>>();

export class GraphNode {
  readonly info: NodeInfo;
  flat = 0n;
  flatDivisor = 0n;
  cum = 0n;
  cumDivisor = 0n;
  // Edges and tags start as one shared empty map: most nodes of a large graph never get any.
  in: Map<GraphNode, GraphEdge> = NO_EDGES;
  out: Map<GraphNode, GraphEdge> = NO_EDGES;
  labelTags: Map<string, Tag> = NO_TAGS;
  /** Keyed by the sample's label set; '' for samples without string labels. */
  numericTags: Map<string, Map<string, Tag>> = NO_NUMERIC_TAGS;
  /**
   * In a call tree, one value for all nodes of one function under one parent; callgrind distinguishes functions by it.
   */
  functionKey = '';
  private printable: string | undefined;

  constructor(info: NodeInfo) {
    this.info = info;
  }

  get flatValue(): bigint {
    return this.flatDivisor === 0n ? this.flat : this.flat / this.flatDivisor;
  }

  get cumValue(): bigint {
    return this.cumDivisor === 0n ? this.cum : this.cum / this.cumDivisor;
  }

  get name(): string {
    return (this.printable ??= printableName(this.info));
  }
}

export interface GraphEdge {
  source: GraphNode;
  target: GraphNode;
  weight: bigint;
  divisor: bigint;
  /** Skips nodes that were left out. */
  residual: boolean;
  /** Every call along it was inlined. */
  inline: boolean;
}

export function edgeValue(edge: GraphEdge): bigint {
  return edge.divisor === 0n ? edge.weight : edge.weight / edge.divisor;
}

/** Part of a node's value that carries one label. */
export interface Tag {
  readonly name: string;
  readonly unit: string;
  readonly value: bigint;
  flat: bigint;
  flatDivisor: bigint;
  cum: bigint;
  cumDivisor: bigint;
}

export function tagFlat(tag: Tag): bigint {
  return tag.flatDivisor === 0n ? tag.flat : tag.flat / tag.flatDivisor;
}

export function tagCum(tag: Tag): bigint {
  return tag.cumDivisor === 0n ? tag.cum : tag.cum / tag.cumDivisor;
}

export function sortTags(tags: readonly Tag[], byFlat: boolean): Tag[] {
  return [...tags].sort(
    (a, b) => (byFlat ? 0 : descending(a.cum, b.cum)) || descending(a.flat, b.flat) || compareText(a.name, b.name),
  );
}

/** Larger magnitude first. */
export function descending(a: bigint, b: bigint): number {
  const x = abs64(a);
  const y = abs64(b);
  return x === y ? 0 : x > y ? -1 : 1;
}

function sameInfo(a: NodeInfo, b: NodeInfo): boolean {
  return (
    a === b ||
    (a.name === b.name &&
      a.address === b.address &&
      a.file === b.file &&
      a.line === b.line &&
      a.column === b.column &&
      a.startLine === b.startLine &&
      a.objectFile === b.objectFile)
  );
}

/** By printable name; undefined if both are the same location. */
function compareNames(a: GraphNode, b: GraphNode): number | undefined {
  if (sameInfo(a.info, b.info)) return undefined;
  if (a.info.address !== 0n && b.info.address !== 0n && a.info.address !== b.info.address) {
    return a.info.address < b.info.address ? -1 : 1;
  }
  return compareText(a.name, b.name);
}

export function compareAsStructs(a: GraphNode, b: GraphNode): number {
  return compareText(goStructText(a.info), goStructText(b.info));
}

export type NodeOrder = (a: GraphNode, b: GraphNode) => number;

export const byFlat: NodeOrder = (a, b) =>
  descending(a.flat, b.flat) || (compareNames(a, b) ?? (descending(a.cum, b.cum) || compareAsStructs(a, b)));

/** By a score per node: the cumulative value, or how much a node adds to a drawing. */
export function byScore(score: (node: GraphNode) => bigint): NodeOrder {
  const known = new Map<GraphNode, bigint>();
  const scoreOf = (node: GraphNode): bigint => {
    let value = known.get(node);
    if (value === undefined) known.set(node, (value = score(node)));
    return value;
  };
  return (a, b) =>
    descending(scoreOf(a), scoreOf(b)) ||
    (compareNames(a, b) ?? (descending(a.flat, b.flat) || compareAsStructs(a, b)));
}

export function sortEdges(edges: Iterable<GraphEdge>): GraphEdge[] {
  return [...edges].sort(
    (a, b) =>
      descending(a.weight, b.weight) ||
      compareText(a.source.name, b.source.name) ||
      compareText(a.target.name, b.target.name),
  );
}

/** Puts an edge between its two nodes, replacing none. */
export function addEdge(edge: GraphEdge): void {
  const { source, target } = edge;
  if (source.out === NO_EDGES) source.out = new Map();
  if (target.in === NO_EDGES) target.in = new Map();
  source.out.set(target, edge);
  target.in.set(source, edge);
}

/** Gives a node tag maps of its own. */
export function openTags(node: GraphNode): void {
  if (node.labelTags === NO_TAGS) node.labelTags = new Map();
  if (node.numericTags === NO_NUMERIC_TAGS) node.numericTags = new Map();
}

export function removeEdge(edge: GraphEdge): void {
  edge.source.out.delete(edge.target);
  edge.target.in.delete(edge.source);
}
