/** Summarises node scores. */
import type { NodeScore, Share } from './tally.ts';

const HOURS_PER_YEAR = 365.25 * 24;

export interface Rates {
  readonly precision: number;
  readonly recall: number;
  readonly f1: number;
  readonly falseAlarmsPerYear: number;
  /** The share of healthy nodes with a false alarm. */
  readonly falseNodes: number;
}

export interface Summary extends Rates {
  readonly nodes: number;
  readonly leaking: number;
  readonly falseAlarms: number;
  readonly healthyYears: number;
  readonly delayHours: Quantiles;
  readonly watchDelayHours: Quantiles;
  /** The share of leaks that were at least watched. */
  readonly watched: number;
  readonly growthAtAlarm: Quantiles;
  readonly slopeError: Quantiles;
  readonly slopeCoverage: Coverage;
  readonly onsetErrorHours: Quantiles;
  readonly timeToLimitCoverage: Coverage;
  readonly rightResource: number;
  readonly rightClock: number;
}

export interface Quantiles {
  readonly median: number;
  readonly p90: number;
  readonly of: number;
}

export interface Coverage {
  /** Every node counts the same, however often it was judged. */
  readonly share: number;
  readonly nodes: number;
}

export function ratesOf(scores: readonly NodeScore[]): Rates {
  let found = 0;
  let leaking = 0;
  let falsely = 0;
  let falseHealthy = 0;
  let alarms = 0;
  let hours = 0;
  for (const score of scores) {
    if (score.truth.leak !== undefined) leaking++;
    if (score.detected) found++;
    if (score.falseAlarms.length > 0) falsely++;
    if (score.falseAlarms.length > 0 && score.truth.leak === undefined) falseHealthy++;
    alarms += score.falseAlarms.length;
    hours += score.healthyHours;
  }
  const precision = ratio(found, found + falsely);
  const recall = ratio(found, leaking);
  return {
    precision,
    recall,
    f1: f1Of(precision, recall),
    falseAlarmsPerYear: ratio(alarms, hours / HOURS_PER_YEAR),
    falseNodes: ratio(falseHealthy, scores.length - leaking),
  };
}

/** The precision if this share of the nodes leaked. */
export function precisionAt(prevalence: number, { recall, falseNodes }: Rates): number {
  return ratio(recall * prevalence, recall * prevalence + falseNodes * (1 - prevalence));
}

export function summarise(scores: readonly NodeScore[]): Summary {
  const leaks = scores.filter(({ truth }) => truth.leak !== undefined);
  const numbers = (pick: (score: NodeScore) => number | undefined): number[] =>
    scores.map(pick).filter(value => value !== undefined);
  const yes = (pick: (score: NodeScore) => boolean | undefined): number => {
    const said = scores.map(pick).filter(value => value !== undefined);
    return ratio(said.filter(Boolean).length, said.length);
  };
  return {
    ...ratesOf(scores),
    nodes: scores.length,
    leaking: leaks.length,
    falseAlarms: scores.reduce((sum, { falseAlarms }) => sum + falseAlarms.length, 0),
    healthyYears: scores.reduce((sum, { healthyHours }) => sum + healthyHours, 0) / HOURS_PER_YEAR,
    delayHours: quantilesOf(numbers(score => score.delayHours)),
    watchDelayHours: quantilesOf(numbers(score => score.watchDelayHours)),
    watched: ratio(leaks.filter(score => score.watchDelayHours !== undefined).length, leaks.length),
    growthAtAlarm: quantilesOf(numbers(score => score.growthAtAlarm)),
    slopeError: quantilesOf(numbers(score => score.details.slopeError)),
    slopeCoverage: coverageOf(scores.map(score => score.details.slopeInside)),
    onsetErrorHours: quantilesOf(numbers(score => score.details.onsetErrorHours)),
    timeToLimitCoverage: coverageOf(scores.map(score => score.details.timeToLimitInside)),
    rightResource: yes(score => score.details.rightResource),
    rightClock: yes(score => score.details.rightClock),
  };
}

export function quantilesOf(values: readonly number[]): Quantiles {
  const sorted = [...values].sort((a, b) => a - b);
  return { median: quantile(sorted, 0.5), p90: quantile(sorted, 0.9), of: sorted.length };
}

/** NaN for an empty list. */
export function quantile(sorted: readonly number[], share: number): number {
  if (sorted.length === 0) return NaN;
  const place = share * (sorted.length - 1);
  const low = Math.floor(place);
  return sorted[low] + (sorted[Math.min(low + 1, sorted.length - 1)] - sorted[low]) * (place - low);
}

function coverageOf(shares: readonly Share[]): Coverage {
  const judged = shares.filter(({ of }) => of > 0);
  const sum = judged.reduce((total, { inside, of }) => total + inside / of, 0);
  return { share: ratio(sum, judged.length), nodes: judged.length };
}

export function f1Of(precision: number, recall: number): number {
  if (Number.isNaN(recall)) return NaN;
  return precision + recall > 0 ? (2 * precision * recall) / (precision + recall) : 0;
}

/** NaN if there is nothing to divide by; shown as a dash. */
function ratio(part: number, whole: number): number {
  return whole > 0 ? part / whole : NaN;
}
