/** What other replicas send becomes part of this one's memory, so that it shows everything and can take over warm. */
import type { IncidentNote } from '../watch-model.ts';
import { EMPTY_UPDATE, type ReplicaUpdate } from './ports.ts';
import type { StoredIncident } from '../../store/records.ts';
import { recallCapture } from '../incidents/add-captures.ts';
import { describeTarget } from '../state/describe-target.ts';
import { type CohortIncident, isOfCohort, MAX_NOTES, readIncident, type TargetIncident } from '../state/incidents.ts';
import { isSelf, type WatchedTarget } from '../state/watched-target.ts';
import type { WatchState } from '../state/watch-state.ts';
import { yieldToEventLoop } from '../../base/bounded-work.ts';
import { logEvent } from '../state/story.ts';

/**
 * One incident as two replicas know it. The replica that samples its target decides what it is; notes, steps of plans and the
 * incident of its cohort may come from any replica, and none of them gets lost.
 */
const MAX_STEPS = 300;

/** Targets between two yields to the event loop. */
const CHUNK = 500;

/** `found` adds the target that another replica is itself. */
export function applyUpdate(state: WatchState, update: ReplicaUpdate, found: (target: string) => void): void {
  for (const { target: name, at, values } of update.samples) {
    if (isSelf(name) && !state.targets.has(name)) found(name);
    const target = mirrored(state, name);
    if (target === undefined || at <= (target.samples.lastAt ?? -Infinity)) continue;
    target.silentWhy = undefined;
    target.observe(at, values);
    target.phase.pass({ target: name, at, values }, state.pending);
  }
  for (const [name, attributes] of update.attributes) {
    const target = mirrored(state, name);
    if (target !== undefined) describeTarget(state, target, attributes, state.ports.clock.now());
  }
  for (const [name, why] of update.silent) {
    const target = mirrored(state, name);
    if (target !== undefined) target.silentWhy = why ?? undefined;
  }
  for (const verdict of update.verdicts) mirrored(state, verdict.target)?.recallVerdict(verdict);
  for (const capture of update.captures) recallCapture(state, capture);
  for (const incident of update.incidents) applyIncident(state, incident);
  if (update.cohorts !== undefined && !state.share.isLeader) state.cohorts = update.cohorts;
  if (update.verdicts.length > 0 || update.cohorts !== undefined)
    state.emit({ kind: 'fleet', at: state.ports.clock.now() });
}

/** Undefined if this replica samples it itself and therefore knows more. */
function mirrored(state: WatchState, name: string): WatchedTarget | undefined {
  return state.share.owns(name) ? undefined : state.targets.get(name);
}

/** From an update, or from the store. */
function applyIncident(state: WatchState, stored: StoredIncident): void {
  const theirs = readIncident(stored);
  if (theirs === undefined) return;
  const isChanged = isOfCohort(theirs) ? applyToCohort(state, theirs) : applyToTarget(state, theirs as TargetIncident);
  if (isChanged) state.emit({ kind: 'incident', id: theirs.id, at: state.ports.clock.now() });
}

/** Only the leader changes the incident of a cohort, and takes nothing but notes from others. */
function applyToCohort({ incidents, share }: WatchState, theirs: CohortIncident): boolean {
  const mine = incidents.ofCohort(theirs.id);
  if (mine === undefined || !share.isLeader) {
    incidents.put(theirs);
    return JSON.stringify(mine) !== JSON.stringify(theirs);
  }
  const notes = union(mine.notes, theirs.notes, noteKey);
  const added = new Set(notes.filter(note => !mine.notes.includes(note)).map(({ at }) => at));
  if (added.size === 0) return false;
  const steps = theirs.timeline.filter(({ at, kind }) => added.has(at) && kind !== 'leak');
  mine.notes = notes;
  mine.timeline = [...mine.timeline, ...steps].sort((a, b) => a.at - b.at);
  incidents.save(mine);
  return true;
}

function applyToTarget(state: WatchState, theirs: TargetIncident): boolean {
  const { incidents, share, ports } = state;
  const mine = incidents.ofTarget(theirs.id);
  const { target: name } = theirs.subject;
  const target = state.targets.get(name);
  const isOwn = share.owns(name);
  const merged = mine === undefined ? theirs : isOwn ? mergeIncident(mine, theirs) : mergeIncident(theirs, mine);
  const other = target?.incidentId;
  if (isOwn && merged.closedAt === null && other !== undefined && other !== merged.id) {
    // The replica that sampled the target before was asleep and opened a second one.
    const now = ports.clock.now();
    merged.closedAt = now;
    const openedAt = incidents.get(other)?.openedAt ?? now;
    const text = `the same as ${other}, opened at ${new Date(openedAt * 1000).toISOString()}`;
    merged.timeline.push({ at: now, kind: 'cleared', text, captureId: null });
    logEvent(state, now, name, `incident ${merged.id} closed: ${text}`);
  }
  // The store may have what the other replica wrote.
  if (isOwn && JSON.stringify(merged) !== JSON.stringify(theirs)) incidents.save(merged);
  if (mine !== undefined && JSON.stringify(mine) === JSON.stringify(merged)) return false;
  incidents.put(merged);
  if (target !== undefined) {
    if (merged.closedAt === null) target.incidentId = merged.id;
    else if (target.incidentId === merged.id) target.incidentId = undefined;
  }
  return true;
}

/**
 * What updates did not have, from the store itself: after a gap, or when a replica died before it sent everything.
 * Verdicts up to `since` are known.
 */
export async function resync(state: WatchState, found: (target: string) => void, since: number): Promise<void> {
  const { ports, share } = state;
  for (const incident of [...(await ports.store.records({ kind: 'incident' }))].reverse())
    applyIncident(state, incident);
  for (const capture of [...(await ports.store.records({ kind: 'capture' }))].reverse()) recallCapture(state, capture);
  for (const [i, { target: name, attributes }] of (await ports.store.targets()).entries()) {
    if (i % CHUNK === CHUNK - 1) await yieldToEventLoop();
    const target = state.targets.get(name);
    if (target !== undefined && !share.owns(name)) describeTarget(state, target, attributes, ports.clock.now());
  }
  for await (const verdicts of ports.exchange?.verdicts(since) ?? []) {
    applyUpdate(state, { ...EMPTY_UPDATE, verdicts }, found);
    await yieldToEventLoop();
  }
}

export function mergeIncident(base: TargetIncident, other: TargetIncident): TargetIncident {
  const [mine, theirs] = [base.subject, other.subject];
  const partOf = mine.partOf ?? theirs.partOf;
  return {
    ...base,
    subject: {
      ...mine,
      captureIds: [...new Set([...mine.captureIds, ...theirs.captureIds])],
      matches: [...new Set([...mine.matches, ...theirs.matches])],
      ...(partOf === undefined ? {} : { partOf }),
    },
    timeline: union(base.timeline, other.timeline, ({ at, kind, text }) => `${at} ${kind} ${text}`).slice(-MAX_STEPS),
    notes: union(base.notes, other.notes, noteKey).slice(-MAX_NOTES),
  };
}

function noteKey({ at, by, text }: IncidentNote): string {
  return `${at} ${by} ${text}`;
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
