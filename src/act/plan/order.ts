/**
 * Which nodes come first, and which may be worked on at the same time.
 *
 *     sorted     workers by time to limit, then control-plane nodes
 *     wave 1     the canary: one node
 *     wave 2...  up to maxConcurrent nodes, no two of one zone, no two of one pool
 *     last       control-plane nodes, one by one
 *
 * Nodes without a zone may share one, so they count as one zone; the same for pools.
 */
export interface OrderedNode {
  readonly name: string;
  readonly zone: string | null;
  readonly pool: string | null;
  readonly isControlPlane: boolean;
  /** Null: not known, so not urgent. */
  readonly hoursToLimit: number | null;
}

/** Infinity less itself is NaN, which counts as equal: names decide then. */
export function inOrder<N extends OrderedNode>(nodes: readonly N[]): N[] {
  return [...nodes].sort(
    (a, b) =>
      Number(a.isControlPlane) - Number(b.isControlPlane) ||
      (a.hoursToLimit ?? Infinity) - (b.hoursToLimit ?? Infinity) ||
      (a.name < b.name ? -1 : a.name > b.name ? 1 : 0),
  );
}

/** The nodes of each wave. */
export function wavesOf<N extends OrderedNode>(nodes: readonly N[], maxConcurrent: number): N[][] {
  const [canary, ...rest] = inOrder(nodes);
  if (canary === undefined) return [];
  const waves: N[][] = [[canary]];
  let waiting = rest;
  while (waiting.length > 0) {
    const wave: N[] = [];
    for (const node of waiting) if (wave.length < maxConcurrent && fits(node, wave)) wave.push(node);
    waves.push(wave);
    waiting = waiting.filter(node => !wave.includes(node));
  }
  return waves;
}

/** The first node always fits. A control-plane node waits until it is alone. */
function fits(node: OrderedNode, wave: readonly OrderedNode[]): boolean {
  if (wave.length === 0) return true;
  return wave.every(
    other => !node.isControlPlane && !other.isControlPlane && other.zone !== node.zone && other.pool !== node.pool,
  );
}
