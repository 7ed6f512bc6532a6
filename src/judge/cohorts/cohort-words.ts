/** Cohort verdicts in plain sentences. */
import { amountIn, formatAge, formatCount, formatPercent, hourly, timeText, toMinute } from '../../base/say.ts';
import { clustersText, type CohortClusters, type OnsetCandidate, type RateInterval } from './cohort-model.ts';
import { verbOf, type Resource, type ResourceUnit } from '../../evidence/resource.ts';
import type { ResourceRule } from '../../evidence/resource-rules.ts';

/** Targets with the value, and controls without it. */
export interface CohortCounts {
  readonly leaking: number;
  readonly observed: number;
  readonly controls: number;
  readonly controlsLeaking: number;
  readonly clusters: CohortClusters | undefined;
}

export class CohortWords {
  readonly #resource: Resource;
  readonly #amount: (amount: number) => string;
  readonly #perRealHour: number;
  /** `version v1.36.0` */
  readonly name: string;

  /** `perRealHour`: hours of the detector in one of the clock. */
  constructor(rule: ResourceRule, attribute: string, value: string, perRealHour: number) {
    this.#resource = rule.resource;
    this.#amount = amountIn(rule.unit);
    this.#perRealHour = perRealHour;
    this.name = `${attribute} ${value}`;
  }

