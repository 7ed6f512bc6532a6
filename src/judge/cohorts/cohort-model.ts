/**
 * Cohorts: targets that share an attribute value, and what they have in common besides.
 *
 *     describe(target, { version: 'v1.36.0', pool: 'a' })   ->  the value of each attribute, and a change when it moves
 *     evaluateCohorts(at)                                    ->  CohortVerdict for each attribute, value and resource
 */
import { formatCount } from '../../base/say.ts';
import type { Resource, ResourceUnit } from '../../evidence/resource.ts';
import type { Verdict } from '../verdict.ts';

/** One attribute of a target got another value. */
export interface AttributeChange {
  readonly target: string;
  readonly attribute: string;
  /** Undefined if the target had none before. */
  readonly from: string | undefined;
  /** Undefined if it has none any more. */
  readonly to: string | undefined;
  /** When it was first seen; it happened between the sample before and this one. */
  readonly atSeconds: number;
}

/** Low, middle, high; a 90 % interval. */
export type RateInterval = readonly [low: number, middle: number, high: number];

/** A target that has the value and does not leak. */
export interface CounterExample {
  readonly target: string;
  readonly ratePerHour: number;
  /** What most of the leaking ones have and this one has not: `kernel 6.1.0, not 6.8.0-51`. */
  readonly differs: readonly string[];
}

/** Why growth of a cohort is not blamed on it. */
export interface CohortVeto {
  readonly kind:
    | 'controls grow' // the others grow as well
    | 'controls shrink' // the others got less: the load moved
    | 'density' // more pods here than there
    | 'grew before' // it grew like this before it got the value
    | 'settles'; // the growth slows down
  readonly sentence: string;
}

/** Another attribute value that explains the same growth, or seems to. */
export interface CohortAlternative {
  readonly attribute: string;
  readonly value: string;
  /**
   * `alias`: no target has one without the other, so they cannot be told apart. `explained`: the other one is a better
   * explanation of this one. `explains`: this one is. `together`: only targets with both leak.
   */
  readonly relation: 'alias' | 'explained' | 'explains' | 'together';
  readonly sentence: string;
}

/** A change that came when targets of a cohort began to grow. */
export interface OnsetCandidate {
  readonly attribute: string;
  readonly value: string;
  /** How many began to grow with it, of those whose beginning is known. */
  readonly targets: number;
  readonly of: number;
  /** How many had the same change and do not grow. */
  readonly without: number;
  /** The longest time between the change and the beginning. */
  readonly withinMinutes: number;
  readonly sentence: string;
}

export interface CohortVerdict {
  readonly attribute: string;
  readonly value: string;
  readonly resource: Resource;
  readonly unit: ResourceUnit;
  readonly verdict: Verdict;
  /** Growth beyond that of the controls, per target. */
  readonly ratePerHour: RateInterval;
  /** Given if they began to grow within the window: the rate is that since then. */
  readonly growsSinceSeconds?: number;
  /** Given when the number of pods explains the differences between the targets. */
  readonly perPod?: RateInterval;
  /** Standard deviation of the true rates between targets of the cohort: near 0 if all grow alike. */
  readonly spreadPerHour: number;
  /** How many have the value. */
  readonly targets: number;
  /** How many of them were observed long enough. */
  readonly observed: number;
  /** Names of those that grow; listed for `leak` and `watch`, and for what is likely but not proved. */
  readonly leaking: readonly string[];
  /** In a fleet of several clusters: those with targets that grow, of those with targets that were observed. */
  readonly clusters?: CohortClusters;
  /** Those that do not, with what they have different; listed like those that grow. */
  readonly against: readonly CounterExample[];
  /** How many targets it was compared with, and how many of them grow as fast. */
  readonly controls: number;
  readonly controlsLeaking: number;
  /** Whether the controls were restarted at about the same time, so that warming up cancels. */
  readonly equalAges: boolean;
  /** When the first of the targets got the value; undefined if all had it before the record. */
  readonly sinceSeconds: number | undefined;
  /** Hours over which growth was compared; 0 if it was not. */
  readonly windowHours: number;
  /** The chance of a difference like this without a leak, corrected for everything that was compared and how often. */
  readonly chance: number;
  /** The least chance that so few targets could show; above the bar, no number of hours will prove it. */
  readonly leastChance: number;
  /** How many more targets with the value and without it are needed to prove anything; given if there are too few. */
  readonly targetsMissing?: readonly [withIt: number, without: number];
  readonly vetoes: readonly CohortVeto[];
  readonly alternatives: readonly CohortAlternative[];
  /** What changed when they began to grow, the best first; the others are near misses. For `leak` and `watch`. */
  readonly onset: readonly OnsetCandidate[];
  /** How many hours one more target alone would need to show such growth; NaN if it was not compared. */
  readonly hoursForOne: number;
  /** The verdict with its numbers in one line. */
  readonly sentence: string;
}

export interface CohortClusters {
  /** Names, sorted. */
  readonly leaking: readonly string[];
  readonly withIt: number;
}

/** The attribute that says which cluster a target is in. */
export const CLUSTER_ATTRIBUTE = 'cluster';

/** `in 7 of 7 clusters that have it`. */
export function clustersText({ leaking, withIt }: CohortClusters): string {
  return withIt === 1
    ? 'in the one cluster that has it'
    : `in ${formatCount(leaking.length)} of ${formatCount(withIt)} clusters that have it`;
}

/** The attribute value whose targets leak. */
export interface CohortName {
  readonly attribute: string;
  readonly value: string;
}

/** A cohort in the list of incidents. */
export interface CohortSummary extends CohortName {
  /** How many incidents of targets are folded into it, and how many of them are open. */
  readonly folded: number;
  readonly open: number;
}

/** Whether one of them comes with the other: a version was built with one release of Go, for one platform. */
export function areOfOneBuild(a: string, b: string): boolean {
  const isPart = (attribute: string): boolean => attribute === 'go' || attribute === 'platform';
  return (a === 'version' && isPart(b)) || (b === 'version' && isPart(a)) || (isPart(a) && isPart(b));
}

/** Other values that one could change alone, to know which of them is at fault. */
export function changeableAliases(
  cohort: Pick<CohortVerdict, 'attribute' | 'alternatives'>,
): readonly CohortAlternative[] {
  return cohort.alternatives.filter(
    ({ relation, attribute }) => relation === 'alias' && !areOfOneBuild(cohort.attribute, attribute),
  );
}
