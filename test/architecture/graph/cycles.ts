/** Cycles of a graph: each set of names that all reach each other, and its shortest cycle. */
import type { Graph } from './graph.ts';

/** The sets of two or more names, or of one that points to itself, sorted. */
export function cyclesOf(graph: Graph): string[][] {
  const cycles = components(graph).filter(set => set.length > 1 || graph.get(set[0])?.has(set[0]));
  return cycles.map(set => set.sort()).sort((a, b) => (a[0] < b[0] ? -1 : 1));
}

/** a -> b -> a: the shortest path from one of the names back to itself. */
export function shortestCycle(graph: Graph, set: readonly string[]): string[] {
  const ways = set.map(start => wayBack(graph, start, new Set(set)));
  return ways.reduce((best, way) => (way.length < best.length ? way : best));
}

function wayBack(graph: Graph, start: string, within: ReadonlySet<string>): string[] {
  const ways: string[][] = [[start]];
  const seen = new Set<string>();
  for (const way of ways) {
    for (const next of graph.get(way[way.length - 1]) ?? []) {
      if (next === start) return [...way, next];
      if (!within.has(next) || seen.has(next)) continue;
      seen.add(next);
      ways.push([...way, next]);
    }
  }
  throw new Error(`${start} is in no cycle`);
}

/** Tarjan's algorithm: one walk; a name whose `low` is its own index closes a set. */
function components(graph: Graph): string[][] {
  const found: string[][] = [];
  const indices = new Map<string, number>();
  const open: string[] = [];
  const isOpen = new Set<string>();

  const visit = (name: string): number => {
    const index = indices.size;
    let low = index;
    indices.set(name, index);
    open.push(name);
    isOpen.add(name);
    for (const next of graph.get(name) ?? []) {
      const known = indices.get(next);
      if (known === undefined) low = Math.min(low, visit(next));
      else if (isOpen.has(next)) low = Math.min(low, known);
    }
    if (low === index) {
      const set = open.splice(open.indexOf(name));
      for (const member of set) isOpen.delete(member);
      found.push(set);
    }
    return low;
  };
  for (const name of graph.keys()) if (!indices.has(name)) visit(name);
  return found;
}
