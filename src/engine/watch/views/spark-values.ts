/**
 * The values of a sparkline, no finer than it can show:
 *
 *     [96468992.4375, 121634816.25, null]  ->  [96400000, 121600000, null]
 *
 * A fleet's answer is mostly sparklines, and digits that nobody sees do not compress.
 */

/** The page draws at least a tenth of the highest over its height of some 18 pixels: a step is a third of one. */
const LEAST_STEPS = 500;

export function sparkValues(levels: readonly (number | null)[]): (number | null)[] {
  const highest = levels.reduce<number>((high, level) => Math.max(high, Math.abs(level ?? 0)), 0);
  if (!(highest > 0 && highest < Infinity)) return [...levels];
  // Bytes and counts: a thousandth of one is nothing.
  const exponent = Math.max(-3, Math.floor(Math.log10(highest / LEAST_STEPS)));
  // Below 1 by their inverse, which is exact.
  const [factor, divisor] = exponent < 0 ? [10 ** -exponent, 1] : [1, 10 ** exponent];
  const mantissa = (highest / LEAST_STEPS) * (factor / divisor);
  const nice = mantissa >= 5 ? 5 : mantissa >= 2 ? 2 : 1;
  return levels.map(level =>
    level === null ? null : (Math.round((level * factor) / (nice * divisor)) * nice * divisor) / factor,
  );
}
