/**
 * Layers of a directed graph, callers above callees, and the order within each layer with few crossings.
 *
 *     layer 0      main                 An edge over several layers passes through places of its own (`-1` is no node),
 *     layer 1      serve   -            so that it is drawn around the nodes between its ends.
 *     layer 2      read    poll
 */
export interface LayerEdge {
  readonly from: number;
  readonly to: number;
  /** Heavier edges are kept straighter. */
  readonly weight: number;
}

/** One place in a layer: a node, or where an edge passes. */
export interface Place {
  /** -1 where an edge passes. */
  readonly node: number;
  readonly layer: number;
}

export interface Link {
  /** Indexes of places; the upper one first. */
  readonly upper: number;
  readonly lower: number;
  readonly weight: number;
}

export interface Layers {
  /** The first are the nodes, in their order. */
  readonly places: readonly Place[];
  /** By layer: its places from left to right. */
  readonly order: readonly (readonly number[])[];
  readonly links: readonly Link[];
  /** By edge: the places it passes, from its source to its target. Empty for a node that calls itself. */
  readonly paths: readonly (readonly number[])[];
}

const SWEEPS = 12;

export function layersOf(nodeCount: number, edges: readonly LayerEdge[]): Layers {
  const layerOf = ranks(nodeCount, edges);
  const places: Place[] = layerOf.map((layer, node) => ({ node, layer }));
  const links: Link[] = [];
  const paths = edges.map(({ from, to, weight }) => {
    if (from === to) return [];
    const isDown = layerOf[from] <= layerOf[to];
    const [top, bottom] = isDown ? [from, to] : [to, from];
    const path = [top];
    for (let layer = layerOf[top] + 1; layer < layerOf[bottom]; layer++) {
      path.push(places.push({ node: -1, layer }) - 1);
    }
    path.push(bottom);
    for (let i = 1; i < path.length; i++) links.push({ upper: path[i - 1], lower: path[i], weight });
    return isDown ? path : path.reverse();
  });
  return { places, links, paths, order: ordered(places, links) };
}

/** The layer of each node: below all its callers, except where calls form a cycle. */
function ranks(nodeCount: number, edges: readonly LayerEdge[]): number[] {
  const below = forward(nodeCount, edges);
  const indegree = new Array<number>(nodeCount).fill(0);
  for (const targets of below) for (const to of targets) indegree[to]++;
  const rank = new Array<number>(nodeCount).fill(0);
  const ready = indegree.flatMap((count, node) => (count === 0 ? [node] : []));
  for (let at = 0; at < ready.length; at++) {
    for (const to of below[ready[at]]) {
      rank[to] = Math.max(rank[to], rank[ready[at]] + 1);
      if (--indegree[to] === 0) ready.push(to);
    }
  }
  // Roots move down to what they call.
  const called = new Set(below.flat());
  for (let node = 0; node < nodeCount; node++) {
    if (called.has(node) || below[node].length === 0) continue;
    rank[node] = Math.min(...below[node].map(to => rank[to])) - 1;
  }
  return rank;
}

/** By node: its targets, without the edges that close a cycle. Depth first, the heaviest edge first; iterative. */
function forward(nodeCount: number, edges: readonly LayerEdge[]): number[][] {
  const out: LayerEdge[][] = Array.from({ length: nodeCount }, () => []);
  for (const edge of edges) if (edge.from !== edge.to) out[edge.from].push(edge);
  for (const list of out) list.sort((a, b) => b.weight - a.weight);
  const hasCaller = new Uint8Array(nodeCount);
  for (const { from, to } of edges) if (from !== to) hasCaller[to] = 1;
  const starts = Array.from({ length: nodeCount }, (_, node) => node).sort((a, b) => hasCaller[a] - hasCaller[b]);
  const state = new Uint8Array(nodeCount); // 1 on the stack, 2 done
  const below: number[][] = Array.from({ length: nodeCount }, () => []);
  for (const start of starts) {
    if (state[start] !== 0) continue;
    const stack = [{ node: start, next: 0 }];
    state[start] = 1;
    while (stack.length > 0) {
      const top = stack[stack.length - 1];
      const edge = out[top.node][top.next++];
      if (edge === undefined) {
        state[top.node] = 2;
        stack.pop();
      } else if (state[edge.to] !== 1) {
        below[top.node].push(edge.to);
        if (state[edge.to] === 0) {
          state[edge.to] = 1;
          stack.push({ node: edge.to, next: 0 });
        }
      }
    }
  }
  return below;
}

/** Sorts each layer by the mean position of its neighbours, downwards and upwards, and keeps the best. */
function ordered(places: readonly Place[], links: readonly Link[]): number[][] {
  const count = places.reduce((max, { layer }) => Math.max(max, layer + 1), 0);
  let order: number[][] = Array.from({ length: count }, () => []);
  places.forEach(({ layer }, place) => order[layer].push(place));
  const above = neighbours(places.length, links, 'lower');
  const below = neighbours(places.length, links, 'upper');
  let best = order;
  let fewest = crossings(order, below);
  for (let sweep = 0; sweep < SWEEPS && fewest > 0; sweep++) {
    const isDown = sweep % 2 === 0;
    const next = order.map(layer => [...layer]);
    const layers = isDown ? [...next.keys()].slice(1) : [...next.keys()].slice(0, -1).reverse();
    for (const layer of layers) {
      const fixed = next[isDown ? layer - 1 : layer + 1];
      const position = new Map(fixed.map((place, i) => [place, i]));
      const own = new Map(next[layer].map((place, i) => [place, i]));
      const mean = (place: number): number => {
        const list = (isDown ? above : below)[place];
        if (list.length === 0) return own.get(place) ?? 0;
        return list.reduce((sum, { place: other }) => sum + (position.get(other) ?? 0), 0) / list.length;
      };
      const means = new Map(next[layer].map(place => [place, mean(place)]));
      next[layer].sort((a, b) => means.get(a)! - means.get(b)! || own.get(a)! - own.get(b)!);
    }
    order = next;
    const crossed = crossings(order, below);
    if (crossed < fewest) [fewest, best] = [crossed, order];
  }
  return best;
}

export interface Neighbour {
  readonly place: number;
  readonly weight: number;
}

/** By place: the other ends of the links whose `end` it is. */
export function neighbours(count: number, links: readonly Link[], end: 'upper' | 'lower'): Neighbour[][] {
  const lists: Neighbour[][] = Array.from({ length: count }, () => []);
  for (const link of links) {
    lists[link[end]].push({ place: end === 'upper' ? link.lower : link.upper, weight: link.weight });
  }
  return lists;
}

/** How many pairs of links cross. Quadratic in the links of a layer, of which a graph of 80 nodes has few. */
function crossings(order: readonly (readonly number[])[], below: readonly (readonly Neighbour[])[]): number {
  let count = 0;
  for (let layer = 0; layer + 1 < order.length; layer++) {
    const position = new Map(order[layer + 1].map((place, i) => [place, i]));
    const seen: number[] = [];
    for (const place of order[layer]) {
      const ends = below[place].map(({ place: other }) => position.get(other) ?? 0);
      for (const end of ends) for (const other of seen) if (other > end) count++;
      seen.push(...ends);
    }
  }
  return count;
}
