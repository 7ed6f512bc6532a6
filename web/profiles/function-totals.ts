/**
 * A call tree by function: flat is the value of stacks that end in it, cum of stacks that pass through it. A recursive
 * stack counts once.
 */
import { type CallTree, type TreeValues, changeOf, nameOf, wholeChange } from './call-tree.ts';
import { visible } from '../../src/base/visible-text.ts';
import { changeText, shareText, signedShareText, valueText } from '../widgets/value-text.ts';

export interface FunctionTotal {
  readonly frame: number;
  readonly flat: number;
  readonly cum: number;
  readonly flatBefore: number;
  readonly cumBefore: number;
  /** The widest node of the function. */
  readonly node: number;
}

/** Cached: several parts of a page need the totals on every render. */
const cache = new WeakMap<CallTree, readonly FunctionTotal[]>();

/** Sorted by flat, the largest first, as in pprof's top. Frames of labels are left out. */
export function functionTotals(tree: CallTree): readonly FunctionTotal[] {
  let totals = cache.get(tree);
  if (totals === undefined) cache.set(tree, (totals = computeTotals(tree)));
  return totals;
}

function computeTotals(tree: CallTree): FunctionTotal[] {
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

function sums(tree: CallTree, values: TreeValues, count: number): { flat: Float64Array; cum: Float64Array } {
  const flat = new Float64Array(count);
  const cum = new Float64Array(count);
  forOutermost(tree, (node, isOutermost) => {
    const frame = tree.frame[node];
    flat[frame] += values.self[node];
    if (isOutermost) cum[frame] += values.total[node];
  });
  return { flat, cum };
}

/** Visits every node but the root; `isOutermost` unless the same function is among its callers. */
export function forOutermost(tree: CallTree, visit: (node: number, isOutermost: boolean) => void): void {
  /** By frame: the end of the subtree below its current outermost node. */
  const until = new Int32Array(tree.frames.names.length);
  for (let node = 1; node < tree.length; node++) {
    const frame = tree.frame[node];
    const isOutermost = node >= until[frame];
    if (isOutermost) until[frame] = tree.end[node];
    visit(node, isOutermost);
  }
}

/** The total of all stacks that contain a matching frame, each counted once. */
export function matchedTotal(tree: CallTree, matched: Uint8Array): number {
  let total = 0;
  for (let node = 1; node < tree.length;) {
    if (matched[tree.frame[node]] === 1) {
      total += tree.total[node];
      node = tree.end[node];
    } else node++;
  }
  return total;
}

/** The figures of one frame: for the tooltip, the line below the graph, and screen readers. */
type Figure = readonly [label: string, text: string];

/**
 * A half of a sandwich: its node 1 is the function, with the values of the table of functions. The nodes among the
 * callers have no self value: what they hold themselves is not in the function.
 */
export interface SandwichHalf {
  readonly side: 'callers' | 'callees';
  readonly own: FunctionTotal;
}

const OWN = 1;

export function frameFigures(tree: CallTree, node: number, unit: string, half?: SandwichHalf): Figure[] {
  const total = tree.total[node];
  const self = selfOf(tree, node, half);
  const share = (value: number): string => {
    const text = shareText(value, tree.whole.after);
    return text === '' || node === 0 ? '' : ` (${text})`;
  };
  const out: Figure[] = [];
  if (tree.before !== undefined) {
    const change = changeOf(tree, node);
    out.push(['change', changeText(change, unit)]);
    out.push(['before → after', `${valueText(tree.before.total[node], unit)} → ${valueText(total, unit)}`]);
    const whole = wholeChange(tree);
    if (whole !== 0 && node > 0) out.push(['share of change', signedShareText(change, whole)]);
    if (self !== undefined) out.push(['self', changeText(self.after - self.before, unit)]);
    return out;
  }
  out.push(['total', `${valueText(total, unit)}${share(total)}`]);
  if (self !== undefined)
    out.push(['self', `${valueText(self.after, unit)}${self.after === 0 ? '' : share(self.after)}`]);
  const above = half?.side === 'callers' ? OWN : tree.parent[node];
  if (above > 0 && above !== node) {
    out.push([half?.side === 'callers' ? 'share of function' : 'share of caller', shareText(total, tree.total[above])]);
  }
  return out;
}

function selfOf(
  tree: CallTree,
  node: number,
  half: SandwichHalf | undefined,
): { readonly after: number; readonly before: number } | undefined {
  if (half !== undefined && node <= OWN) return { after: half.own.flat, before: half.own.flatBefore };
  if (half?.side === 'callers') return undefined;
  return { after: tree.self[node], before: tree.before?.self[node] ?? 0 };
}

/** The same as one sentence, for screen readers. */
export function frameSentence(tree: CallTree, node: number, unit: string, half?: SandwichHalf): string {
  const values = frameFigures(tree, node, unit, half).map(([label, text]) => `${label} ${text}`);
  return `${visible(nameOf(tree, node))}: ${values.join(', ')}; row ${tree.depth[node] + 1}`;
}
