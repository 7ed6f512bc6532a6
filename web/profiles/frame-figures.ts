/** The figures of one frame: for the tooltip, the line below the graph, and screen readers. */
import { visible } from '../../src/base/visible-text.ts';
import { changeOf, nameOf, wholeChange, type CallTree } from './call-tree.ts';
import type { FunctionTotal } from './function-totals.ts';
import { changeText, shareText, signedShareText, valueText } from '../text/value-text.ts';

export type Figure = readonly [label: string, text: string];

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
