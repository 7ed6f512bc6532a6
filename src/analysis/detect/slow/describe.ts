/** A decision as numbers in real hours, and its sentences. */
import type { ResourceVerdict } from '../../../model/detection.ts';
import { clockOf } from './clock.ts';
import type { Decision, EvaluationTime } from './decide.ts';
import type { Case } from './case.ts';
import { reasonsOf } from './sentences.ts';

/** Of a normal distribution, 5 % on each side. */
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
    timeToLimitHours:
      rise?.hoursToLimit === undefined ? undefined : [rise.hoursToLimit[0] / perHour, rise.hoursToLimit[1] / perHour],
    clock: clock === undefined || clock.per !== 'hour' ? clock : { per: 'hour', amount: slopePerHour },
    explanation: decision.explanation,
  };
  return { ...numbers, reasons: reasonsOf(numbers, one, decision, moment) };
}
