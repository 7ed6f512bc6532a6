/** What the shape of a rise leaves in doubt, as a share of how far it came: see straight-rise.ts and rise-course.ts. */
import { FAST } from './fast-tuning.ts';
import type { RiseCourse } from './rise-course.ts';
import type { StraightRise } from './straight-rise.ts';

/** In logarithms of times: a doubt of 0.1 asks for a rise that is a tenth higher. */
export function doubtOf(rise: StraightRise, course: RiseCourse): number {
  const { doubt } = FAST;
  return (
    below(rise.steadiness, doubt.slows) +
    above(Math.min(rise.steadiness, MOST_STEADINESS), doubt.quickens) +
    below(rise.straightness, doubt.bends) +
    below(rise.lastStep, doubt.lastStep) +
    below(rise.leastStep, doubt.leastStep) +
    above(rise.mostStep, doubt.mostStep) +
    above(course.fall, doubt.falls) +
    above(course.lump, doubt.lumps) +
    above(course.pause, doubt.pauses) +
    above(course.lastPause, doubt.lastPause)
  );
}

/** It is infinite if nothing rose at first. */
const MOST_STEADINESS = 5;

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

/** From `from` on, each unit counts `weight`. */
interface Hinge {
  readonly from: number;
  readonly weight: number;
}

function above(value: number, { from, weight }: Hinge): number {
  return weight * Math.max(0, value - from);
}

function below(value: number, { from, weight }: Hinge): number {
  return weight * Math.max(0, from - value);
}
