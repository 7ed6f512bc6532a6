/**
 * What one more pod and one more pod start per hour add to a resource, learned so that a leak cannot pass for it.
 *
 * Pods and time often rise together, so a fit of levels cannot tell a leak from a ramp. Differences over six hours can:
 * there a slow leak is a constant, which the fit has of its own, while pods come and go. What one target shows is
 * uncertain; it is drawn towards what the fleet shows, by as much as the fleet agrees with itself.
 */
import type { Hours } from './hours.ts';
import type { ResourceRule } from '../../../evidence/resource-rules.ts';
import type { Effects } from '../options.ts';

const DIFFERENCE_HOURS = 6;
const STRIDE = 2;
const HUBER = 1.5;
const PASSES = 3;
/** What is usual counts as so many targets. */
const PRIOR_TARGETS = 2;

export interface FleetEffects {
  readonly pod: Pooled;
  readonly churn: Pooled;
}

interface Pooled {
  readonly mean: number;
  /** Between targets. */
  readonly variance: number;
}

const dy = new Float64Array(512);
const dp = new Float64Array(512);
const dc = new Float64Array(512);
const weight = new Float64Array(512);
const absolute = new Float64Array(512);
const sorted = new Float64Array(512);

/** From the target alone; undefined when nothing moved that could show it. */
export function ownEffects(hours: Hours): Effects | undefined {
  if (!hours.hasPods && !hours.hasChurn) return undefined;
  let n = 0;
  for (let i = DIFFERENCE_HOURS; i < hours.count; i += STRIDE) {
    const j = i - DIFFERENCE_HOURS;
    const change = hours.values[i] - hours.values[j];
    if (Number.isNaN(change) || hours.epoch[i] !== hours.epoch[j]) continue;
    dy[n] = change;
    dp[n] = hours.pods[i] - hours.pods[j];
    dc[n] = hours.churn[i] - hours.churn[j];
    n++;
  }
  if (n < 12) return undefined;
  const scaleP = spread(dp, n);
  const scaleC = spread(dc, n);
  if (scaleP === 0 && scaleC === 0) return undefined;
  weight.fill(1, 0, n);
  let fit = solve(n, scaleP, scaleC);
  for (let pass = 0; pass < PASSES; pass++) {
    for (let i = 0; i < n; i++) absolute[i] = Math.abs(dy[i] - fit.b0 - fit.p * dp[i] - fit.c * dc[i]);
    sorted.set(absolute.subarray(0, n));
    const sigma = 1.4826 * sorted.subarray(0, n).sort()[n >> 1] + 1e-12;
    for (let i = 0; i < n; i++) weight[i] = Math.min(1, (HUBER * sigma) / (absolute[i] + 1e-300));
    fit = solve(n, scaleP, scaleC);
  }
  const { vp, vc, vpc } = covarianceOf(fit, n);
  return { pod: fit.p, churn: fit.c, podVariance: vp, churnVariance: vc, covariance: vpc };
}

/** About the mean: a ramp that is a straight line tells nothing, as its differences are all alike. */
function spread(column: Float64Array, n: number): number {
  let sum = 0;
  let squares = 0;
  for (let i = 0; i < n; i++) {
    sum += column[i];
    squares += column[i] * column[i];
  }
  const variance = squares / n - (sum / n) ** 2;
  return variance > (1e-9 * squares) / n ? Math.sqrt(variance) : 0;
}

