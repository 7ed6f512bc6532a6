/**
 * How sure a verdict must be when many cohorts are compared, again and again.
 *
 * Over cohorts: Benjamini and Hochberg's procedure over every attribute, value and resource.
 *
 * Over time: only whole hours are judged. The time since a cohort began is cut into stretches, each twice as long as
 * the one before (4 to 8 h, 8 to 16 h ...) and of two weeks each once the record is full. Windows grow with the
 * cohort, so one stretch holds only a few windows that do not overlap: it counts as four looks. The n-th stretch may
 * spend 6/(pi^2 n^2) of the error, and these shares add up to 1. So the error holds however often and for however
 * long the cohorts are judged.
 */
const FIRST_HOURS = 4;
const RECORD_HOURS = 336;
const LOOKS = 4;

/** The factor on a chance for everything that was judged before and will be judged after. */
export function looksFactor(ageHours: number): number {
  const doublings = Math.max(0, Math.log2(Math.min(ageHours, RECORD_HOURS) / FIRST_HOURS));
  const afterwards = Math.max(0, ageHours - RECORD_HOURS) / RECORD_HOURS;
  const stretch = 1 + Math.floor(doublings) + Math.floor(afterwards);
  return (LOOKS * stretch * stretch * Math.PI ** 2) / 6;
}

/** The false-discovery rate at which each chance would pass: Benjamini and Hochberg's adjusted chances. */
export function discoveryRates(chances: readonly number[]): number[] {
  const order = chances.map((_, i) => i).sort((a, b) => chances[b] - chances[a]);
  const rates = new Array<number>(chances.length);
  let least = 1;
  order.forEach((i, place) => {
    const rank = chances.length - place;
    least = Math.min(least, (chances[i] * chances.length) / rank);
    rates[i] = least;
  });
  return rates;
}
