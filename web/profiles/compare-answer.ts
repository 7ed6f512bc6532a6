/** What grew between two profiles, in one sentence. */
import { formatCount } from '../../src/base/quantities.ts';
import { visible } from '../../src/base/visible-text.ts';
import type { Growth } from '../../src/model/growth.ts';
import { frameName, type CallTree } from '../call-tree/call-tree.ts';
import { functionTotals } from '../call-tree/function-totals.ts';
import { shortSymbol } from '../text/short-names.ts';
import { changeText, shareText, valueText } from '../text/value-text.ts';

/** `+50 goroutines (91 % of the growth) in cache.(*processorListener).run; 485 → 535 goroutines in total.` */
export function familiesAnswer(growths: readonly Growth[]): string {
  const [first] = growths;
  if (first === undefined) return 'Both profiles are empty.';
  const isHeap = first.family.kind === 'heap';
  const text = (amount: number): string => valueText(amount, isHeap ? 'bytes' : 'count');
  const sum = (of: (growth: Growth) => number): number => growths.reduce((total, growth) => total + of(growth), 0);
  const all = `${text(sum(({ from }) => from))} → ${text(sum(({ to }) => to))}${isHeap ? ' live' : ' goroutines'} in total`;
  const grown = sum(({ delta }) => Math.max(delta, 0));
  const worst = growths.find(({ significant }) => significant);
  if (worst === undefined) {
    const most = growths.reduce((a, b) => (b.delta > a.delta ? b : a));
    if (most.delta <= 0) return `Nothing grew: ${all}.`;
    return `No significant growth: ${all}; the largest change is ${change(most, text, isHeap)} in ${visible(most.family.title)}.`;
  }
  const share = `(${shareText(worst.delta, grown)} of the growth)`;
  return `${change(worst, text, isHeap)} ${share} in ${visible(worst.family.title)}; ${all}.`;
}

/** `+50 goroutines`, `+20.1 MiB in 44,310 more objects`. */
function change({ delta, points }: Growth, text: (amount: number) => string, isHeap: boolean): string {
  if (!isHeap) return `${delta > 0 ? '+' : ''}${text(delta)} ${Math.abs(delta) === 1 ? 'goroutine' : 'goroutines'}`;
  const objects = (points.at(-1)?.count ?? 0) - (points[0]?.count ?? 0);
  const more = objects > 0 ? ` in ${formatCount(objects)} more objects` : '';
  return `${delta > 0 ? '+' : ''}${text(delta)}${more}`;
}

/** For profiles without families: the function whose flat value grew the most. */
export function functionsAnswer(tree: CallTree, unit: string): string {
  const [before = 0] = tree.before?.total ?? [];
  const [after = 0] = tree.total;
  const all = `${valueText(before, unit)} → ${valueText(after, unit)} in total`;
  const changes = functionTotals(tree).map(({ frame, flat, flatBefore }) => ({ frame, grown: flat - flatBefore }));
  const grown = changes.reduce((sum, entry) => sum + Math.max(entry.grown, 0), 0);
  const most = changes.reduce((a, b) => (b.grown > a.grown ? b : a), { frame: -1, grown: 0 });
  if (most.frame < 0) return `Nothing grew: ${all}.`;
  const share = shareText(most.grown, grown);
  return `${changeText(most.grown, unit)} (${share} of the growth) in ${shortSymbol(frameName(tree, most.frame))} itself; ${all}.`;
}
