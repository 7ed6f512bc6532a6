/**
 * How many standard errors an estimate must be away from a budget that is looked at after every round.
 *
 * A bound for one look would be exceeded by chance sooner or later. This one is that of a t-test with a prior for the
 * effect (Gönen's Bayes factor, a test martingale; Ville's inequality): it holds for all looks together.
 *
 *     BF(t) = (1 + n g²)^(-1/2) · ((1 + t²/ν) / (1 + t²/(ν (1 + n g²))))^((ν+1)/2) = 1/alpha
 */

/** How large effects are expected, in standard deviations of a round. */
const PRIOR_SPREAD = 2;

/** Infinity if no t of so few rounds is enough. `freedom` is the number of rounds less the estimated parameters. */
export function criticalT(rounds: number, freedom: number, alpha: number): number {
  if (freedom < 1) return Infinity;
  const wanted = Math.log(1 / alpha);
  const spread = 1 + rounds * PRIOR_SPREAD ** 2;
  const logFactor = (t: number): number =>
    -Math.log(spread) / 2 +
    ((freedom + 1) / 2) * (Math.log1p((t * t) / freedom) - Math.log1p((t * t) / (freedom * spread)));
  // As t grows, the factor approaches spread^(freedom/2).
  if ((freedom / 2) * Math.log(spread) <= wanted) return Infinity;
  let high = 1;
  while (logFactor(high) < wanted) high *= 2;
  let low = high / 2;
  for (let i = 0; i < 50; i++) {
    const middle = (low + high) / 2;
    if (logFactor(middle) < wanted) low = middle;
    else high = middle;
  }
  return high;
}
