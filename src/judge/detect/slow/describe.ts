/** A decision as numbers in real hours, and its sentences. */
import type { Interval, ResourceVerdict, LeakClock } from '../detection.ts';
import type { Decision, EvaluationTime } from './decide.ts';
import type { JudgedResource, Rise } from './judged-resource.ts';
import { reasonsOf } from './sentences.ts';
import { limitInputs } from './time-to-limit.ts';
import { layResiduals } from './judge.ts';
import { CLOCKS } from '../target-state.ts';

/**
 * What drives a leak: time, or a count such as pod starts. Over days on which the count differs, its rise follows one
 * or the other; the better of the two is told.
 */
const LAG_HOURS = 24;

const STRIDE_HOURS = 6;

/** A count must leave this much less unexplained than time does, and vary at all. */
const BETTER = 0.75;

const MIN_VARIATION = 0.15;

/** 5 % of a normal distribution lie beyond it on each side. */
const Z90 = 1.645;

export function describe(one: JudgedResource, decision: Decision, moment: EvaluationTime): ResourceVerdict {
  const { resource, judgement } = one;
  const { binSeconds, endBin } = moment;
  const { rise, verdict } = decision;
  const perHour = 3600 / binSeconds;
  const slope = rise?.slope ?? decision.doubt ?? judgement.longest;
  const slopePerHour = (slope?.perHour ?? NaN) * perHour;
  const margin = Z90 * (slope?.standardError ?? NaN) * perHour;
  const clock = rise === undefined ? undefined : clockOf(one, rise, endBin);
  const toLimit = rise?.hoursToLimit;
  const timeToLimitHours: Interval | undefined =
    toLimit === undefined ? undefined : [toLimit[0] / perHour, toLimit[1] / perHour];
  const numbers: Omit<ResourceVerdict, 'reasons'> = {
    resource: resource.rule.resource,
    verdict,
    metric: resource.metric,
    unit: resource.rule.unit,
    level: judgement.level,
    slopePerHour,
    slopeInterval: [slopePerHour - margin, slopePerHour + margin],
    onsetSeconds:
      rise !== undefined && judgement.shape?.onsetSeen === true ? judgement.shape.onsetHour * binSeconds : undefined,
    timeToLimitHours,
    limit: rise?.limit === undefined ? undefined : limitInputs(rise.limit.limit, rise.limit.level, timeToLimitHours),
    clock: clock === undefined || clock.per !== 'hour' ? clock : { per: 'hour', amount: slopePerHour },
    explanation: decision.explanation,
  };
  return { ...numbers, reasons: reasonsOf(numbers, one, decision, moment) };
}

function clockOf(one: JudgedResource, rise: Rise, endBin: number): LeakClock {
  const residuals = layResiduals(one, endBin);
  const ends: number[] = [];
  const rises: number[] = [];
  for (let i = residuals.count - 1; i - LAG_HOURS >= residuals.count - rise.lastHours; i -= STRIDE_HOURS) {
    const change = residuals.values[i] - residuals.values[i - LAG_HOURS];
    if (i < LAG_HOURS || Number.isNaN(change) || residuals.epoch[i] !== residuals.epoch[i - LAG_HOURS]) continue;
    ends.push(residuals.firstBin + i);
    rises.push(change);
  }
  let best: LeakClock = { per: 'hour', amount: rise.slope.perHour };
  if (rises.length < 8) return best;
  const mean = rises.reduce((sum, change) => sum + change, 0) / rises.length;
  let bestError = BETTER * rises.reduce((sum, change) => sum + (change - mean) ** 2, 0);
  CLOCKS.forEach((clock, index) => {
    const counter = one.target.counters[index];
    if (counter === undefined) return;
    const counts = ends.map(end => counter.sumOf(end - LAG_HOURS + 1, end + 1));
    if (counts.some(count => !(count >= 0))) return;
    const average = counts.reduce((sum, count) => sum + count, 0) / counts.length;
    const variance = counts.reduce((sum, count) => sum + (count - average) ** 2, 0) / counts.length;
    if (!(Math.sqrt(variance) > MIN_VARIATION * average)) return;
    const squares = counts.reduce((sum, count) => sum + count * count, 0);
    const amount = counts.reduce((sum, count, i) => sum + count * rises[i], 0) / squares;
    const error = counts.reduce((sum, count, i) => sum + (rises[i] - amount * count) ** 2, 0);
    if (amount > 0 && error < bestError) {
      bestError = error;
      best = { per: clock.per, amount };
    }
  });
  return best;
}
