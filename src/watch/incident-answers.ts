/** What the server asks about incidents, of targets and of cohorts. */
import type { IncidentNote, IncidentSummary, IncidentsQuery, IncidentsView } from './watch-model.ts';
import { cohortIncidentView } from './views/cohort-incident-view.ts';
import { incidentSummary, incidentView } from './views/incident-view.ts';
import { type Incident, isOfCohort, type TargetIncident } from './state/incidents.ts';
import type { WatchState } from './state/watch-state.ts';
import type { EvidenceRefusal, WatchService } from './watch-service.ts';
import { annotate } from './incidents/life-cycle.ts';
import { chooseCaptures, incidentCaptures, readEvidence } from './incidents/incident-analysis.ts';
import type { TargetEvidence } from '../evidence/capture.ts';
import { sortedInSlices } from '../base/bounded-work.ts';
import { timeText } from '../base/say.ts';
import { prose } from '../report/markdown.ts';

type IncidentAnswers = Pick<
  WatchService,
  'incidents' | 'incidentsView' | 'incident' | 'cohortIncident' | 'bundle' | 'report' | 'annotate'
>;

export function incidentAnswers(state: WatchState): IncidentAnswers {
  const { incidents, ports } = state;

  async function withEvidence<T>(
    id: string,
    make: (evidence: TargetEvidence) => Promise<T>,
  ): Promise<T | EvidenceRefusal | undefined> {
    const incident = incidents.ofTarget(id) ?? bestMember(state, id);
    if (incident === undefined)
      return incidents.get(id) === undefined ? undefined : { refused: 'no incident of a target is folded into it' };
    const evidence = await readEvidence(state, chooseCaptures(incidentCaptures(state, incident)));
    if (evidence !== undefined) return make(evidence);
    const isGone = incident.subject.captureIds.length > 0;
    return { refused: isGone ? 'its captures made room for newer ones' : 'no profile was captured during it' };
  }

  return {
    incidents: () => allIncidents(state),
    incidentsView: query => incidentsView(state, query),
    async incident(id) {
      const incident = incidents.ofTarget(id);
      return incident && incidentView(state, incident);
    },
    async cohortIncident(id) {
      const incident = incidents.ofCohort(id);
      return incident && cohortIncidentView(state, incident);
    },
    bundle: id => withEvidence(id, evidence => ports.background.bundle(evidence)),
    report: (id, audience) =>
      withEvidence(id, async evidence => {
        const text = await ports.background.report(evidence, audience);
        return audience === 'incident' ? text + notesSection(incidents.get(id)?.notes ?? []) : text;
      }),
    annotate(id, note) {
      const incident = incidents.get(id);
      return incident && annotate(state, incident, note);
    },
  };
}

/** Newest first; the incident of a cohort before those that are folded into it. */
function allIncidents(state: WatchState): IncidentSummary[] {
  const { incidents } = state;
  return [...incidents.cohorts(), ...incidents.targets()]
    .sort((a, b) => b.openedAt - a.openedAt)
    .map(incident => incidentSummary(state, incident));
}

/** The member of a cohort whose evidence says most: one with a known cause, then one with many captures. */
function bestMember({ incidents }: WatchState, id: string): TargetIncident | undefined {
  const weight = ({ subject }: TargetIncident): number => (subject.cause ? 1000 : 0) + subject.captureIds.length;
  return incidents.foldedInto(id).sort((a, b) => weight(b) - weight(a))[0];
}

/** A section for the report of the team; the reports that leave have no notes, which may name anything. */
function notesSection(notes: readonly IncidentNote[]): string {
  if (notes.length === 0) return '';
  const lines = notes.map(({ at, by, text, acknowledges }) => {
    const what = [acknowledges ? 'acknowledged' : '', text].filter(part => part !== '').join(': ');
    return `- ${timeText(at)} ${prose(by)}: ${prose(what.replaceAll(/\s+/g, ' '))}`;
  });
  return `\n## Notes\n\n${lines.join('\n')}\n`;
}

/** Some of the incidents, of targets and of cohorts, and how many there are. */
export async function incidentsView(state: WatchState, query: IncidentsQuery): Promise<IncidentsView> {
  const { offset, limit, withFolded } = query;
  const { incidents } = state;
  let [total, open, folded] = [0, 0, 0];
  const matching: Incident[] = [];
  for (const incident of [...incidents.cohorts(), ...incidents.onTargets()]) {
    const isPart = !isOfCohort(incident) && incidents.ofCohort(incident.subject.partOf) !== undefined;
    if (isPart) folded++;
    else total++;
    const isOpen = incident.closedAt === null;
    if (isOpen && !isPart) open++;
    if ((isPart && !withFolded) || (query.state !== 'any' && isOpen !== (query.state === 'open'))) continue;
    matching.push(incident);
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
    incidents: ordered.slice(offset, offset + limit).map(incident => incidentSummary(state, incident)),
  };
}

/** Open ones first, then those of cohorts, then the newest; no two are equal. */
function byUrgency(a: Incident, b: Incident): number {
  return (
    Number(a.closedAt !== null) - Number(b.closedAt !== null) ||
    Number(isOfCohort(b)) - Number(isOfCohort(a)) ||
    b.openedAt - a.openedAt ||
    (a.id < b.id ? 1 : -1)
  );
}
