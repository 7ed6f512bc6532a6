/** Incidents in lists and in short, of targets and of cohorts. */
import type { ResourceUnit } from '../../evidence/resource.ts';
import type { IncidentSummary, IncidentsQuery, IncidentsView } from '../watch-model.ts';
import { type CohortIncident, type Incident, isOfCohort, subjectName } from '../state/incidents.ts';
import type { CohortName, CohortSummary } from '../../judge/cohorts/cohort-model.ts';
import type { WatchState } from '../state/watch-state.ts';
import { sortedInSlices } from '../../base/bounded-work.ts';

/** Newest first; the incident of a cohort before those that are folded into it. */
export function allIncidents(state: WatchState): IncidentSummary[] {
  const { incidents } = state;
  return [...incidents.cohorts(), ...incidents.targets()]
    .sort((a, b) => b.openedAt - a.openedAt)
    .map(incident => incidentSummary(state, incident));
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

export function incidentSummary(state: WatchState, incident: Incident): IncidentSummary {
  const { id, openedAt, closedAt, sentence } = incident;
  const common = { id, target: subjectName(incident), openedAt, closedAt, sentence };
  if (isOfCohort(incident)) {
    const { cohort, verdicts } = incident.subject;
    return {
      ...common,
      resource: verdicts[0]?.resource ?? 'live heap',
      verdict: 'leak',
      acknowledged: acknowledgedIn(incident),
      cohort: cohortSummary(state, id, cohort),
      partOf: null,
    };
  }
  const { resource, worst, partOf } = incident.subject;
  const whole = state.incidents.ofCohort(partOf);
  return {
    ...common,
    resource,
    // What is proved stays proved: after a restart the target itself is judged anew.
    verdict: worst,
    // Acknowledging a cohort acknowledges its targets.
    acknowledged: acknowledgedIn(incident) ?? (whole === undefined ? null : acknowledgedIn(whole)),
    cohort: null,
    partOf: whole?.id ?? null,
  };
}

export function cohortSummary({ incidents }: WatchState, id: string, cohort: CohortName): CohortSummary {
  const folded = incidents.foldedInto(id);
  return { ...cohort, folded: folded.length, open: folded.filter(({ closedAt }) => closedAt === null).length };
}

/** The last one who acknowledged it. */
function acknowledgedIn({ notes }: Incident): IncidentSummary['acknowledged'] {
  const note = notes.findLast(({ acknowledges }) => acknowledges);
  return note === undefined ? null : { at: note.at, by: note.by };
}

/** The figures of an open incident, as they are now. */
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