/** Weighted least squares on [1, pods, churn], the last two in units of their spread. */
function solve(
  n: number,
  scaleP: number,
  scaleC: number,
): {
  b0: number;
  p: number;
  c: number;
  pp: number;
  cc: number;
  pc: number;
  scaleP: number;
  scaleC: number;
  sigma2: number;
  mp: number;
  mc: number;
} {
  const useP = scaleP > 0;
  const useC = scaleC > 0;
  let w = 0;
  let mp = 0;
  let mc = 0;
  let my = 0;
  for (let i = 0; i < n; i++) {
    w += weight[i];
    mp += weight[i] * dp[i];
    mc += weight[i] * dc[i];
    my += weight[i] * dy[i];
  }
  mp /= w;
  mc /= w;
  my /= w;
  let pp = 1e-6 * n;
  let cc = 1e-6 * n;
  let pc = 0;
  let py = 0;
  let cy = 0;
  for (let i = 0; i < n; i++) {
    const a = useP ? (dp[i] - mp) / scaleP : 0;
    const b = useC ? (dc[i] - mc) / scaleC : 0;
    const y = dy[i] - my;
    pp += weight[i] * a * a;
    cc += weight[i] * b * b;
    pc += weight[i] * a * b;
    py += weight[i] * a * y;
    cy += weight[i] * b * y;
  }
  const determinant = pp * cc - pc * pc;
  const p = useP ? (cc * py - pc * cy) / determinant / scaleP : 0;
  const c = useC ? (pp * cy - pc * py) / determinant / scaleC : 0;
  const b0 = my - p * mp - c * mc;
  let residual = 0;
  for (let i = 0; i < n; i++) {
    const e = dy[i] - b0 - p * dp[i] - c * dc[i];
    residual += weight[i] * e * e;
  }
  return { b0, p, c, pp, cc, pc, scaleP, scaleC, sigma2: residual / Math.max(1, w - 3), mp, mc };
}

type Fit = ReturnType<typeof solve>;

const scoreP = new Float64Array(512);
const scoreC = new Float64Array(512);

/**
 * Differences that overlap, of a level that wanders, are not independent: Newey and West's covariance over twice their
 * length, and never less than as if every third were.
 */
function covarianceOf(fit: Fit, n: number): { vp: number; vc: number; vpc: number } {
  const { b0, p, c, pp, cc, pc, scaleP, scaleC, sigma2, mp, mc } = fit;
  for (let i = 0; i < n; i++) {
    const e = weight[i] * (dy[i] - b0 - p * dp[i] - c * dc[i]);
    scoreP[i] = scaleP > 0 ? (e * (dp[i] - mp)) / scaleP : 0;
    scoreC[i] = scaleC > 0 ? (e * (dc[i] - mc)) / scaleC : 0;
  }
  const lags = (2 * DIFFERENCE_HOURS) / STRIDE;
  let spp = 0;
  let scc = 0;
  let spc = 0;
  for (let lag = 0; lag <= lags; lag++) {
    const share = (lag === 0 ? 1 : 2) * (1 - lag / (lags + 1));
    for (let i = lag; i < n; i++) {
      spp += share * scoreP[i] * scoreP[i - lag];
      scc += share * scoreC[i] * scoreC[i - lag];
      spc += (share / 2) * (scoreP[i] * scoreC[i - lag] + scoreC[i] * scoreP[i - lag]);
    }
  }
  const plain = (sigma2 * DIFFERENCE_HOURS) / STRIDE;
  const widenBy = (information: number, scores: number): number => (scores > 0 ? (plain * information) / scores : 1);
  const widen = Math.max(1, widenBy(pp, spp), widenBy(cc, scc));
  spp *= widen;
  scc *= widen;
  spc *= widen;
  const d2 = (pp * cc - pc * pc) ** 2;
  const vp = (cc * cc * spp - 2 * cc * pc * spc + pc * pc * scc) / d2;
  const vc = (pp * pp * scc - 2 * pp * pc * spc + pc * pc * spp) / d2;
  const vpc = (cc * pp * spc + pc * pc * spc - cc * pc * spp - pp * pc * scc) / d2;
  return {
    vp: scaleP > 0 ? vp / (scaleP * scaleP) : Infinity,
    vc: scaleC > 0 ? vc / (scaleC * scaleC) : Infinity,
    vpc: scaleP > 0 && scaleC > 0 ? vpc / (scaleP * scaleC) : 0,
  };
}

/** What the fleet agrees on. `prior` is worth one target. */
export function poolEffects(effects: readonly Effects[], rule: ResourceRule): FleetEffects {
  return {
    pod: pool(
      effects.map(e => [e.pod, e.podVariance]),
      rule.perPod,
      rule.perPodSpread,
    ),
    churn: pool(
      effects.map(e => [e.churn, e.churnVariance]),
      0,
      rule.perPodSpread,
    ),
  };
}

