/** A judgement in words and numbers. */
import type { Verdict } from '../../model/analysis.ts';
import type { ResourceVerdict } from '../../model/detection.ts';
import type { Effects } from './confounders.ts';
import { MOST_HOURS } from './hours.ts';
import { type Judgement, layResiduals, slopeOfLast, type WindowJudgement } from './judge.ts';
import type { DetectorOptions } from './options.ts';
import type { ResourceState, TargetState } from './target-state.ts';
import { hoursToLimit, limitOf } from './time-to-limit.ts';

export interface Description {
  readonly target: TargetState;
  readonly resource: ResourceState;
  readonly judgement: Judgement;
  /** The window that decided, if any could. */
  readonly window: WindowJudgement | undefined;
  readonly verdict: Verdict;
  readonly effects: Effects;
  readonly prior: Float64Array;
  readonly options: DetectorOptions;
  readonly binSeconds: number;
  readonly endBin: number;
}

export function describe(input: Description): ResourceVerdict {
  const { resource, judgement, window, verdict, binSeconds } = input;
  const perHour = 3600 / binSeconds;
  const rising = verdict === 'leak' || verdict === 'watch';
  const lastHours = Math.min(MOST_HOURS, Math.max(24, judgement.shape?.ageHours ?? window?.windowHours ?? 0));
  const since = rising
    ? slopeOfLast(layResiduals(input, input.endBin), lastHours, input.effects, input.prior)
    : undefined;
  const slope = since ?? window?.slope ?? judgement.longest;
  const limit =
    slope === undefined || !rising ? undefined : limitOf({ ...input, slope, lastHours, level: judgement.level });
  const toLimit = limit === undefined ? undefined : hoursToLimit(limit);
  const slopePerHour = (slope?.perHour ?? NaN) * perHour;
  const margin = 1.645 * (slope?.standardError ?? NaN) * perHour;
  return {
    resource: resource.rule.resource,
    verdict,
    metric: resource.metric,
    unit: resource.rule.unit,
    level: judgement.level,
    slopePerHour,
    slopeInterval: [slopePerHour - margin, slopePerHour + margin],
    onsetSeconds: rising && judgement.shape?.onsetSeen === true ? judgement.shape.onsetHour * binSeconds : undefined,
    timeToLimitHours: toLimit === undefined ? undefined : [toLimit[0] / perHour, toLimit[1] / perHour],
    clock: undefined,
    explanation: undefined,
    reasons: [
      JSON.stringify([
        judgement.windows.map(w => [w.windowHours, +w.z.toFixed(2), Math.round(w.growth), w.material]),
        judgement.shape,
      ]),
    ],
  };
}
