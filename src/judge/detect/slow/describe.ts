/** A decision as numbers in real hours, and its sentences. */
import type { Interval, ResourceVerdict } from '../detection.ts';
import { clockOf } from './clock.ts';
import type { Decision, EvaluationTime } from './decide.ts';
import type { Case } from './case.ts';
import { reasonsOf } from './sentences.ts';
import { limitInputs } from './time-to-limit.ts';

/** 5 % of a normal distribution lie beyond it on each side. */
const Z90 = 1.645;

export function describe(one: Case, decision: Decision, moment: EvaluationTime): ResourceVerdict {
  const { resource, judgement } = one;
  const { binSeconds, endBin } = moment;
  const { rise, verdict } = decision;
  const perHour = 3600 / binSeconds;
  const slope = rise?.slope ?? judgement.longest;
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
