/**
 * Which goroutine started which, from `created by ... in goroutine N` (Go 1.21 and later).
 *
 * A parent has often ended by the time of the dump; its id still groups its children, and one dead goroutine with
 * thousands of living children is the place to look.
 */
import type { GoroutineDump } from '../goroutine-dump.ts';
import { groupStacks } from './dump-families.ts';

export interface CreationNode {
  readonly goroutine: number;
  /** Whether it is in the dump. */
  readonly alive: boolean;
  /** Its own family, if it is alive. */
  readonly familyId: string | undefined;
  /** The goroutine that started it, if known. */
  readonly parent: number | undefined;
  /** Living goroutines that it started, directly and indirectly. */
  readonly children: number;
  readonly descendants: number;
  /** Normalised functions that started the children, with their counts. */
  readonly creators: ReadonlyMap<string, number>;
  /** Families of the children, with their counts. */
  readonly families: ReadonlyMap<string, number>;
}

export interface CreationTree {
  /** Goroutines that started others, dead ones included; most descendants first. */
  readonly parents: readonly CreationNode[];
  /** Goroutines whose parent is not printed: the main one, or all of an older Go. */
  readonly withoutParent: number;
  readonly total: number;
}

interface Draft {
  readonly goroutine: number;
  row: number;
  parent: number;
  children: number;
  descendants: number;
  readonly creators: Map<string, number>;
  readonly families: Map<string, number>;
}

export function creationTree(dump: GoroutineDump): CreationTree {
  const { goroutines, frames, strings } = dump;
  const { families, familyOfStack } = groupStacks(dump);
  const ids = families.ids();
  const { interner } = families;
  // Ids are only unique within one dump of a file.
  const sectionOf = sectionOfRow(dump);
  const sections = dump.sections.map(() => new Map<number, Draft>());
  const nodeOf = (nodes: Map<number, Draft>, goroutine: number): Draft => {
    let node = nodes.get(goroutine);
    if (node === undefined) {
      const empty = { row: -1, parent: -1, children: 0, descendants: 0 };
      nodes.set(goroutine, (node = { goroutine, ...empty, creators: new Map(), families: new Map() }));
    }
    return node;
  };

  let withoutParent = 0;
  for (let row = 0; row < goroutines.length; row++) {
    const parent = goroutines.creatorGoroutine[row];
    if (parent < 0) {
      withoutParent += goroutines.count[row];
      continue;
    }
    const nodes = sections[sectionOf(row)];
    const node = nodeOf(nodes, parent);
    node.children++;
    add(node.families, ids[familyOfStack[goroutines.stack[row]]]);
    const creator = goroutines.creator[row];
    if (creator >= 0)
      add(node.creators, interner.names[interner.idOf(strings[frames.fn[creator]], strings[frames.file[creator]])]);
    for (let a = goroutines.ancestorStart[row]; a < goroutines.ancestorStart[row + 1]; a++) {
      const grandparent = dump.ancestors.creatorGoroutine[a];
      if (grandparent >= 0) nodeOf(nodes, dump.ancestors.id[a]).parent = grandparent;
    }
  }
  for (let row = 0; row < goroutines.length; row++) {
    const node = sections[sectionOf(row)].get(goroutines.id[row]);
    if (node === undefined) continue;
    node.row = row;
    node.parent = goroutines.creatorGoroutine[row];
  }
  for (const nodes of sections) addDescendants(nodes);

  const parents = sections
    .flatMap(nodes => [...nodes.values()])
    .filter(node => node.children > 0 || node.descendants > 0)
    .map(({ row, parent, ...node }) => ({
      ...node,
      alive: row >= 0,
      familyId: row < 0 ? undefined : ids[familyOfStack[goroutines.stack[row]]],
      parent: parent < 0 ? undefined : parent,
    }))
    .sort((a, b) => b.descendants - a.descendants || a.goroutine - b.goroutine);
  return { parents, withoutParent, total: goroutines.length };
}

/** Sums children upwards, leaves first. Ids do not grow from parent to child, and a damaged dump may have cycles. */
function addDescendants(nodes: ReadonlyMap<number, Draft>): void {
  const waiting = new Map<Draft, number>();
  const parentOf = new Map<Draft, Draft>();
  for (const node of nodes.values()) {
    node.descendants = node.children;
    const parent = node.parent < 0 ? undefined : nodes.get(node.parent);
    if (parent === undefined || parent === node) continue;
    parentOf.set(node, parent);
    waiting.set(parent, (waiting.get(parent) ?? 0) + 1);
  }
  const ready = [...nodes.values()].filter(node => !waiting.has(node));
  for (let node = ready.pop(); node !== undefined; node = ready.pop()) {
    const parent = parentOf.get(node);
    if (parent === undefined) continue;
    parent.descendants += node.descendants;
    const left = waiting.get(parent)! - 1;
    waiting.set(parent, left);
    if (left === 0) ready.push(parent);
  }
}

function sectionOfRow(dump: GoroutineDump): (row: number) => number {
  const starts = dump.sections.map(section => section.firstRow);
  if (starts.length < 2) return () => 0;
  let at = 0;
  return row => {
    if (row < starts[at]) at = 0;
    while (at + 1 < starts.length && starts[at + 1] <= row) at++;
    return at;
  };
}

function add(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
