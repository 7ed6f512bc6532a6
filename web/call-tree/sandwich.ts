/**
 * One function between its callers and its callees.
 *
 *     callers     main ▸ serve ▸ handle        grown from the function towards the root
 *     FUNCTION
 *     callees     encode, write ...            all that it calls, from wherever it was called
 *
 * A stack that passes through the function more than once counts once, by its outermost call, so that both halves add
 * up to the function's cum.
 */
import type { FlameTree } from './call-tree.ts';
import { forOutermost } from './function-totals.ts';
import { layOut, type WidthOf } from './lay-out.ts';
import { TreeDraft } from './tree-builder.ts';

export interface Sandwich {
  readonly callers: FlameTree;
  readonly callees: FlameTree;
}

export function sandwichOf(tree: FlameTree, frame: number, widthOf: WidthOf = 'after'): Sandwich {
  const callers = new TreeDraft();
  const callees = new TreeDraft();
  const ownCaller = callers.child(0, frame);
  const ownCallee = callees.child(0, frame);
  /** By node of the tree: its place among the callees. */
  const placed = new Int32Array(tree.length);
  forOutermost(tree, (node, isOutermost) => {
    if (tree.frame[node] !== frame || !isOutermost) return;
    let caller = ownCaller;
    for (let above = tree.parent[node]; above > 0; above = tree.parent[above]) {
      caller = callers.child(caller, tree.frame[above]);
    }
    add(callers, caller, tree.total[node], tree.before?.total[node]);
    placed[node] = ownCallee;
    for (let below = node; below < tree.end[node]; below++) {
      if (below > node) placed[below] = callees.child(placed[tree.parent[below]], tree.frame[below]);
      add(callees, placed[below], tree.self[below], tree.before?.self[below]);
    }
  });
  const options = { frames: tree.frames, hasBefore: tree.before !== undefined, widthOf };
  return { callers: layOut(callers, options), callees: layOut(callees, options) };
}

function add(draft: TreeDraft, node: number, after: number, before: number | undefined): void {
  draft.add(node, after);
  if (before !== undefined) draft.add(node, before, 'before');
}
