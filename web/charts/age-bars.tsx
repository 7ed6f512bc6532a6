import { useMemo } from 'preact/hooks';
import type { FindingAges } from '../../src/model/analysis.ts';
import { agesPhrase } from '../../src/report/phrases.ts';
import { agePath } from './age-path.ts';

const [WIDTH, HEIGHT] = [88, 16];

export interface AgeBarsProps {
  readonly ages: FindingAges;
  /** The words stand beside it. */
  readonly isDecorative?: boolean;
}

/** How many goroutines have waited for how long, now on the right; the hover and the screen reader get it in words. */
export function AgeBars({ ages, isDecorative = false }: AgeBarsProps) {
  const path = useMemo(() => agePath(ages.bins, WIDTH, HEIGHT), [ages]);
  const words = agesPhrase(ages);
  const role = isDecorative ? { 'aria-hidden': true } : { role: 'img' as const, 'aria-label': words };
  return (
    <svg class="age-bars" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} {...role}>
      {!isDecorative && <title>{words}</title>}
      <path d={path} />
    </svg>
  );
}
