/** One resource of one target over every window: its slope, whether it matters, whether it goes on. */
import { mixtureSlope, modelWeights, type Slope, type WanderTrend, wanderTrend } from '../../growth/wander-trend.ts';
import { NOISE_MODELS } from '../../growth/noise-design.ts';
import { normalQuantileOfTail } from '../../growth/student-t.ts';
import { removeEffects } from './confounders.ts';
import { type Hours, layHours, newHours } from './hours.ts';
import { type DetectorOptions, TUNING, type Effects } from '../options.ts';
import type { ResourceRule } from '../../../evidence/resource-rules.ts';
import { type Shape, shapeOf } from './shape.ts';
import type { ResourceState, TargetState } from '../target-state.ts';
import { clipOutliers, layWindow, newWindow, type WindowPoints } from './window.ts';

export interface WindowJudgement {
  readonly windowHours: number;
  readonly slope: Slope;
  /** How sure the rise is, as a normal deviate; before the fleet's own spread is taken out. */
  readonly z: number;
  readonly growth: number;
  readonly material: boolean;
}

export interface Judgement {
  readonly windows: readonly WindowJudgement[];
  /** From the longest window, rising or not: what the fleet's spread is learned from. */
  readonly longestZ: number;
  readonly longest: Slope | undefined;
  readonly level: number;
  /** Only when something rises that matters. */
  readonly shape: Shape | undefined;
  /** Settled hours with a value. */
  readonly hoursSeen: number;
  /** Growth over a window that matters at this level. */
  readonly leastGrowth: number;
}

export const NOTHING_SEEN: Judgement = {
  windows: [],
  longestZ: NaN,
  longest: undefined,
  level: NaN,
  shape: undefined,
  hoursSeen: 0,
  leastGrowth: NaN,
};

const hours: Hours = newHours();
const window: WindowPoints = newWindow();

/** A slope has no say below this share of what matters. */
const SCREEN = 0.4;

/** A series and what is to be taken out of it. */
export interface Explained {
  readonly target: TargetState;
  readonly resource: ResourceState;
  effects: Effects;
}

/** Slopes are not told apart more finely than this share of what matters: integers and rounding are not noise models. */
const CARE = 0.1;

/** Below this deviate nobody asks for the shape. */
const SHAPE_Z = 2;

/** Lays out the residuals of the hours before `endBin` in the scratch that the functions below read. */
export function layResiduals(one: Explained, endBin: number): Hours {
  layHours(hours, one.target, one.resource.column, endBin);
  removeEffects(hours, one.effects);
  clipOutliers(hours);
  return hours;
}

/** The longest window's fits, for the fleet's noise prior. */
export function longestTrend(residuals: Hours): WanderTrend | undefined {
  const last = TUNING.windowsHours.length - 1;
  layWindow(window, residuals, residuals.count, TUNING.windowsHours[last], TUNING.stepHours[last]);
  return wanderTrend(window, false);
}

export function judge(
  residuals: Hours,
  rule: ResourceRule,
  effects: Effects,
  prior: Float64Array,
  cadenceHours: number,
  options: DetectorOptions,
): Judgement {
  const end = residuals.count;
  const windows: WindowJudgement[] = [];
  let longest: Slope | undefined;
  let hoursSeen = 0;
  for (let i = 0; i < end; i++) if (!Number.isNaN(residuals.values[i])) hoursSeen++;
  const level = lastLevel(residuals);
  const least = leastGrowthOf(rule, level, options);
  for (let w = TUNING.windowsHours.length - 1; w >= 0; w--) {
    const windowHours = TUNING.windowsHours[w];
    const stepHours = TUNING.stepHours[w];
    layWindow(window, residuals, end, windowHours, stepHours);
    if (window.filled < (TUNING.leastFilled * windowHours) / Math.max(1, cadenceHours)) continue;
    const span = window.count === 0 ? 0 : window.hours[window.count - 1] - window.hours[0];
    if (span < TUNING.leastFilled * windowHours - stepHours) continue;
    // The longest is always fitted: the fleet's spread is learned from it.
    if (longest !== undefined && roughSlope() * span < SCREEN * least) continue;
    const trend = wanderTrend(window, windowHours >= 72);
    if (trend === undefined) continue;
    const careVariance = ((CARE * least) / span) ** 2;
    const slope = mixtureSlope(trend, modelWeights(trend, prior), extraVariance(effects) + careVariance);
    longest ??= slope;
    const growth = slope.perHour * (rule.resource === 'threads' ? longestLifeHours() : span);
    windows.unshift({ windowHours, slope, z: normalQuantileOfTail(slope.tail), growth, material: growth > least });
  }
  const longestZ = longest === undefined ? NaN : normalQuantileOfTail(longest.tail);
  const rising = windows.findLast(one => one.material && one.z > SHAPE_Z);
  const shape = rising === undefined ? undefined : shapeOf(residuals, rising.slope.perHour);
  return { windows, longestZ, longest, level, hoursSeen, shape, leastGrowth: least };
}

