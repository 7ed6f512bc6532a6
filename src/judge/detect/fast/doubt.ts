/** What the shape of a rise leaves in doubt, as a share of how far it came: see straight-rise.ts and rise-course.ts. */
import { FAST } from './fast-tuning.ts';
import type { RiseCourse } from './rise-course.ts';
import type { StraightRise } from './straight-rise.ts';

/** In logarithms of times: a doubt of 0.1 asks for a rise that is a tenth higher. */
export function doubtOf({ steadiness, straightness, lastStep }: StraightRise, { fall }: RiseCourse): number {
  const { slows, quickens, bends, ends, falls } = FAST.doubt;
  return (
    slows.weight * Math.max(0, slows.below - steadiness) +
    quickens.weight * Math.max(0, Math.min(steadiness, quickens.most) - quickens.above) +
    bends.weight * Math.max(0, bends.below - straightness) +
    ends.weight * Math.max(0, ends.below - lastStep) +
    falls.weight * Math.max(0, fall - falls.above)
  );
}

/** So steady that, after a day and a half, it is neither a cache nor a season. */
export function isSteady({ straightness, steadiness, leastStep }: StraightRise): boolean {
  const { steady } = FAST;
  return (
    straightness >= steady.straightness &&
    steadiness >= steady.steadiness &&
    steadiness <= steady.mostSteadiness &&
    leastStep >= 0
  );
}
