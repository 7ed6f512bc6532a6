/**
 * Leaks in a fleet from its metrics.
 *
 *     const detector = createFleetDetector();
 *     detector.observe('node-1', 1794772000, { go_goroutines: 310, kubelet_running_pods: 42, ... });   // each scrape
 *     detector.evaluate(1794772000);                                                                   // every few hours
 *
 *     samples -> hours -> minus pods and churn -> slope over windows -> fleet-wide error control -> shape -> verdict
 */
import type { FleetDetector, ResourceVerdict, TargetVerdict } from '../../model/detection.ts';
import type { Verdict } from '../../model/analysis.ts';
import { type Effects, ownEffects, poolEffects, shrinkEffects } from './confounders.ts';
import { layHours, newHours } from './hours.ts';
import {
  basePrior,
  type Explained,
  judge,
  type Judgement,
  layResiduals,
  longestTrend,
  poolNoise,
  type WindowJudgement,
} from './judge.ts';
import { type DetectorOptions, TUNING } from './options.ts';
import { RESOURCE_RULES, type ResourceRule } from './resources.ts';
import type { Shape } from './shape.ts';
import { TargetState } from './target-state.ts';
import { discoveryThreshold, nullScale } from './fleet-error.ts';
import { describe } from './describe.ts';

export type { DetectorOptions } from './options.ts';

const SEVERITY: Readonly<Record<Verdict, number>> = { leak: 3, watch: 2, unknown: 1, healthy: 0 };

interface Case extends Explained {
  own: Effects | undefined;
  judgement: Judgement;
  /** How common each noise model is in the fleet. */
  prior: Float64Array;
}

export function createFleetDetector(options: DetectorOptions = {}): FleetDetector {
  const timeScale = options.timeScale ?? 1;
  if (!(timeScale > 0)) throw new RangeError(`timeScale must be above 0, not ${timeScale}`);
  const binSeconds = 3600 / timeScale;
  const targets = new Map<string, TargetState>();
  return {
    observe(name, atSeconds, values) {
      let target = targets.get(name);
      if (target === undefined) targets.set(name, (target = new TargetState(name, binSeconds)));
      target.observe(atSeconds, values);
    },
    evaluate(atSeconds) {
      const endBin = Math.floor(atSeconds / binSeconds);
      for (const target of targets.values()) target.advance(endBin);
      const found = new Map<TargetState, ResourceVerdict[]>();
      for (const target of targets.values()) found.set(target, []);
      const cases = RESOURCE_RULES.flatMap(rule => judgeRule(rule, targets, endBin, binSeconds, options));
      const scale = nullScale(cases.map(one => one.judgement.longestZ));
      const tails = cases.map(one => bestZ(one.judgement) / scale);
      const debug = process.env.ODBG;
      const thresholds = {
        watch: Math.max(TUNING.watch.leastZ, discoveryThreshold(tails, TUNING.watch.falseDiscovery)) * scale,
        leak: Math.max(TUNING.leak.leastZ, discoveryThreshold(tails, TUNING.leak.falseDiscovery)) * scale,
      };
      if (debug)
        console.error(
          RESOURCE_RULES.map(
            r =>
              r.resource +
              ' ' +
              nullScale(cases.filter(c => c.resource.rule === r).map(one => one.judgement.longestZ)).toFixed(2),
          ).join(', '),
        );
      if (debug) console.error('scale', scale, thresholds, cases.length);
      for (const one of cases) {
        const verdict = decide(one, endBin, thresholds, options, binSeconds);
        found.get(one.target)?.push(verdict);
      }
      return [...targets.values()].map(target => verdictOf(target, found.get(target) ?? []));
    },
  };
}

function bestZ(judgement: Judgement): number {
  let best = -Infinity;
  for (const window of judgement.windows) if (window.material) best = Math.max(best, window.z);
  // The choice among windows is paid for roughly: four looks that mostly agree count as two.
  return best === -Infinity ? Math.min(0, judgement.longestZ) : best - 0.15;
}

const hours = newHours();
const NO_EFFECTS: Effects = { pod: 0, churn: 0, podVariance: 0, churnVariance: 0, covariance: 0 };
const NOISE_TARGETS = 200;
const NO_PRIOR = basePrior();

