import { useMemo } from 'preact/hooks';
import { sparkPath } from './spark-path.ts';

const [WIDTH, HEIGHT] = [88, 16];

/** The numbers beside it say the same, so screen readers skip it. */
export function Sparkline({ values }: { readonly values: readonly (number | null)[] }) {
  const path = useMemo(() => sparkPath(values, WIDTH, HEIGHT), [values]);
  return (
    <svg class="sparkline" viewBox={`0 -1 ${WIDTH} ${HEIGHT + 2}`} preserveAspectRatio="none" aria-hidden="true">
      <path d={path} />
    </svg>
  );
}
