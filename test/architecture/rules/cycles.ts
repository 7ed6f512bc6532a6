/**
 * No cycles between files; type imports count like any other. Between rooms there can be none, since imports go down
 * one line. A folder and its subfolders are one feature and may import each other.
 */
import { type Arrow, graphOf } from '../graph.ts';
import type { Offence } from '../offence.ts';

/** A file -> the files that it imports. */
type Graph = ReadonlyMap<string, ReadonlySet<string>>;

export function cycleOffences(arrows: readonly Arrow[]): Offence[] {
  const graph = graphOf(arrows, 'imports');
  const cycles = components(graph).filter(set => set.length > 1 || graph.get(set[0])?.has(set[0]));
  return cycles.map(set => {
    const problem = `is in a cycle of files: ${shortestCycle(graph, set.sort()).join(' -> ')}`;
    return { rule: 'cycle', path: set[0], line: 0, problem, weight: set.length };
  });
}

/** a -> b -> a: the shortest path from one of the files back to itself. */
function shortestCycle(graph: Graph, set: readonly string[]): string[] {
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
