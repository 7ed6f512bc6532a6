/** What the API server says about a node: its facts, its timeline, and its incident if it was killed. */
import type { CycleObservation } from '../../evidence/cycle/cycle.ts';
import type { WatchState } from '../state/watch-state.ts';
import { isOfPlan } from './note-plan.ts';

export function noteObservation(state: WatchState, name: string, observation: CycleObservation): void {
  const target = state.targets.get(name);
  if (target === undefined) return;
  const event = state.nodes.add(name, observation);
  // The store has the events from before the start, or they are older than the store.
  if (event === undefined || event.at < state.startedAt) return;
  const incident = target.incidentId === undefined ? undefined : state.incidents.get(target.incidentId);
  if (incident !== undefined && isOfPlan(observation)) state.emit({ kind: 'incident', id: incident.id, at: event.at });
  // Every replica sees it; one writes it down.
  if (!state.share.owns(name)) return;
  state.ports.incidents.addEvent(name, event);
  if (incident === undefined || event.kind !== 'oom') return;
  state.incidents.addStep(incident, { at: event.at, kind: 'killed', text: event.text });
  state.incidents.save(incident);
}
