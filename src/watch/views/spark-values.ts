/**
 * The values of a sparkline, rounded to what it can show:
 *
 *     [96468992.4375, 121634816.25, null]  ->  [96400000, 121600000, null]
 *
 * The answer for a fleet is mostly sparklines, and invisible digits do not compress.
 */

/** The page draws at least a tenth of the highest value over some 18 pixels, so a step is a third of a pixel. */
const LEAST_STEPS = 500;

export function sparkValues(levels: readonly (number | null)[]): (number | null)[] {
  const highest = levels.reduce<number>((high, level) => Math.max(high, Math.abs(level ?? 0)), 0);
  if (!(highest > 0 && highest < Infinity)) return [...levels];
  // A thousandth of a byte or a count is nothing.
  const exponent = Math.max(-3, Math.floor(Math.log10(highest / LEAST_STEPS)));
  // Below 1, by the inverse, which is exact.
  const [factor, divisor] = exponent < 0 ? [10 ** -exponent, 1] : [1, 10 ** exponent];
  const mantissa = (highest / LEAST_STEPS) * (factor / divisor);
  const nice = mantissa >= 5 ? 5 : mantissa >= 2 ? 2 : 1;
  return levels.map(level =>
    level === null ? null : (Math.round((level * factor) / (nice * divisor)) * nice * divisor) / factor,
  );
}
