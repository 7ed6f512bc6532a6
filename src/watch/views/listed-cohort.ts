/** A cohort as the API lists it: in a large fleet, with the names of some of its targets. */
import type { RecordedCohort } from '../../judge/detect/recorded-detection.ts';
import type { ListedCohort } from '../watch-model.ts';

/** The fleet page has them all. */
const MAX_NAMES = 100;

export function listedCohort(cohort: RecordedCohort): ListedCohort {
  return { ...cohort, leaking: cohort.leaking.slice(0, MAX_NAMES), leakingCount: cohort.leaking.length };
}
