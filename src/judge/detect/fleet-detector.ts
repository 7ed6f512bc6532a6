/**
 * Finds leaks in a fleet from its metrics.
 *
 *     const detector = createFleetDetector();
 *     detector.observe('node-1', 1794772000, { go_goroutines: 310, kubelet_running_pods: 42, ... });   // each scrape
 *     detector.evaluate(1794772000);                                                                   // every few hours
 *
 *     samples -> hours -> minus pods and churn -> slope over windows -> fleet-wide error control -> shape -> verdict
 */
import type { FleetDetector, ResourceVerdict, TargetVerdict } from './detection.ts';
import type { AttributeChange, CohortVerdict } from '../cohorts/cohort-model.ts';
import type { Resource } from '../../evidence/resource.ts';
import type { Attributes } from '../../evidence/target.ts';
import { compareVerdicts, worst, worstKnown } from '../verdict.ts';
import { AttributeLog } from '../cohorts/attribute-log.ts';
import { evaluateCohorts } from '../cohorts/evaluate-cohorts.ts';
import { ownEffects, poolEffects, shrinkEffects } from './slow/confounders.ts';
import { decide, type Decision, type EvaluationTime } from './slow/decide.ts';
import type { JudgedResource } from './slow/judged-resource.ts';
import { describe } from './slow/describe.ts';
import { fastVerdict } from './fast/fast-verdict.ts';
import { Peers, programOf } from './fast/peers.ts';
import { layHours, newHours } from './slow/hours.ts';
import { basePrior, judge, type Judgement, layResiduals, longestTrend, NOTHING_SEEN, poolNoise } from './slow/judge.ts';
import { type DetectorOptions, TUNING, type Effects } from './options.ts';
import { RESOURCE_RULES, type ResourceRule } from '../../evidence/resource-rules.ts';
import { type ResourceState, TargetState } from './target-state.ts';
import { normalQuantileOfTail, normalTail } from '../growth/student-t.ts';

/** Errors over a whole fleet: how wide chance is there, and how high the bar must be for few false discoveries. */
const MIN_TARGETS = 20;

/** A few hundred targets show how common each kind of noise is. */
const NOISE_TARGETS = 200;
const NO_EFFECTS: Effects = { pod: 0, churn: 0, podVariance: 0, churnVariance: 0, covariance: 0 };

export function createFleetDetector(options: DetectorOptions = {}): FleetDetector {
  return new MetricDetector(options);
}

class MetricDetector implements FleetDetector {
  readonly #options: DetectorOptions;
  readonly #binSeconds: number;
  readonly #targets = new Map<string, TargetState>();
  readonly #attributes = new AttributeLog();
  readonly #peers: Peers;
  #slow: SlowScale = { endBin: -1, verdicts: new Map() };
  /** What the slow scale alone says; made once, as most targets have nothing that rises. */
  #quiet = new Map<TargetState, TargetVerdict>();
  /** `target\0resource` of each leak that the last evaluation found. */
  #leaks = new Set<string>();

  constructor(options: DetectorOptions) {
    const timeScale = options.timeScale ?? 1;
    if (!(timeScale > 0)) throw new RangeError(`timeScale must be above 0, not ${timeScale}`);
    this.#options = options;
    this.#binSeconds = 3600 / timeScale;
    this.#peers = new Peers(
      () => this.#targets.values(),
      target => programOf(target, this.#attributes.attributesOf(target.name)),
    );
  }

  observe(name: string, atSeconds: number, values: Readonly<Record<string, number>>): void {
    let target = this.#targets.get(name);
    if (target === undefined) this.#targets.set(name, (target = new TargetState(name, this.#binSeconds)));
    target.observe(atSeconds, values);
  }

