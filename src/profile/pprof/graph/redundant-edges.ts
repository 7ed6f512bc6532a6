/** Removes residual edges whose ends stay connected without them: the drawing gets clearer and means the same. */
import { removeEdge, sortEdges, type GraphEdge, type GraphNode } from './graph.ts';

export function removeRedundantEdges(nodes: readonly GraphNode[]): void {
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
