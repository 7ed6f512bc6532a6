/** What happens with the plans of an incident, for its timeline and for whoever looks at it. */
import { APPLY_CONTROLLER } from '../../evidence/plan-marks.ts';
import type { CycleObservation } from '../../evidence/cycle/cycle.ts';
import { addStepTo } from '../state/incident-records.ts';
import { tell, type WatchState } from '../state/watch-state.ts';

export function notePlan(state: WatchState, incidentId: string, text: string | undefined): void {
  const record = state.incidents.get(incidentId);
  const cohort = state.cohortIncidents.get(incidentId);
  const at = state.ports.clock.now();
  if (record !== undefined && text !== undefined) {
    state.incidents.addStep(record, { at, kind: 'plan', text });
    state.incidents.save(record);
    tell(state, at, record.target, text);
  } else if (cohort !== undefined && text !== undefined) {
    addStepTo(cohort.timeline, { at, kind: 'plan', text });
    state.cohortIncidents.save(cohort);
    tell(state, at, `${cohort.cohort.attribute} ${cohort.cohort.value}`, text);
  } else if (record === undefined && cohort === undefined) return;
  state.emit({ kind: 'incident', id: incidentId, at });
}

/** An Event of `oakum apply`, which may run anywhere. */
export function isOfPlan(observation: CycleObservation): boolean {
  return observation.kind === 'kube-event' && observation.component === APPLY_CONTROLLER;
}
