/** A cohort verdict as a recording prints it. */
import { finiteOrNull } from '../../base/finite.ts';
import type { CohortVerdict, RateInterval } from '../cohorts/cohort-model.ts';
import type { RecordedCohort } from './recorded-detection.ts';
import { timeText } from '../../base/say.ts';

export function recordedCohort(verdict: CohortVerdict): RecordedCohort {
  const { ratePerHour, growsSinceSeconds, perPod, sinceSeconds, spreadPerHour, hoursForOne, ...others } = verdict;
  return {
    ...others,
    ratePerHour: known(ratePerHour),
    perPod: known(perPod),
    spreadPerHour: finiteOrNull(spreadPerHour),
    hoursForOne: finiteOrNull(hoursForOne),
    since: sinceSeconds === undefined ? null : timeText(sinceSeconds),
    ...(growsSinceSeconds === undefined ? {} : { growsSince: timeText(growsSinceSeconds) }),
  };
}

function known(rate: RateInterval | undefined): RateInterval | null {
  return rate !== undefined && rate.every(Number.isFinite) ? rate : null;
}
