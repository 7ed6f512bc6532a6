import { useMemo } from 'preact/hooks';

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

/** Values that vary by less than this share of the highest are drawn flat. */
const MIN_RANGE_SHARE = 0.1;

/** A series as an SVG path in a box; the line breaks where a value is missing. */
export function sparkPath(values: readonly (number | null)[], width: number, height: number): string {
  const known = values.filter((value): value is number => value !== null && Number.isFinite(value));
  if (known.length === 0) return '';
  const low = known.reduce((a, b) => Math.min(a, b));
  const high = known.reduce((a, b) => Math.max(a, b));
  const range = Math.max(high - low, MIN_RANGE_SHARE * Math.max(Math.abs(high), Math.abs(low))) || 1;
  const lift = (range - (high - low)) / 2;
  const step = values.length > 1 ? width / (values.length - 1) : 0;
  let path = '';
  let pen = 'M';
  for (const [i, value] of values.entries()) {
    if (value === null || !Number.isFinite(value)) {
      pen = 'M';
      continue;
    }
    const y = height - ((value - low + lift) / range) * height;
    // A line of length zero: a lone point shows as a dot.
    path += `${pen}${(i * step).toFixed(1)} ${y.toFixed(1)}${pen === 'M' ? 'h0' : ''}`;
    pen = 'L';
  }
  return path;
}
