import { useMemo } from 'preact/hooks';
import type { FindingAges } from '../../src/judge/analysis.ts';
import { agesPhrase } from '../../src/report/phrases.ts';

const [WIDTH, HEIGHT] = [88, 16];
const MIN_WIDTH = 4;

/** Minutes from now to the oldest. */
export function ageSpan({ bins, binMinutes }: FindingAges): number {
  return bins.length * binMinutes;
}

export interface AgeBarsProps {
  readonly ages: FindingAges;
  /** The age at the left end, for rows on one axis; that of the oldest unless given. */
  readonly spanMinutes?: number;
  /** The words stand beside it. */
  readonly isDecorative?: boolean;
}

/** How many goroutines have waited for how long, now on the right; the hover and the screen reader get it in words. */
export function AgeBars({ ages, spanMinutes, isDecorative = false }: AgeBarsProps) {
  const own = ageSpan(ages);
  const width = Math.max(MIN_WIDTH, WIDTH * Math.min(1, own / (spanMinutes ?? own)));
  const path = useMemo(() => agePath(ages.bins, width, HEIGHT), [ages, width]);
  const words = agesPhrase(ages);
  const role = isDecorative ? { 'aria-hidden': true } : { role: 'img' as const, 'aria-label': words };
  return (
    <svg class="age-bars" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} {...role}>
      {!isDecorative && <title>{words}</title>}
      <path d={path} transform={`translate(${WIDTH - width})`} />
    </svg>
  );
}

/** Goroutines by age as bars from the bottom of a box, the oldest on the left as on every time axis. */
const MIN_HEIGHT = 1;

export function agePath(bins: readonly number[], width: number, height: number): string {
  const most = bins.reduce((a, b) => Math.max(a, b), 1);
  const step = width / bins.length;
  // Bars with a gap where there is room for one.
  const bar = step >= 3 ? step - 1 : step;
  return bins
    .map((count, age) => {
      if (count === 0) return '';
      const tall = Math.max(MIN_HEIGHT, (count / most) * height);
      const left = width - (age + 1) * step;
      return `M${left.toFixed(1)} ${height}v${(-tall).toFixed(1)}h${bar.toFixed(1)}V${height}z`;
    })
    .join('');
}