  learn(atSeconds: number): void {
    const all = [...this.#targets.values()];
    // What is said at this hour is still to be found.
    this.#forgetSlowScale();
    for (const { one, decision } of decideSlowScale(all, this.#momentOf(atSeconds))) follow(one, decision);
    for (const target of all) this.#judgeFastScale(target, atSeconds);
  }

  evaluate(atSeconds: number): readonly TargetVerdict[] {
    const all = [...this.#targets.values()];
    const moment = this.#momentOf(atSeconds);
    // The slow scale sees whole hours: until another one ends, nothing changes there.
    if (moment.endBin !== this.#slow.endBin) {
      // The last verdicts of a large fleet are not held beside the next ones.
      this.#forgetSlowScale();
      this.#slow = judgeSlowScale(all, moment);
    }
    const minutes = all.map(target => this.#judgeFastScale(target, atSeconds));
    const verdicts = all.map((target, i) => this.#combine(target, minutes[i]));
    this.#leaks = new Set(verdicts.flatMap(leaksOf));
    return verdicts;
  }

  describe(name: string, described: Attributes, atSeconds?: number): readonly AttributeChange[] {
    const at = atSeconds ?? this.#targets.get(name)?.lastSampleSeconds ?? -Infinity;
    return this.#attributes.describe(name, described, at);
  }

  evaluateCohorts(
    atSeconds: number,
    isProved?: (target: string, resource: Resource) => boolean,
  ): readonly CohortVerdict[] {
    return evaluateCohorts(
      [...this.#targets.values()],
      this.#attributes,
      this.#momentOf(atSeconds),
      (target, resource) => this.#leaks.has(`${target}\0${resource}`) || isProved?.(target, resource) === true,
    );
  }

  forget(name: string): void {
    this.#targets.delete(name);
    this.#attributes.forget(name);
  }

  adopt(other: FleetDetector): void {
    if (other instanceof MetricDetector) for (const [name, state] of other.#targets) this.#targets.set(name, state);
    // They are judged with the next evaluation, not with the next hour.
    this.#forgetSlowScale();
  }

  #forgetSlowScale(): void {
    this.#slow = { endBin: -1, verdicts: new Map() };
    this.#quiet = new Map();
  }

  #momentOf(atSeconds: number): EvaluationTime {
    const binSeconds = this.#binSeconds;
    return { endBin: Math.floor(atSeconds / binSeconds), binSeconds, options: this.#options };
  }

  #judgeFastScale(target: TargetState, atSeconds: number): (ResourceVerdict | undefined)[] {
    const given = { target, atSeconds, binSeconds: this.#binSeconds, options: this.#options, peers: this.#peers };
    return target.resources.map(resource => fastVerdict({ ...given, resource }));
  }

  #combine(target: TargetState, fast: readonly (ResourceVerdict | undefined)[]): TargetVerdict {
    const known = this.#quiet.get(target);
    const isQuiet = fast.every(verdict => verdict === undefined);
    if (isQuiet && known?.resources.length === fast.length) return known;
    const verdict = verdictOf(target, this.#slow.verdicts.get(target) ?? [], fast);
    if (isQuiet) this.#quiet.set(target, verdict);
    return verdict;
  }
}

function leaksOf({ target, resources }: TargetVerdict): string[] {
  return resources.flatMap(({ verdict, resource }) => (verdict === 'leak' ? [`${target}\0${resource}`] : []));
}

/** Hours to weeks: the verdicts as of the last whole hour. */
interface SlowScale {
  readonly endBin: number;
  readonly verdicts: ReadonlyMap<TargetState, readonly ResourceVerdict[]>;
}

function judgeSlowScale(targets: readonly TargetState[], moment: EvaluationTime): SlowScale {
  const verdicts = new Map<TargetState, ResourceVerdict[]>();
  for (const { one, decision } of decideSlowScale(targets, moment)) {
    const verdict = describe(one, decision, moment);
    follow(one, decision);
    const others = verdicts.get(one.target);
    if (others === undefined) verdicts.set(one.target, [verdict]);
    else others.push(verdict);
  }
  return { endBin: moment.endBin, verdicts };
}

/** What a later evaluation must know of this one. */
function follow({ resource, target }: JudgedResource, { verdict }: Decision): void {
  if (verdict === 'leak') resource.leakyEpochs.add(target.epoch);
}

/** One after the other: a decision reads scratch that the next one overwrites. */
function* decideSlowScale(
  targets: readonly TargetState[],
  moment: EvaluationTime,
): Generator<{ readonly one: JudgedResource; readonly decision: Decision }> {
  for (const target of targets) target.advance(moment.endBin);
  const cases = RESOURCE_RULES.flatMap(rule => judgeRule(rule, targets, moment));
  const scale = nullScale(cases.map(one => one.judgement.longestZ));
  const deviates = cases.map(one => bestDeviate(one.judgement) / scale);
  const bar = ({ leastZ, falseDiscovery }: { leastZ: number; falseDiscovery: number }): number =>
    Math.max(leastZ, discoveryThreshold(deviates, falseDiscovery)) * scale;
  const thresholds = { watch: bar(TUNING.watch), leak: bar(TUNING.leak) };
  for (const one of cases) {
    one.resource.effects = one.effects;
    yield { one, decision: decide(one, thresholds, moment) };
  }
}

/** One resource over the fleet: effects and noise are learned together, then every target is judged with them. */
function judgeRule(rule: ResourceRule, targets: readonly TargetState[], moment: EvaluationTime): JudgedResource[] {
  const { endBin, binSeconds, options } = moment;
  const cases: JudgedResource[] = [];
  for (const target of targets) {
    const resource = target.resources.find(one => one.rule === rule);
    if (resource === undefined) continue;
    layHours(hours, target, resource.column, endBin);
    const own = ownEffects(hours);
    cases.push({ target, resource, own, effects: NO_EFFECTS, judgement: NOTHING_SEEN, prior: NO_PRIOR });
  }
  const fleet = poolEffects(
    cases.flatMap(one => (one.own === undefined ? [] : [one.own])),
    rule,
  );
  for (const one of cases) one.effects = shrinkEffects(one.own, fleet);
  const likelihoods: Float64Array[] = [];
  for (let i = 0; i < cases.length; i += Math.ceil(cases.length / NOISE_TARGETS)) {
    const trend = longestTrend(layResiduals(cases[i], endBin));
    if (trend !== undefined) likelihoods.push(trend.logLikelihood);
  }
  const prior = poolNoise(likelihoods);
  for (const one of cases) {
    one.prior = prior;
    const cadenceHours = one.target.cadenceSeconds / binSeconds;
    one.judgement = judge(layResiduals(one, endBin), rule, one.effects, prior, cadenceHours, options);
  }
  return cases;
}

const hours = newHours();
const NO_PRIOR = basePrior();

function bestDeviate({ windows, longestZ }: Judgement): number {
  let best = -Infinity;
  for (const { material, z } of windows) if (material) best = Math.max(best, z);
  // A rough correction for trying several windows: four that mostly agree count as two.
  return best === -Infinity ? Math.min(0, longestZ) : best - 0.15;
}

/** Combines both scales: the worse verdict wins; on a tie, the slow scale's. */
function verdictOf(
  target: TargetState,
  slow: readonly ResourceVerdict[],
  fast: readonly (ResourceVerdict | undefined)[],
): TargetVerdict {
  const resources = target.resources.map((resource, i) => {
    const hours = slow.find(one => one.resource === resource.rule.resource) ?? notJudged(resource);
    const minutes = fast[i];
    const worse = minutes === undefined || compareVerdicts(minutes.verdict, hours.verdict) >= 0 ? hours : minutes;
    return withinReason(worse, target);
  });
  resources.sort((a, b) => compareVerdicts(a.verdict, b.verdict));
  const verdicts = resources.map(({ verdict }) => verdict);
  // A resource too young to judge does not hide that the others are healthy; one that may be rising does.
  const doubtful = resources.some(({ explanation }) => explanation === 'unproved');
  return { target: target.name, verdict: doubtful ? worst(verdicts) : worstKnown(verdicts), resources };
}

/** No rate that may be zero is a leak, and no process leaks before it begins. */
function withinReason(one: ResourceVerdict, { epoch, lifeBeganSeconds }: TargetState): ResourceVerdict {
  const verdict = one.verdict === 'leak' && one.slopeInterval[0] <= 0 ? 'watch' : one.verdict;
  // A leak may go on over several lives of a target.
  const isBefore = epoch === 0 && one.onsetSeconds !== undefined && one.onsetSeconds < lifeBeganSeconds;
  if (verdict === one.verdict && !isBefore) return one;
  return { ...one, verdict, onsetSeconds: isBefore ? lifeBeganSeconds : one.onsetSeconds };
}

/** Seen since the last whole hour ended. */
function notJudged({ rule, metric }: ResourceState): ResourceVerdict {
  return {
    resource: rule.resource,
    verdict: 'unknown',
    metric,
    unit: rule.unit,
    level: NaN,
    slopePerHour: NaN,
    slopeInterval: [NaN, NaN],
    onsetSeconds: undefined,
    timeToLimitHours: undefined,
    clock: undefined,
    explanation: undefined,
    reasons: [`${rule.resource}: less than an hour of samples, too few to judge`],
  };
}

/** Leaks only push deviates up, so the lower half shows how wide chance really is; never below 1. */
function nullScale(deviates: readonly number[]): number {
  let sum = 0;
  let count = 0;
  for (const z of deviates) {
    if (!(z < 0)) continue;
    // One odd target says nothing of the others.
    sum += Math.min(z * z, 25);
    count++;
  }
  if (count < MIN_TARGETS) return 1;
  return Math.min(3, Math.max(1, Math.sqrt(sum / count)));
}

/** The bar of Benjamini and Hochberg's procedure, as a deviate; Infinity when nothing passes it. */
function discoveryThreshold(deviates: readonly number[], falseDiscovery: number): number {
  const sorted = deviates.filter(z => !Number.isNaN(z)).sort((a, b) => b - a);
  for (let rank = sorted.length; rank > 0; rank--) {
    const tail = (falseDiscovery * rank) / sorted.length;
    if (normalTail(sorted[rank - 1]) <= tail) return normalQuantileOfTail(tail);
  }
  return Infinity;
}
