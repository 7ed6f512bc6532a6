/**
 * The incident of a cohort: one value of an attribute leaks wherever it is, so its targets are one incident.
 *
 *     version v1.36.0 leaks on 20 of 20 nodes, 0 of 60 elsewhere: stop the rollout
 *       node/worker-1   +2.4 MiB/h   its own incident, folded into this one
 *       node/worker-2   +2.3 MiB/h   ...
 */
import type { KnownInVersion } from '../../judge/bisect/bisection.ts';
import type { CohortSummary } from '../../judge/cohorts/cohort-model.ts';
import type { Resource, ResourceUnit } from '../../evidence/resource.ts';
import type { Verdict } from '../../judge/verdict.ts';
import type {
  IncidentNote,
  IncidentStep,
  IncidentSummary,
  ListedCohort,
  TargetCause,
  TimeBins,
} from '../watch-model.ts';

export interface CohortIncidentView extends IncidentSummary {
  readonly schema: 'oakum.cohort-incident/v1';
  readonly cohort: CohortSummary;
  /** What was last found about each resource that leaks, the worst first. */
  readonly verdicts: readonly ListedCohort[];
  /** Every target that has the value: those that grow first, then those that speak against it, then the others. */
  readonly members: readonly CohortMember[];
  /** How many targets were left out of `members`. */
  readonly moreMembers: number;
  /** What captures of members show, the most frequent first. */
  readonly causes: readonly { readonly cause: TargetCause; readonly targets: number }[];
  readonly known: readonly KnownInVersion[];
  readonly timeline: readonly IncidentStep[];
  readonly notes: readonly IncidentNote[];
  readonly todo: readonly string[];
}

export interface CohortMember {
  readonly target: string;
  /** `against`: it has the value and does not grow. `early`: too little is known of it. */
  readonly role: 'grows' | 'against' | 'early';
  readonly verdict: Verdict;
  readonly resource: Resource | null;
  readonly unit: ResourceUnit;
  readonly slopePerHour: number | null;
  readonly timeToLimitHours: readonly [number, number | null] | null;
  /** When it got the value; null if it had it before the record. */
  readonly since: number | null;
  /** What a target that speaks against it has different. */
  readonly differs: readonly string[];
  readonly incidentId: string | null;
}

/** Who had which value of an attribute when, against growth. */
export interface RolloutView {
  readonly schema: 'oakum.rollout/v1';
  readonly at: number;
  readonly attribute: string;
  readonly resource: Resource;
  readonly unit: ResourceUnit;
  readonly bins: TimeBins;
  /** Values that leak first, then those with most targets. */
  readonly values: readonly RolloutValue[];
  /** How many more values there are. */
  readonly moreValues: number;
}

export interface RolloutValue {
  readonly value: string;
  /** How many targets had it in each bin. */
  readonly targets: readonly number[];
  /**
   * What one target with it gained since the first bin shown: the mean of those that had it, or of 2,000 of them, added
   * up bin by bin. Restarts and bins in which a target changed count as no growth. Null before the first target had it.
   */
  readonly growth: readonly (number | null)[];
}
