/**
 * Goroutines by age in one line, the youngest first; `_` where there are none.
 *
 *     now ▁▇▆▆▆▆█▇▆▇▇▇ 12m        or, where the terminal has no such characters:        now :#***#@#*### 12m
 */
import { formatAge } from '../base/say.ts';
import type { FindingAges } from '../judge/analysis.ts';

const BLOCKS = '▁▂▃▄▅▆▇█';
const ASCII = '.:-=+*#@';

export function ageHistogram({ bins, binMinutes }: FindingAges, ascii = false): string {
  return `now ${drawBins(bins, ascii)} ${formatAge(bins.length * binMinutes * 60)}`;
}

export function drawBins(bins: readonly number[], ascii: boolean): string {
  const levels = ascii ? ASCII : BLOCKS;
  const most = bins.reduce((a, b) => Math.max(a, b), 1);
  const draw = (count: number): string =>
    count === 0 ? '_' : levels.charAt(Math.min(levels.length - 1, Math.floor((count / most) * levels.length)));
  return bins.map(draw).join('');
}
