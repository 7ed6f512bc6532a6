/** From slopes to a verdict: the bars a rise must pass to be watched, and to be called a leak. */
import type { JudgedResource, Rise } from './judged-resource.ts';
import { explainRise, podsCouldExplain } from './explain.ts';
import type { Explanation } from '../detection.ts';
import { MAX_HOURS } from './hours.ts';
import { judge, type Judgement, layResiduals, slopeOfLast, type WindowJudgement } from './judge.ts';
import { type DetectorOptions, TUNING } from '../options.ts';
import { nameOf, type Shape } from './shape.ts';
import { hoursToLimit, limitOf } from './time-to-limit.ts';
import type { Verdict } from '../../verdict.ts';
import type { Slope } from '../../growth/wander-trend.ts';

/** 5 % of a normal distribution lie above it. */
const Z90 = 1.645;

/** Deviates, at the fleet's own spread. */
export interface Thresholds {
  readonly watch: number;
  readonly leak: number;
}

export interface EvaluationTime {
  readonly endBin: number;
  readonly binSeconds: number;
  readonly options: DetectorOptions;
}

export interface Decision {
  readonly verdict: Verdict;
  readonly rise: Rise | undefined;
  readonly explanation: Explanation | undefined;
  /** Earned before, and not long enough quiet since. */
  readonly held: boolean;
  /** Of what is not proved. */
  readonly doubt?: Slope;
}

export function decide(one: JudgedResource, thresholds: Thresholds, moment: EvaluationTime): Decision {
  const { resource, judgement, target } = one;
  const { endBin } = moment;
  const watching = judgement.windows.filter(window => window.material && window.z >= thresholds.watch);
  const leaking = watching.filter(window => window.z >= thresholds.leak && goesOn(window, judgement.shape, 0));
  const window = leaking.at(-1) ?? watching.at(-1);
  const rise = window === undefined ? undefined : riseOf(one, window, moment);
  const explanation = explainRise(one, rise, endBin);
  // What pods, churn or a peer explain is watched at most.
  const own = explanation === undefined || explanation === 'step' || explanation === 'plateau';
  const earned =
    own &&
    stands(rise) &&
    ((leaking.length > 0 && heldBefore(one, thresholds, moment)) || isUrgent(one, rise, thresholds));
  if (earned) {
    resource.leakEarnedBin = endBin;
    return { verdict: 'leak', rise, explanation: undefined, held: false };
  }
  if (endBin - resource.leakEarnedBin <= TUNING.quietHours) {
    return { verdict: 'leak', rise, explanation: undefined, held: true };
  }
  resource.leakEarnedBin = NaN;
  if (rise !== undefined)
    return { verdict: 'watch', rise, explanation: explanation ?? shapeName(judgement.shape), held: false };
  const silentHours = endBin - target.lastSampleSeconds / moment.binSeconds;
  const unknown = judgement.windows.length === 0 || silentHours > TUNING.silentHours;
  // Where nothing was judged, restarts are why.
  if (unknown && explanation !== 'restart storm')
    return { verdict: 'unknown', rise, explanation: undefined, held: false };
  const doubt = unknown || explanation !== undefined ? undefined : doubtIn(judgement);
  if (doubt !== undefined) {
    if (podsCouldExplain(one, endBin)) return { verdict: 'healthy', rise, explanation: 'density', held: false };
    return { verdict: 'unknown', rise, explanation: 'unproved', held: false, doubt };
  }
  return { verdict: unknown ? 'unknown' : 'healthy', rise, explanation, held: false };
}

/** A deviate at which even a rise too small to matter so far is not called flat. */
const SURELY_RISING = 3;

/**
 * A rise that is not proved, and not healthy either: its interval excludes zero, and does not exclude what matters, now
 * or in two weeks.
 */