  #rate(slope: number): string {
    return `${hourly(this.#amount(slope * this.#perRealHour))}`;
  }

  controlsGrow(controlMean: number): string {
    return `the targets without ${this.name} grow as well, by ${this.#rate(controlMean)}: something reaches the whole fleet`;
  }

  controlsShrink(controlMean: number): string {
    return `the targets without ${this.name} lose ${this.#rate(-controlMean)}, which is most of the difference: load moved`;
  }

  density(podsPerHour: number): string {
    return `pods moved to these targets (${hourly(formatCount(podsPerHour * this.#perRealHour))} more than elsewhere), which may explain it`;
  }

  dearerPods(podsPerHour: number, times: number): string {
    return `${formatCount(podsPerHour * this.#perRealHour)} pods/h came to these targets, which hold ${times.toFixed(1)} times as much for each pod as others: that may explain it`;
  }

  settles(): string {
    return `the growth of ${this.#resource} slows down, as a cache that fills does`;
  }

  grewBefore(share: number): string {
    const before = Math.round(100 * Math.min(1, Math.max(0, 1 - share)));
    return `these targets grew before they had ${this.name}: ${formatPercent(before)} of the difference is older`;
  }

  /** `sinceSeconds`: when the growth began, if that was within the hours compared. */
  grows(
    rate: RateInterval,
    sinceSeconds: number | undefined,
    { leaking, observed, controls, controlsLeaking, clusters }: CohortCounts,
  ): string {
    const since = sinceSeconds === undefined ? '' : ` since ${toMinute(timeText(sinceSeconds))}`;
    const [low, middle, high] = rate.map(one => this.#amount(one));
    const verb = verbOf(this.#resource, 'grows');
    return (
      `${this.name}: ${this.#resource} ${verb} ${hourly(middle)} (${low} to ${high})${since} on ${leaking} of ${targets(observed)} ` +
      `with it${inClusters(clusters)}, and on ${controlsLeaking} of ${formatCount(controls)} without it`
    );
  }

  proved(
    leaking: number,
    observed: number,
    controls: number,
    controlsLeaking: number,
    clusters: CohortClusters | undefined,
  ): string {
    const leak = verbOf(this.#resource, 'grows') === 'grow' ? 'leak' : 'leaks';
    return (
      `${this.name}: ${this.#resource} ${leak} on ${leaking} of ${targets(observed)} with it${inClusters(clusters)}, each proved by itself, ` +
      `and on ${controlsLeaking} of ${formatCount(controls)} without it`
    );
  }

  unproved(rate: RateInterval, chance: number): string {
    const [low, middle, high] = rate;
    const { grows, amount, comparison } = this.#comparison(middle);
    const sign = middle < 0 ? -1 : 1;
    const ends = [sign * low, sign * high].sort((a, b) => a - b).map(one => this.#amount(one));
    return (
      `${this.name}: ${this.#resource} ${grows} ${amount} ${comparison} than elsewhere (${ends.join(' to ')}), ` +
      `which chance may explain (${percent(chance)})`
    );
  }

  /** `proved`: how many of the targets are proved to leak by themselves. */
  tooFew(
    rate: RateInterval,
    { leaking, observed, controls, controlsLeaking }: CohortCounts,
    [withIt, without]: readonly [withIt: number, without: number],
    proved: number,
  ): string {
    const { grows, amount } = this.#comparison(rate[1]);
    const needed = [
      ...(withIt === 0 ? [] : [`${formatCount(withIt)} more with it`]),
      ...(without === 0 ? [] : [`${formatCount(without)} more without it`]),
    ];
    const alone = proved === 0 ? '' : `; proved by itself on ${formatCount(proved)}`;
    return (
      `${this.name}: ${this.#resource} ${grows} ${amount} more than elsewhere, on ${formatCount(leaking)} of ${targets(observed)} ` +
      `with it and ${formatCount(controlsLeaking)} of ${formatCount(controls)} without it${alone}; ` +
      `too few to prove it by numbers: it takes ${needed.join(' and ')}`
    );
  }

  healthy(rate: RateInterval, observed: number, hours: number): string {
    const { grows, amount, comparison } = this.#comparison(rate[2]);
    const bound = comparison === 'more' ? 'at most' : 'at least';
    return (
      `${this.name}: ${this.#resource} on ${targets(observed)} ${grows} as elsewhere over ` +
      `${formatAge((hours * 3600) / this.#perRealHour)} (${bound} ${amount} ${comparison})`
    );
  }

  #comparison(perHour: number): { readonly grows: string; readonly amount: string; readonly comparison: string } {
    return {
      grows: verbOf(this.#resource, 'grows'),
      amount: hourly(this.#amount(Math.abs(perHour))),
      comparison: perHour < 0 ? 'less' : 'more',
    };
  }

  notCompared(members: number): string {
    return `${this.name}: ${this.#resource} of ${targets(members)} not yet compared: too few hours, or nothing to compare with`;
  }

  alias(other: string, count: number): string {
    return (
      `${this.name} and ${other} go together on all ${targets(count)}: they cannot be told apart; ` +
      `change one of them alone on one target to know`
    );
  }

  /** A version and the Go release that it was built with. */
  oneBuild(other: string): string {
    return `${this.name} and ${other} are of one build: either may be the cause`;
  }

  explainedBy(other: string): string {
    return `${other} explains it: targets with ${this.name} and without ${other} do not grow`;
  }

  explains(other: string): string {
    return `targets with ${other} and without ${this.name} do not grow`;
  }

  together(other: string): string {
    return `only targets with both ${this.name} and ${other} grow`;
  }
}

/** A target that has the value and this share of its growth grows slowly; with less, it does not grow. */
const SLOWLY = 0.05;

/** What a target does that has the value and does not grow as the others do. */
export function exampleText(
  perHour: number,
  cohort: { readonly unit: ResourceUnit; readonly ratePerHour: RateInterval | null },
): string {
  const least = SLOWLY * (cohort.ratePerHour?.[1] ?? Infinity);
  return perHour > least ? `grows only ${hourly(amountIn(cohort.unit)(perHour))}` : 'does not grow';
}

/** `began within 40m of version v1.36.0 on 19 of 20 targets; 3 others had the same change and do not grow` */
export function onsetSentence(candidate: Omit<OnsetCandidate, 'sentence'>): string {
  const { attribute, value, of, without, withinMinutes } = candidate;
  const within = formatAge(Math.max(1, withinMinutes) * 60);
  const others =
    without === 0
      ? 'no other target has had that change'
      : `${targets(without)} had the same change and ${without === 1 ? 'does' : 'do'} not grow`;
  return `began within ${within} of the change to ${attribute} ${value} on ${candidate.targets} of ${targets(of)}; ${others}`;
}

function targets(count: number): string {
  return count === 1 ? '1 target' : `${formatCount(count)} targets`;
}

function inClusters(clusters: CohortClusters | undefined): string {
  return clusters === undefined ? '' : `, ${clustersText(clusters)}`;
}

function percent(chance: number): string {
  if (chance >= 0.1) return `${formatPercent(Math.round(100 * chance))}`;
  return chance < 1e-6 ? 'below 0.0001 %' : `${formatPercent(Number((100 * chance).toPrecision(1)))}`;
}
