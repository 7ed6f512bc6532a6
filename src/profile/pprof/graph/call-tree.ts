/** -call_tree: a location reached through different callers is a different node. */
import type { Profile } from '../../profile.ts';
import { addEdge, GraphNode } from './graph.ts';
import type { NodeTable } from './node-table.ts';
import { tagAdder, type TagOptions } from './node-tags.ts';
import { hasWeight, type Weights } from './tally.ts';

export function buildCallTree(
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
export function trimCallTree(nodes: readonly GraphNode[], kept: ReadonlySet<GraphNode>): GraphNode[] {
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
