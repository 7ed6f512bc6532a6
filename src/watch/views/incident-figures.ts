/** The figures of an open incident, as they are now. */
import type { ResourceUnit } from '../../evidence/resource.ts';
import type { CohortIncident } from '../state/incidents.ts';
import type { WatchState } from '../state/watch-state.ts';

export interface IncidentFigures {
  /** What its captures show, such as `kubernetes#139823, fixed in 1.36.3`. */
  readonly cause: string | null;
  readonly unit: ResourceUnit | null;
  readonly slopePerHour: number | null;
  readonly timeToLimitHours: readonly [number, number | null] | null;
  /** Of a cohort in several clusters: those in which it leaks, sorted. */
  readonly clusters?: readonly string[];
}

export function incidentFigures(state: WatchState, id: string): IncidentFigures {
  const cohort = state.incidents.ofCohort(id);
  return cohort === undefined ? ofTarget(state, id) : ofCohort(state, cohort);
}

/** How much faster its targets grow than others, and what the captures of one of them show. */
function ofCohort({ incidents }: WatchState, { id, subject: { verdicts } }: CohortIncident): IncidentFigures {
  const [worst] = verdicts;
  const clusters = verdicts.flatMap(one => one.clusters?.leaking ?? []);
  const known = incidents.foldedInto(id).find(({ subject }) => subject.cause !== null);
  return {
    cause: known?.subject.cause?.text ?? null,
    unit: worst?.unit ?? null,
    slopePerHour: worst?.ratePerHour?.[1] ?? null,
    timeToLimitHours: null,
    ...(worst?.clusters === undefined ? {} : { clusters: [...new Set(clusters)].sort() }),
  };
}

function ofTarget({ incidents, targets }: WatchState, id: string): IncidentFigures {
  const subject = incidents.ofTarget(id)?.subject;
  const judged = subject && targets.get(subject.target)?.verdictOf(subject.resource);
  const [low, high] = judged?.timeToLimitHours ?? [NaN, NaN];
  return {
    cause: subject?.cause?.text ?? null,
    unit: subject?.unit ?? null,
    slopePerHour: judged !== undefined && Number.isFinite(judged.slopePerHour) ? judged.slopePerHour : null,
    timeToLimitHours: Number.isFinite(low) ? [low, Number.isFinite(high) ? high : null] : null,
  };
}