function pool(estimates: readonly (readonly [number, number])[], priorMean: number, priorSpread: number): Pooled {
  const known = estimates.filter(([value, variance]) => Number.isFinite(variance) && Number.isFinite(value));
  const values = [...known.map(([value]) => value), priorMean];
  const variances = [...known.map(([, variance]) => variance), priorSpread ** 2];
  let between = priorSpread ** 2;
  let mean = priorMean;
  // Paule and Mandel's moment estimate, each target's say bounded.
  for (let pass = 0; pass < 8; pass++) {
    let weights = 0;
    let sum = 0;
    for (let i = 0; i < values.length; i++) {
      const own = 1 / (variances[i] + between);
      weights += own;
      sum += own * values[i];
    }
    mean = sum / weights;
    let excess = 0;
    let expected = 0;
    for (let i = 0; i < values.length; i++) {
      const own = 1 / (variances[i] + between);
      excess += Math.min((values[i] - mean) ** 2 * own, 9) - 1;
      expected += between * own;
    }
    if (expected <= 0) break;
    between = Math.max(between * (1 + excess / Math.max(expected, 0.5) / 2), 1e-6 * priorSpread ** 2);
  }
  // Few targets cannot show that they agree: until there are many, some of the usual spread is kept. And what the
  // fleet's mean is, is itself known only so well.
  between = (known.length * between + PRIOR_TARGETS * (priorSpread / 2) ** 2) / (known.length + PRIOR_TARGETS);
  let information = 0;
  for (const variance of variances) information += 1 / (variance + between);
  return { mean, variance: between + 1 / information };
}

/** Share of the fleet's variance. */
const MIN_DOUBT = 1e-6;

/** The target's effects, drawn towards the fleet's: both at once, because pods and their starts often move together. */
export function shrinkEffects(own: Effects | undefined, fleet: FleetEffects): Effects {
  const { pod, churn } = fleet;
  const none = {
    pod: Math.max(0, pod.mean),
    churn: churn.mean,
    podVariance: pod.variance,
    churnVariance: churn.variance,
    covariance: 0,
  };
  if (own === undefined) return none;
  const podKnown = Number.isFinite(own.podVariance);
  const churnKnown = Number.isFinite(own.churnVariance);
  // Information of its own: the inverse of its covariance, or of what of it is known.
  // A column that never moves by chance would know its effect with no error at all.
  let pp = podKnown ? 1 / Math.max(own.podVariance, MIN_DOUBT * pod.variance) : 0;
  let cc = churnKnown ? 1 / Math.max(own.churnVariance, MIN_DOUBT * churn.variance) : 0;
  let pc = 0;
  if (podKnown && churnKnown) {
    const determinant = own.podVariance * own.churnVariance - own.covariance ** 2;
    if (!(determinant > 1e-9 * own.podVariance * own.churnVariance)) return none;
    pp = own.churnVariance / determinant;
    cc = own.podVariance / determinant;
    pc = -own.covariance / determinant;
  }
  const a = pp + 1 / pod.variance;
  const b = cc + 1 / churn.variance;
  const determinant = a * b - pc * pc;
  const u = pp * (own.pod - pod.mean) + pc * (own.churn - churn.mean);
  const v = pc * (own.pod - pod.mean) + cc * (own.churn - churn.mean);
  return {
    // A pod never takes anything away.
    pod: Math.max(0, pod.mean + (b * u - pc * v) / determinant),
    churn: churn.mean + (a * v - pc * u) / determinant,
    podVariance: b / determinant,
    churnVariance: a / determinant,
    covariance: -pc / determinant,
  };
}

/** Takes pods and churn out of the values; what is left is at the level of the last pods and no churn. */
export function removeEffects(hours: Hours, effects: Effects): void {
  const podsNow = hours.count > 0 ? hours.pods[hours.count - 1] : 0;
  const churnNow = hours.count > 0 ? hours.churn[hours.count - 1] : 0;
  for (let i = 0; i < hours.count; i++) {
    hours.values[i] -= effects.pod * (hours.pods[i] - podsNow) + effects.churn * (hours.churn[i] - churnNow);
  }
}
