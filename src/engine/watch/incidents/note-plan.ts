/** What happens with the plans of an incident, for its timeline and for whoever looks at it. */
import { APPLY_CONTROLLER } from '../../../model/plan-marks.ts';
import type { CycleObservation } from '../../../model/cycle.ts';
import { tell, type WatchState } from '../state/watch-state.ts';

export function notePlan(state: WatchState, incidentId: string, text: string | undefined): void {
  const record = state.incidents.get(incidentId);
  if (record === undefined) return;
  const at = state.ports.clock.now();
  if (text !== undefined) {
    state.incidents.addStep(record, { at, kind: 'plan', text });
    state.incidents.save(record);
    tell(state, at, record.target, text);
  }
  state.emit({ kind: 'incident', id: incidentId, at });
}

/** An Event of `oakum apply`, which may run anywhere. */
export function isOfPlan(observation: CycleObservation): boolean {
  return observation.kind === 'kube-event' && observation.component === APPLY_CONTROLLER;
}
