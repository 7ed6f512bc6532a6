/**
 * Turns verdicts on cohorts into incidents, and folds the incidents of their targets into them: of 500 nodes that leak
 * with one version, there is one incident to look at.
 */
import type { CohortVerdict } from '../../judge/cohorts/cohort-model.ts';
import { mayLeak } from '../../judge/verdict.ts';
import { recordedCohort } from '../../judge/detect/recorded-detection.ts';
import { addStep, type CohortIncident, type TargetIncident } from '../state/incidents.ts';
import { closeIncident, isQuiet, updateIncident } from './life-cycle.ts';
import type { WatchedTarget } from '../state/watched-target.ts';
import type { WatchState } from '../state/watch-state.ts';
import { logFleetEvent } from '../state/story.ts';

/** The timeline says that more targets grow when there are this many times as many. */
const WORTH_TELLING = 1.25;

/** After each judgement of the cohorts, before the verdicts on targets are followed. */
export function followCohorts(state: WatchState, now: number): void {
  const open = new Map(state.incidents.openCohorts().map(record => [keyOf(record.subject.cohort), record]));
  const found = new Map<string, CohortVerdict[]>();
  for (const verdict of state.cohorts) {
    if (!mayLeak(verdict.verdict)) continue;
    const key = keyOf(verdict);
    found.set(key, [...(found.get(key) ?? []), verdict]);
  }
  for (const [key, verdicts] of found) {
    const record = open.get(key);
    if (record !== undefined) followOpen(state, record, verdicts, now);
    else if (verdicts.some(({ verdict }) => verdict === 'leak')) openCohortIncident(state, verdicts, now);
  }
  for (const [key, record] of open) if (!found.has(key)) followQuiet(state, record, now);
}

/** After each evaluation: members that got an incident since belong to that of their cohort. */
export function foldMembers(state: WatchState): void {
  for (const record of state.incidents.openCohorts()) {
    for (const target of state.targets.values()) {
      const incident = state.incidents.ofTarget(target.incidentId);
      if (incident === undefined || incident.subject.partOf !== undefined || !belongs(record, target, incident))
        continue;
      incident.subject.partOf = record.id;
      state.incidents.saveAsLeader(incident);
      state.emit({ kind: 'incident', id: incident.id, at: state.ports.clock.now() });
    }
  }
}

/** Whether a new incident of this target will be folded: then the log stays silent about it. */
export function isOfKnownCohort(state: WatchState, target: WatchedTarget): boolean {
  return state.incidents.openCohorts().some(record => hasValue(target, record) && !speaksAgainst(record, target.name));
}

/** Those that grow with the cohort, and those with the value that were not observed for long enough. */
function belongs(cohort: CohortIncident, target: WatchedTarget, incident: TargetIncident): boolean {
  const { verdicts } = cohort.subject;
  if (!hasValue(target, cohort)) return false;
  if (verdicts.some(({ leaking }) => leaking.includes(target.name))) return true;
  const isSame = verdicts.some(({ resource }) => resource === incident.subject.resource);
  return isSame && !speaksAgainst(cohort, target.name);
}

export function hasValue({ attributes, gates }: WatchedTarget, { subject: { cohort } }: CohortIncident): boolean {
  return (attributes[cohort.attribute] ?? gates[cohort.attribute]) === cohort.value;
}

function speaksAgainst({ subject }: CohortIncident, target: string): boolean {
  return subject.verdicts.some(({ against }) => against.some(one => one.target === target));
}

function openCohortIncident(state: WatchState, found: readonly CohortVerdict[], now: number): void {
  const verdicts = found.filter(({ verdict }) => verdict === 'leak').map(recordedCohort);
  const [{ attribute, value, sinceSeconds }] = found as [CohortVerdict];
  const incident = state.incidents.open({ kind: 'cohort', cohort: { attribute, value }, verdicts }, now);
  if (sinceSeconds !== undefined && Number.isFinite(sinceSeconds))
    addStep(incident, { at: sinceSeconds, kind: 'note', text: `the first target got ${attribute} ${value}` });
  for (const { sentence } of verdicts) addStep(incident, { at: now, kind: 'leak', text: `proved: ${sentence}` });
  incident.subject.toldGrowing = growingIn(incident);
  updateIncident(state, incident, now);
  logFleetEvent(state, { at: now, kind: 'event', incidentId: incident.id, text: incident.sentence });
}

function followOpen(state: WatchState, incident: CohortIncident, found: readonly CohortVerdict[], now: number): void {
  const { subject } = incident;
  const isRecorded = (resource: string): boolean => subject.verdicts.some(one => one.resource === resource);
  incident.quietSince = null;
  // What is proved stays in the record while it is only watched: the proof may waver with the hour.
  const proved = found.filter(({ verdict, resource }) => verdict === 'leak' || isRecorded(resource));
  for (const { resource, sentence } of proved)
    if (!isRecorded(resource)) addStep(incident, { at: now, kind: 'leak', text: `proved: ${sentence}` });
  const kept = subject.verdicts.filter(({ resource }) => !proved.some(one => one.resource === resource));
  subject.verdicts = [...proved.map(recordedCohort), ...kept];
  const growing = growingIn(incident);
  if (growing >= WORTH_TELLING * subject.toldGrowing) {
    addStep(incident, { at: now, kind: 'note', text: `${growing} targets grow, ${subject.toldGrowing} before` });
    subject.toldGrowing = growing;
  }
  updateIncident(state, incident, now);
}

function followQuiet(state: WatchState, incident: CohortIncident, now: number): void {
  const { attribute, value } = incident.subject.cohort;
  const isOver = isQuiet(state, incident, now);
  if (![...state.targets.values()].some(target => hasValue(target, incident)))
    closeIncident(state, incident, now, `no target has ${attribute} ${value} any more`);
  else if (isOver) closeIncident(state, incident, now, 'nothing with it grows any more');
  else state.incidents.save(incident);
}

function growingIn({ subject }: CohortIncident): number {
  return new Set(subject.verdicts.flatMap(({ leaking }) => leaking)).size;
}

function keyOf({ attribute, value }: { readonly attribute: string; readonly value: string }): string {
  return JSON.stringify([attribute, value]);
}
