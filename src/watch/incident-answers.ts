/** What the server asks about incidents, of targets and of cohorts. */
import type { TargetEvidence } from '../evidence/target-evidence.ts';
import type { IncidentSummary } from './watch-model.ts';
import { cohortIncidentSummary, cohortIncidentView } from './views/cohort-incident-view.ts';
import { incidentSummary, incidentView } from './views/incident-view.ts';
import { incidentsView } from './views/incidents-view.ts';
import type { IncidentRecord } from './state/incident-records.ts';
import type { WatchState } from './state/watch-state.ts';
import type { EvidenceRefusal, WatchService } from './watch-service.ts';
import { annotate, annotateCohort, notesSection } from './incidents/annotate.ts';
import { chooseCaptures, incidentCaptures, readEvidence } from './incidents/incident-analysis.ts';

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
