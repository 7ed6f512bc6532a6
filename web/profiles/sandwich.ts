/**
 * One function between its callers and its callees.
 *
 *     callers     main ▸ serve ▸ handle        a tree from the function up to the root
 *     FUNCTION
 *     callees     encode, write ...            a tree of everything it calls, from all call sites
 *
 * A stack that contains the function several times counts once, by the outermost call, so both halves add up to the
 * function's cum. A caller has no self value here: what it holds itself is not in the function.
 */
import type { CallTree, TreeNodes } from './call-tree.ts';
import { forOutermost, functionTotals, type FunctionTotal } from './function-totals.ts';
import { layOut, type WidthOf } from './lay-out.ts';
import { Uint32ColumnBuilder } from '../../src/base/columns.ts';
import { SequenceTrie } from '../../src/base/sequence-trie.ts';

export interface Sandwich {
  readonly callers: CallTree;
  readonly callees: CallTree;
  /** The function itself, as in the table of functions. */
  readonly own: FunctionTotal | undefined;
}

export function sandwichOf(tree: CallTree, frame: number, widthOf: WidthOf = 'after'): Sandwich {
  const callers = new TreeBuilder();
  const callees = new TreeBuilder();
  const ownCaller = callers.child(0, frame);
  const ownCallee = callees.child(0, frame);
  /** By node of the tree: its node among the callees. */
  const calleeOf = new Int32Array(tree.length);
  forOutermost(tree, (node, isOutermost) => {
    if (tree.frame[node] !== frame || !isOutermost) return;
    let caller = ownCaller;
    for (let above = tree.parent[node]; above > 0; above = tree.parent[above]) {
      caller = callers.child(caller, tree.frame[above]);
      callers.addLines(caller, tree.firstLine[above], tree.lastLine[above]);
    }
    callers.addLines(ownCaller, tree.firstLine[node], tree.lastLine[node]);
    add(callers, caller, tree.total[node], tree.before?.total[node]);
    calleeOf[node] = ownCallee;
    for (let below = node; below < tree.end[node]; below++) {
      if (below > node) calleeOf[below] = callees.child(calleeOf[tree.parent[below]], tree.frame[below]);
      callees.addLines(calleeOf[below], tree.firstLine[below], tree.lastLine[below]);
      add(callees, calleeOf[below], tree.self[below], tree.before?.self[below]);
    }
  });
  const options = { frames: tree.frames, hasBefore: tree.before !== undefined, widthOf, whole: tree.whole };
  const own = functionTotals(tree).find(total => total.frame === frame);
  return { callers: layOut(callers.finish(), options), callees: layOut(callees.finish(), options), own };
}

function add(builder: TreeBuilder, node: number, after: number, before: number | undefined): void {
  builder.add(node, after);
  if (before !== undefined) builder.add(node, before, 'before');
}

/**
 * Builds a call tree from few stacks, one after the other, root first; `groupStacks` is for a whole profile.
 *
 * Which of two compared profiles a value comes from; 'after' when there is only one.
 */
type Side = 'before' | 'after';

export class TreeBuilder {
  /** By node; node 0 is the root, and a parent comes before its children. */
  private readonly parents = new Uint32ColumnBuilder(1 << 10);
  private readonly frames = new Uint32ColumnBuilder(1 << 10);
  private firstLines = new Uint32Array(1 << 10);
  private lastLines = new Uint32Array(1 << 10);
  private readonly trie = new SequenceTrie();
  private readonly selves: Record<Side, Float64Array> = {
    before: new Float64Array(1 << 10),
    after: new Float64Array(1 << 10),
  };

  constructor() {
    this.parents.push(0);
    this.frames.push(0);
  }

  private get length(): number {
    return this.parents.length;
  }

  /** The child of `parent` for `frame`, added when it is new. */
  child(parent: number, frame: number): number {
    const node = this.trie.child(parent, frame);
    if (node === this.parents.length) {
      this.parents.push(parent);
      this.frames.push(frame);
    }
    return node;
  }

  /** Adds to a node's self value. */
  add(node: number, value: number, side: Side = 'after'): void {
    if (node >= this.selves[side].length) this.selves[side] = grown(this.selves[side], this.length);
    this.selves[side][node] += value;
  }

  /** Widens the range of a node's lines; 0 means unknown. */
  addLines(node: number, first: number, last: number): void {
    if (first === 0) return;
    if (node >= this.firstLines.length) {
      this.firstLines = grown(this.firstLines, this.length);
      this.lastLines = grown(this.lastLines, this.length);
    }
    if (this.firstLines[node] === 0 || first < this.firstLines[node]) this.firstLines[node] = first;
    if (last > this.lastLines[node]) this.lastLines[node] = last;
  }

  finish(): TreeNodes {
    const { length } = this;
    return {
      length,
      parents: this.parents.finish(),
      frames: this.frames.finish(),
      after: grown(this.selves.after, length).subarray(0, length),
      before: grown(this.selves.before, length).subarray(0, length),
      firstLines: grown(this.firstLines, length).subarray(0, length),
      lastLines: grown(this.lastLines, length).subarray(0, length),
    };
  }
}

function grown<Column extends Float64Array | Uint32Array>(column: Column, length: number): Column {
  if (column.length >= length) return column;
  const next = new (column.constructor as new (length: number) => Column)(Math.max(length, column.length * 2));
  next.set(column);
  return next;
}
