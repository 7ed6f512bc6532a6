/** Some of the incidents, of targets and of cohorts, and how many there are. */
import { sortedInSlices } from '../../base/in-slices.ts';
import type { IncidentsQuery, IncidentsView } from '../watch-model.ts';
import type { CohortIncidentRecord } from '../state/cohort-incident-records.ts';
import type { IncidentRecord } from '../state/incident-records.ts';
import type { WatchState } from '../state/watch-state.ts';
import { cohortIncidentSummary } from './cohort-incident-view.ts';
import { incidentSummary } from './incident-view.ts';

type AnyRecord = IncidentRecord | CohortIncidentRecord;

export async function incidentsView(state: WatchState, query: IncidentsQuery): Promise<IncidentsView> {
  const { offset, limit, withFolded } = query;
  let [total, open, folded] = [0, 0, 0];
  const matching: AnyRecord[] = [];
  for (const record of [...state.cohortIncidents.all(), ...state.incidents.values()]) {
    const isPart = isFolded(state, record);
    if (isPart) folded++;
    else total++;
    const isOpen = record.closedAt === null;
    if (isOpen && !isPart) open++;
    if ((isPart && !withFolded) || (query.state !== 'any' && isOpen !== (query.state === 'open'))) continue;
    matching.push(record);
  }
  const ordered = await sortedInSlices(matching, byUrgency);
  return {
    schema: 'oakum.incidents/v1',
    at: state.ports.clock.now(),
    total,
    open,
    folded,
    matching: matching.length,
    offset,
    incidents: ordered
      .slice(offset, offset + limit)
      .map(record => (isOfCohort(record) ? cohortIncidentSummary(state, record) : incidentSummary(state, record))),
  };
}

function isOfCohort(record: AnyRecord): record is CohortIncidentRecord {
  return 'cohort' in record;
}

function isFolded({ cohortIncidents }: WatchState, record: AnyRecord): boolean {
  return !isOfCohort(record) && record.partOf !== undefined && cohortIncidents.get(record.partOf) !== undefined;
}

/** Open ones first, then those of cohorts, then the newest; no two are equal. */
function byUrgency(a: AnyRecord, b: AnyRecord): number {
  return (
    Number(a.closedAt !== null) - Number(b.closedAt !== null) ||
    Number(isOfCohort(b)) - Number(isOfCohort(a)) ||
    b.openedAt - a.openedAt ||
    (a.id < b.id ? 1 : -1)
  );
}
