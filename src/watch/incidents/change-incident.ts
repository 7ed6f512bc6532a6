/** What every change of an incident causes: a new sentence, an update in the store, and an event for listeners. */
import { causeIn } from './cause-phrases.ts';
import { analysisOfIncident } from './incident-analysis.ts';
import type { IncidentRecord } from '../state/incident-records.ts';
import { incidentSentence } from './phrases.ts';
import type { WatchedTarget } from '../state/watched-target.ts';
import { tell, type WatchState } from '../state/watch-state.ts';

export function closeIncident(
  state: WatchState,
  target: WatchedTarget,
  record: IncidentRecord,
  now: number,
  why: string,
): void {
  record.closedAt = now;
  target.incidentId = undefined;
  state.incidents.addStep(record, { at: now, kind: 'cleared', text: why });
  state.ports.store.put({
    kind: 'event',
    record: { target: target.name, at: now, kind: 'note', text: `incident ${record.id} closed: ${why}` },
  });
  tell(state, now, target.name, `incident closed: ${why}`);
  updateSentence(state, target, record, now);
}

/** The target was removed; its incident, if there is one, is over. */
export function closeAsGone(state: WatchState, { incidentId }: WatchedTarget, at: number): void {
  const record = incidentId === undefined ? undefined : state.incidents.get(incidentId);
  if (record === undefined) return;
  record.closedAt = at;
  state.incidents.addStep(record, { at, kind: 'note', text: 'the target is gone' });
  state.incidents.save(record);
}

export function updateSentence(
  state: WatchState,
  target: WatchedTarget | undefined,
  record: IncidentRecord,
  now: number,
): void {
  const analysis = analysisOfIncident(state, record);
  record.cause = causeIn(analysis) ?? record.cause ?? null;
  record.sentence = incidentSentence(record, target, analysis, now);
  state.incidents.save(record);
  state.emit({ kind: 'incident', id: record.id, at: now });
}
