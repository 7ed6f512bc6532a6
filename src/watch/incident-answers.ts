/** What the server asks about incidents, of targets and of cohorts. */
import type { IncidentSummary, IncidentsQuery, IncidentsView } from './watch-model.ts';
import { cohortIncidentSummary, cohortIncidentView } from './views/cohort-incident-view.ts';
import { incidentSummary, incidentView } from './views/incident-view.ts';
import type { IncidentRecord } from './state/incident-records.ts';
import type { WatchState } from './state/watch-state.ts';
import type { EvidenceRefusal, WatchService } from './watch-service.ts';
import { annotate, annotateCohort, notesSection } from './incidents/annotate.ts';
import { chooseCaptures, incidentCaptures, readEvidence } from './incidents/incident-analysis.ts';
import type { CohortIncidentRecord } from './state/cohort-incident-records.ts';
import type { TargetEvidence } from '../evidence/capture.ts';
import { sortedInSlices } from '../base/bounded-work.ts';

type IncidentAnswers = Pick<
  WatchService,
  'incidents' | 'incidentsView' | 'incident' | 'cohortIncident' | 'bundle' | 'report' | 'annotate'
>;

export function incidentAnswers(state: WatchState): IncidentAnswers {
  const { incidents, cohortIncidents, ports } = state;

  async function withEvidence<T>(
    id: string,
    make: (evidence: TargetEvidence) => Promise<T>,
  ): Promise<T | EvidenceRefusal | undefined> {
    const record = incidents.get(id) ?? bestMember(state, id);
    if (record === undefined)
      return cohortIncidents.get(id) === undefined
        ? undefined
        : { refused: 'no incident of a target is folded into it' };
    const evidence = await readEvidence(state, chooseCaptures(incidentCaptures(state, record)));
    if (evidence !== undefined) return make(evidence);
    const isGone = record.captureIds.length > 0;
    return { refused: isGone ? 'its captures made room for newer ones' : 'no profile was captured during it' };
  }

  return {
    incidents: () => allIncidents(state),
    incidentsView: query => incidentsView(state, query),
    async incident(id) {
      const record = incidents.get(id);
      return record && incidentView(state, record);
    },
    async cohortIncident(id) {
      const record = cohortIncidents.get(id);
      return record && cohortIncidentView(state, record);
    },
    bundle: id => withEvidence(id, evidence => ports.background.bundle(evidence)),
    report: (id, audience) =>
      withEvidence(id, async evidence => {
        const text = await ports.background.report(evidence, audience);
        const notes = (incidents.get(id) ?? cohortIncidents.get(id))?.notes;
        return audience === 'incident' ? text + notesSection({ notes: notes ?? [] }) : text;
      }),
    annotate(id, note) {
      const cohort = cohortIncidents.get(id);
      if (cohort !== undefined) return annotateCohort(state, cohort, note);
      const record = incidents.get(id);
      return record && annotate(state, record, note);
    },
  };
}

/** Newest first; the incident of a cohort before those that are folded into it. */
function allIncidents(state: WatchState): IncidentSummary[] {
  const all = [
    ...state.cohortIncidents.all().map(record => cohortIncidentSummary(state, record)),
    ...state.incidents.all().map(record => incidentSummary(state, record)),
  ];
  return all.sort((a, b) => b.openedAt - a.openedAt);
}

/** The member of a cohort whose evidence says most: one with a known cause, then one with many captures. */
function bestMember({ incidents }: WatchState, id: string): IncidentRecord | undefined {
  const weight = ({ cause, captureIds }: IncidentRecord): number => (cause ? 1000 : 0) + captureIds.length;
  return incidents.foldedInto(id).sort((a, b) => weight(b) - weight(a))[0];
}

/** Some of the incidents, of targets and of cohorts, and how many there are. */
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
