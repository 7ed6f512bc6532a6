/** How an incident changes, whatever it is about: it is annotated, goes quiet, is closed, and says something new. */
import type { CycleObservation } from '../../evidence/cycle/cycle.ts';
import { APPLY_CONTROLLER } from '../../evidence/plan-marks.ts';
import type { IncidentNote, NewNote } from '../watch-model.ts';
import { causeIn } from './cause-phrases.ts';
import { analysisOfIncident } from './incident-analysis.ts';
import { addStep, type Incident, isOfCohort, MAX_NOTES, subjectName } from '../state/incidents.ts';
import { cohortSentence, incidentSentence } from './phrases.ts';
import type { WatchedTarget } from '../state/watched-target.ts';
import type { WatchState } from '../state/watch-state.ts';
import { logEvent, logFleetEvent } from '../state/story.ts';

/** In the detector's hours: if nothing grows for this long, the incident is over. */
const QUIET_HOURS = 24;

/** A new sentence, an update in the store, and an event for listeners. */
export function updateIncident(state: WatchState, incident: Incident, now: number): void {
  if (isOfCohort(incident)) incident.sentence = cohortSentence(state, incident);
  else {
    const { subject } = incident;
    const analysis = analysisOfIncident(state, incident);
    subject.cause = causeIn(analysis) ?? subject.cause;
    incident.sentence = incidentSentence(incident, state.targets.get(subject.target), analysis, now);
  }
  saveIncident(state, incident, now);
}

export function saveIncident(state: WatchState, incident: Incident, now: number): void {
  state.incidents.save(incident);
  state.emit({ kind: 'incident', id: incident.id, at: now });
}

/** Nothing grows at this moment. Whether that has been so for long enough. */
export function isQuiet({ options }: WatchState, incident: Incident, now: number): boolean {
  incident.quietSince ??= now;
  return now - incident.quietSince >= QUIET_HOURS * options.hourSeconds;
}

export function closeIncident(state: WatchState, incident: Incident, now: number, why: string): void {
  const { id } = incident;
  incident.closedAt = now;
  addStep(incident, { at: now, kind: 'cleared', text: why });
  const text = `incident ${id} closed: ${why}`;
  if (isOfCohort(incident)) logFleetEvent(state, { at: now, kind: 'event', incidentId: id, text });
  else {
    const { target: name } = incident.subject;
    const target = state.targets.get(name);
    if (target !== undefined) target.incidentId = undefined;
    state.ports.store.put({ kind: 'event', record: { target: name, at: now, kind: 'note', text } });
    logEvent(state, now, name, `incident closed: ${why}`);
  }
  updateIncident(state, incident, now);
}

/** The target was removed; its incident, if there is one, is over. */
export function closeAsGone({ incidents }: WatchState, { incidentId }: WatchedTarget, at: number): void {
  const incident = incidents.ofTarget(incidentId);
  if (incident === undefined) return;
  incident.closedAt = at;
  addStep(incident, { at, kind: 'note', text: 'the target is gone' });
  incidents.save(incident);
}

/** A note of a person goes to the timelines of the incident and of its target, and into the team's report. */
export function annotate(state: WatchState, incident: Incident, given: NewNote): IncidentNote {
  const note: IncidentNote = { ...given, at: state.ports.clock.now() };
  const { at, by, text, acknowledges } = note;
  incident.notes = [...incident.notes, note].slice(-MAX_NOTES);
  const byText = text === '' ? `by ${by}` : `by ${by}: ${text}`;
  const kind = acknowledges ? 'acknowledged' : 'annotation';
  addStep(incident, { at, kind, text: byText });
  if (!isOfCohort(incident)) {
    const { target } = incident.subject;
    state.ports.store.put({ kind: 'event', record: { target: target, at, kind: 'note', text: `${kind} ${byText}` } });
    logEvent(state, at, target, `incident ${incident.id} ${acknowledges ? 'acknowledged' : 'annotated'} by ${by}`);
  }
  saveIncident(state, incident, at);
  return note;
}

/** What happens with the plans of an incident. */
export function notePlan(state: WatchState, incident: Incident, text: string | undefined): void {
  const at = state.ports.clock.now();
  if (text === undefined) return state.emit({ kind: 'incident', id: incident.id, at });
  addStep(incident, { at, kind: 'plan', text });
  logEvent(state, at, subjectName(incident), text);
  saveIncident(state, incident, at);
}

/** What the API server says about a node: its facts, its timeline, and its incident if it was killed. */
export function noteObservation(state: WatchState, name: string, observation: CycleObservation): void {
  const target = state.targets.get(name);
  if (target === undefined) return;
  const event = state.nodes.add(name, observation);
  // The store has the events from before the start, or they are older than the store.
  if (event === undefined || event.at < state.startedAt) return;
  const incident = state.incidents.ofTarget(target.incidentId);
  if (incident !== undefined && isOfPlan(observation)) state.emit({ kind: 'incident', id: incident.id, at: event.at });
  // Every replica sees it; one writes it down.
  if (!state.share.owns(name)) return;
  state.ports.store.put({ kind: 'event', record: { target: name, ...event } });
  if (incident === undefined || event.kind !== 'oom') return;
  addStep(incident, { at: event.at, kind: 'killed', text: event.text });
  state.incidents.save(incident);
}

/** An Event of `oakum apply`, which may run anywhere. */
function isOfPlan(observation: CycleObservation): boolean {
  return observation.kind === 'kube-event' && observation.component === APPLY_CONTROLLER;
}
