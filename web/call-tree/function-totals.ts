/** The tree by function: flat is what ends in it, cum what passes through it, each stack once however it recurses. */
import type { FlameTree, TreeValues } from './call-tree.ts';

export interface FunctionTotal {
  readonly frame: number;
  readonly flat: number;
  readonly cum: number;
  readonly flatBefore: number;
  readonly cumBefore: number;
  /** The widest node of the function. */
  readonly node: number;
}

/** Several parts of a page ask for them each time they are drawn. */
const known = new WeakMap<FlameTree, readonly FunctionTotal[]>();

/** Largest flat first, as pprof's top has it. Frames that stand for labels are no functions. */
export function functionTotals(tree: FlameTree): readonly FunctionTotal[] {
  let totals = known.get(tree);
  if (totals === undefined) known.set(tree, (totals = computeTotals(tree)));
  return totals;
}

function computeTotals(tree: FlameTree): FunctionTotal[] {
  const count = tree.frames.names.length;
  const after = sums(tree, tree, count);
  const before = tree.before === undefined ? undefined : sums(tree, tree.before, count);
  const widest = new Int32Array(count).fill(-1);
  for (let node = 1; node < tree.length; node++) {
    const frame = tree.frame[node];
    if (widest[frame] < 0 || tree.width[node] > tree.width[widest[frame]]) widest[frame] = node;
  }
  const out: FunctionTotal[] = [];
  for (let frame = 0; frame < count; frame++) {
    if (widest[frame] < 0 || tree.frames.isLabel[frame] === 1) continue;
    out.push({
      frame,
      flat: after.flat[frame],
      cum: after.cum[frame],
      flatBefore: before?.flat[frame] ?? 0,
      cumBefore: before?.cum[frame] ?? 0,
      node: widest[frame],
    });
  }
  return out.sort((a, b) => b.flat - a.flat || b.cum - a.cum || a.frame - b.frame);
}

function sums(tree: FlameTree, values: TreeValues, count: number): { flat: Float64Array; cum: Float64Array } {
  const flat = new Float64Array(count);
  const cum = new Float64Array(count);
  forOutermost(tree, (node, isOutermost) => {
    const frame = tree.frame[node];
    flat[frame] += values.self[node];
    if (isOutermost) cum[frame] += values.total[node];
  });
  return { flat, cum };
}

/** Every node but the root, with whether no caller of it is the same function. */
export function forOutermost(tree: FlameTree, visit: (node: number, isOutermost: boolean) => void): void {
  /** By frame: where the subtree of the outermost node under way ends. */
  const until = new Int32Array(tree.frames.names.length);
  for (let node = 1; node < tree.length; node++) {
    const frame = tree.frame[node];
    const isOutermost = node >= until[frame];
    if (isOutermost) until[frame] = tree.end[node];
    visit(node, isOutermost);
  }
}
