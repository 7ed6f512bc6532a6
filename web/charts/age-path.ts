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
