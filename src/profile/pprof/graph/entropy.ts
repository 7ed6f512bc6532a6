/** How much a node adds to a drawing: a node that only passes calls from one caller to one callee adds little. */
import { abs64, truncateToInt64 } from '../../../base/int64.ts';
import type { GraphEdge, GraphNode } from './graph.ts';

export function entropyScore(node: GraphNode): bigint {
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