/**
 * The runtime keeps every thread that it ever needed, so each life adds some while its bursts set records. Threads
 * count as a leak only if one life alone adds what matters.
 */
function longestLifeHours(): number {
  let longest = 0;
  let start = 0;
  for (let i = 1; i <= window.count; i++) {
    if (i < window.count && window.epoch[i] === window.epoch[start]) continue;
    longest = Math.max(longest, window.hours[i - 1] - window.hours[start]);
    start = i;
  }
  return longest;
}

/** What growth over a window matters. */
export function leastGrowthOf(rule: ResourceRule, level: number, options: DetectorOptions): number {
  const least = options.leastGrowth?.[rule.resource];
  return least ?? Math.max(rule.leastGrowth.amount, rule.leastGrowth.share * Math.max(level, 0));
}

/** About this many points to a fit, as for the windows. */
const POINTS = 42;
/** No rate is known better than this, as a share: load and what drives a leak are never quite steady. */
const RATE_DOUBT = 0.03;

/** The slope of the last hours alone, for what is said of a rise once it is found. */
export function slopeOfLast(
  residuals: Hours,
  lastHours: number,
  effects: Effects,
  prior: Float64Array,
): Slope | undefined {
  const step = Math.max(1, Math.round(lastHours / POINTS));
  layWindow(window, residuals, residuals.count, lastHours, step);
  const trend = wanderTrend(window, lastHours >= 72);
  if (trend === undefined) return undefined;
  const weights = modelWeights(trend, prior);
  const plain = mixtureSlope(trend, weights, extraVariance(effects));
  return mixtureSlope(trend, weights, extraVariance(effects) + (RATE_DOUBT * plain.perHour) ** 2);
}

/** Pods that ramp widen the slope's error by what is not known of their effect. */
function extraVariance(effects: Effects): number {
  const { podSlope: p, churnSlope: c } = window;
  return p * p * effects.podVariance + c * c * effects.churnVariance + 2 * p * c * effects.covariance;
}

/** Least squares within epochs, to see quickly whether anything rises. */
function roughSlope(): number {
  let xx = 0;
  let xy = 0;
  let start = 0;
  for (let i = 1; i <= window.count; i++) {
    if (i < window.count && window.epoch[i] === window.epoch[start]) continue;
    let mx = 0;
    let my = 0;
    for (let j = start; j < i; j++) {
      mx += window.hours[j];
      my += window.values[j];
    }
    mx /= i - start;
    my /= i - start;
    for (let j = start; j < i; j++) {
      xx += (window.hours[j] - mx) ** 2;
      xy += (window.hours[j] - mx) * (window.values[j] - my);
    }
    start = i;
  }
  return xx > 0 ? xy / xx : 0;
}

/** Least squares over all hours, epochs apart or not: to see what a column did. */
export function roughSlopeOf(laid: Hours, column: Float64Array): number {
  let n = 0;
  let sx = 0;
  let sy = 0;
  let xx = 0;
  let xy = 0;
  for (let i = 0; i < laid.count; i++) {
    if (Number.isNaN(column[i])) continue;
    n++;
    sx += i;
    sy += column[i];
    xx += i * i;
    xy += i * column[i];
  }
  const spread = xx - (sx * sx) / n;
  return n < 2 || spread <= 0 ? 0 : (xy - (sx * sy) / n) / spread;
}

/** Median of the last six values. */
function lastLevel(residuals: Hours): number {
  const last: number[] = [];
  for (let i = residuals.count - 1; i >= 0 && last.length < 6; i--) {
    if (!Number.isNaN(residuals.values[i])) last.push(residuals.values[i]);
  }
  last.sort((a, b) => a - b);
  return last.length === 0 ? NaN : last[last.length >> 1];
}

/** Before anything is learned: every model alike. */
export function basePrior(): Float64Array {
  return new Float64Array(NOISE_MODELS.length).fill(1 / NOISE_MODELS.length);
}

/** How common each noise model is over the fleet, from each series' log likelihoods; the base counts as a few targets. */
export function poolNoise(likelihoods: readonly Float64Array[]): Float64Array {
  const base = basePrior();
  const baseTargets = 4;
  let prior = base;
  for (let pass = 0; pass < 4; pass++) {
    const sum = base.map(share => share * baseTargets);
    for (const logs of likelihoods) {
      let best = -Infinity;
      for (const log of logs) best = Math.max(best, log);
      let total = 0;
      for (let g = 0; g < logs.length; g++) total += prior[g] * Math.exp(logs[g] - best);
      for (let g = 0; g < logs.length; g++) sum[g] += (prior[g] * Math.exp(logs[g] - best)) / total;
    }
    prior = sum.map(share => share / (baseTargets + likelihoods.length));
  }
  return prior;
}
