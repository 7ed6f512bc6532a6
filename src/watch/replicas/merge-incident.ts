/**
 * One incident as two replicas know it. Whoever samples its target decides what it is; notes, steps of plans and the
 * incident of its cohort may come from any replica, and none of them gets lost.
 */
import type { IncidentRecord } from '../state/incident-records.ts';

const MAX_STEPS = 300;
const MAX_NOTES = 200;

export function mergeIncident(base: IncidentRecord, other: IncidentRecord): IncidentRecord {
  const partOf = base.partOf ?? other.partOf;
  return {
    ...base,
    timeline: union(base.timeline, other.timeline, ({ at, kind, text }) => `${at} ${kind} ${text}`).slice(-MAX_STEPS),
    captureIds: [...new Set([...base.captureIds, ...other.captureIds])],
    matches: [...new Set([...base.matches, ...other.matches])],
    notes: union(base.notes ?? [], other.notes ?? [], ({ at, by, text }) => `${at} ${by} ${text}`).slice(-MAX_NOTES),
    ...(partOf === undefined ? {} : { partOf }),
  };
}

/** In the order of time if the other list adds anything. */
function union<T extends { readonly at: number }>(
  base: readonly T[],
  other: readonly T[],
  key: (one: T) => string,
): T[] {
  const known = new Set(base.map(key));
  const added = other.filter(one => !known.has(key(one)));
  return added.length === 0 ? [...base] : [...base, ...added].sort((a, b) => a.at - b.at);
}
