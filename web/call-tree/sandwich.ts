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
import type { CallTree } from './call-tree.ts';
import { forOutermost, functionTotals, type FunctionTotal } from './function-totals.ts';
import { layOut, type WidthOf } from './lay-out.ts';
import { TreeBuilder } from './tree-builder.ts';

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