function doubtIn({ windows, longest, longestZ, leastGrowth }: Judgement): Slope | undefined {
  const rising = windows.findLast(({ material, slope }) => material && slope.perHour > Z90 * slope.standardError);
  if (rising !== undefined) return rising.slope;
  if (longest === undefined || !(longestZ > SURELY_RISING)) return undefined;
  return (longest.perHour + Z90 * longest.standardError) * MAX_HOURS > leastGrowth ? longest : undefined;
}

function riseOf(one: JudgedResource, window: WindowJudgement, moment: EvaluationTime): Rise {
  const { judgement, effects, prior } = one;
  const lastHours = Math.min(MAX_HOURS, Math.max(24, judgement.shape?.ageHours ?? window.windowHours));
  const slope = slopeOfLast(layResiduals(one, moment.endBin), lastHours, effects, prior) ?? window.slope;
  const limit = limitOf({ ...one, ...moment, slope, lastHours });
  return { window, slope, lastHours, limit, hoursToLimit: limit === undefined ? undefined : hoursToLimit(limit) };
}

/** Since it began, too, and not only over the window that decided. */
function stands(rise: Rise | undefined): boolean {
  return rise !== undefined && rise.slope.perHour > Z90 * rise.slope.standardError;
}

/** Neither a step nor a plateau, and old enough that it could have been seen to be one. */
function goesOn(window: WindowJudgement, shape: Shape | undefined, hoursLater: number): boolean {
  if (window.windowHours < TUNING.leastLeakWindowHours) return false;
  if (shape === undefined || shape.ageHours + hoursLater < TUNING.leastAgeHours) return false;
  if (!isSteady(shape) || shape.lifeSteadiness < TUNING.lifeSteadiness) return false;
  const slope = window.slope.perHour;
  return (
    shape.latePerHour + doubtOf(shape) * slope >= TUNING.lateShare * slope &&
    shape.lastDayPerHour >= TUNING.endShare * slope
  );
}

function isSteady(shape: Shape): boolean {
  const young = Math.min(1, Math.max(0, (TUNING.settledAgeHours - shape.ageHours) / 40));
  return shape.steadiness + doubtOf(shape) >= TUNING.steadiness + TUNING.youngSteadiness * young;
}

/** Where hours scatter, an old rise need not look steady as long as it is not clearly unsteady. */
function doubtOf(shape: Shape): number {
  if (shape.ageHours < TUNING.doubtAgeHours) return 0;
  return Math.min(TUNING.mostDoubt, TUNING.doubt * shape.steadinessError);
}

/** A rise of whatever kind that reaches the limit within days is told now. */
function isUrgent(one: JudgedResource, rise: Rise | undefined, thresholds: Thresholds): boolean {
  const { shape } = one.judgement;
  if (rise?.hoursToLimit === undefined || shape === undefined) return false;
  if (rise.window.z < thresholds.leak + TUNING.urgentZ || shape.lastDayPerHour <= 0) return false;
  return rise.hoursToLimit[1] < TUNING.urgentHours && shape.lastDayPerHour >= 0.7 * rise.slope.perHour;
}

/** The same judgement on what was known six hours ago. */
function heldBefore(
  one: JudgedResource,
  thresholds: Thresholds,
  { endBin, binSeconds, options }: EvaluationTime,
): boolean {
  const residuals = layResiduals(one, endBin - TUNING.persistHours);
  const cadenceHours = one.target.cadenceSeconds / binSeconds;
  const before = judge(residuals, one.resource.rule, one.effects, one.prior, cadenceHours, options);
  // What is six hours older was six hours younger then.
  return before.windows.some(
    window => window.material && window.z >= thresholds.leak && goesOn(window, before.shape, TUNING.persistHours),
  );
}

/** A young rise has no name yet. */
function shapeName(shape: Shape | undefined): Explanation | undefined {
  if (shape === undefined || !(shape.ageHours >= TUNING.leastAgeHours) || isSteady(shape)) return undefined;
  return nameOf(shape);
}