function judgeRule(
  rule: ResourceRule,
  targets: ReadonlyMap<string, TargetState>,
  endBin: number,
  binSeconds: number,
  options: DetectorOptions,
): Case[] {
  const cases: Case[] = [];
  const nothing = { windows: [], longestZ: NaN, longest: undefined, level: NaN, hoursSeen: 0, shape: undefined };
  for (const target of targets.values()) {
    const resource = target.resources.find(one => one.rule === rule);
    if (resource === undefined) continue;
    layHours(hours, target, resource.column, endBin);
    const own = ownEffects(hours);
    cases.push({ target, resource, own, effects: NO_EFFECTS, judgement: nothing, prior: NO_PRIOR });
  }
  const fleet = poolEffects(
    cases.flatMap(one => (one.own === undefined ? [] : [one.own])),
    rule,
  );
  if (process.env.ODBG)
    for (const one of cases)
      console.error(
        rule.resource,
        one.target.name,
        JSON.stringify(one.own),
        JSON.stringify(fleet),
        JSON.stringify(shrinkEffects(one.own, fleet)),
      );
  const likelihoods: Float64Array[] = [];
  for (const one of cases) one.effects = shrinkEffects(one.own, fleet);
  // A few hundred tell how common each kind of noise is.
  for (let i = 0; i < cases.length; i += Math.ceil(cases.length / NOISE_TARGETS)) {
    const one = cases[i];
    const trend = longestTrend(layResiduals(one, endBin));
    if (trend !== undefined) likelihoods.push(trend.logLikelihood);
  }
  const prior = likelihoods.length === 0 ? basePrior() : poolNoise(likelihoods);
  for (const one of cases) {
    const residuals = layResiduals(one, endBin);
    one.prior = prior;
    one.judgement = judge(residuals, rule, one.effects, prior, one.target.cadenceSeconds / binSeconds, options);
  }
  return cases;
}

interface Thresholds {
  readonly watch: number;
  readonly leak: number;
}

function decide(
  one: Case,
  endBin: number,
  thresholds: Thresholds,
  options: DetectorOptions,
  binSeconds: number,
): ResourceVerdict {
  const { resource, target, judgement } = one;
  const watching = judgement.windows.filter(window => window.material && window.z >= thresholds.watch);
  const leaking = watching.filter(window => window.z >= thresholds.leak && goesOn(window, judgement.shape, 0));
  let window = leaking.at(-1) ?? watching.at(-1);
  let verdict: Verdict = judgement.windows.length === 0 ? 'unknown' : watching.length > 0 ? 'watch' : 'healthy';
  if (leaking.length > 0 && heldBefore(one, endBin, thresholds, binSeconds, options)) {
    verdict = 'leak';
    if (Number.isNaN(resource.leakEarnedBin)) resource.leakSinceBin = endBin;
    resource.leakEarnedBin = endBin;
  } else if (endBin - resource.leakEarnedBin <= TUNING.quietHours) {
    verdict = 'leak';
  } else {
    resource.leakEarnedBin = NaN;
  }
  window ??= judgement.windows.at(-1);
  return describe({
    target,
    resource,
    judgement,
    window,
    verdict,
    effects: one.effects,
    prior: one.prior,
    options,
    binSeconds,
    endBin,
  });
}

/** Neither a step nor a plateau, and old enough that it could have been seen to be one. */
function goesOn(window: WindowJudgement, shape: Shape | undefined, hoursLater: number): boolean {
  if (window.windowHours < TUNING.leastLeakWindowHours) return false;
  if (shape === undefined || shape.ageHours + hoursLater < TUNING.leastAgeHours) return false;
  const young = Math.min(1, Math.max(0, (TUNING.settledAgeHours - shape.ageHours) / 40));
  // Where hours scatter, an old rise need not look steady as long as it is not clearly unsteady.
  const doubt =
    shape.ageHours >= TUNING.doubtAgeHours ? Math.min(TUNING.mostDoubt, TUNING.doubt * shape.steadinessError) : 0;
  if (!(shape.steadiness + doubt >= TUNING.steadiness + TUNING.youngSteadiness * young)) return false;
  if (shape.latePerHour + doubt * window.slope.perHour < TUNING.lateShare * window.slope.perHour) return false;
  return shape.lastDayPerHour >= TUNING.endShare * window.slope.perHour;
}

/** The same judgement on what was known six hours ago. */
function heldBefore(
  one: Case,
  endBin: number,
  thresholds: Thresholds,
  binSeconds: number,
  options: DetectorOptions,
): boolean {
  const before = endBin - TUNING.persistHours;
  const residuals = layResiduals(one, before);
  const cadence = one.target.cadenceSeconds / binSeconds;
  const judgement = judge(residuals, one.resource.rule, one.effects, one.prior, cadence, options);
  // What is six hours older was six hours younger then.
  return judgement.windows.some(
    window => window.material && window.z >= thresholds.leak && goesOn(window, judgement.shape, TUNING.persistHours),
  );
}

function verdictOf(target: TargetState, resources: readonly ResourceVerdict[]): TargetVerdict {
  const sorted = [...resources].sort((a, b) => SEVERITY[b.verdict] - SEVERITY[a.verdict]);
  const known = sorted.filter(one => one.verdict !== 'unknown');
  const verdict = known[0]?.verdict ?? 'unknown';
  return { target: target.name, verdict, resources: sorted };
}
