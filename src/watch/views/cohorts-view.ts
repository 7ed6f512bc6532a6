/** Which attribute values come with growth, and who changed when. */
import { mayLeak } from '../../judge/verdict.ts';
import type { CohortsView, TargetChange } from '../watch-model.ts';
import { recordedCohort } from '../../judge/detect/recorded-cohort.ts';
import { readChangeText } from '../incidents/attribute-change-text.ts';
import type { WatchState } from '../state/watch-state.ts';
import { cohortIncidentSummary } from './cohort-incident-view.ts';
import { listedCohort } from './listed-cohort.ts';

const CHANGES_SECONDS = 14 * 86_400;
/** In a large fleet, cohorts without a finding are left out beyond this many. */
const MOST_COHORTS = 500;

/** With so many changes at most; none are read for 0. */
export async function cohortsView(state: WatchState, mostChanges: number): Promise<CohortsView> {
  const now = state.ports.clock.now();
  const { cohorts } = state;
  return {
    schema: 'oakum.cohorts/v1',
    at: now,
    sentence: sentenceOf(state),
    cohorts: cohorts.slice(0, MOST_COHORTS).map(one => listedCohort(recordedCohort(one))),
    changes: mostChanges === 0 ? [] : (await changesIn(state, now)).slice(-mostChanges),
    incidents: state.cohortIncidents.allOpen().map(record => cohortIncidentSummary(state, record)),
  };
}

async function changesIn({ ports }: WatchState, now: number): Promise<TargetChange[]> {
  const events = await ports.incidents.eventsOfKind('change', now - CHANGES_SECONDS, now);
  return events.flatMap(({ target, at, text }) => {
    const change = readChangeText(text);
    return change === undefined ? [] : [{ at, target, ...change }];
  });
}

function sentenceOf({ cohorts }: WatchState): string {
  const [worst] = cohorts;
  if (worst === undefined) return 'Nothing is known that tells targets apart.';
  if (mayLeak(worst.verdict)) return `${worst.sentence}.`;
  return 'No attribute separates targets that grow from others.';
}
