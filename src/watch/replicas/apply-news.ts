/** What other replicas tell becomes part of this one's memory, so that it shows everything and can take over warm. */
import { NO_NEWS, type News } from './news.ts';
import type { StoredIncident } from '../../store/records.ts';
import { recallCapture } from '../incidents/recall-capture.ts';
import { describeTarget } from '../state/describe-target.ts';
import { readRecord, type IncidentRecord } from '../state/incident-records.ts';
import { giveToDetector } from '../state/give-to-detector.ts';
import { isSelf, type WatchedTarget } from '../state/watched-target.ts';
import { tell, type WatchState } from '../state/watch-state.ts';
import { yieldToEventLoop } from '../../base/bounded-work.ts';

/**
 * One incident as two replicas know it. Whoever samples its target decides what it is; notes, steps of plans and the
 * incident of its cohort may come from any replica, and none of them gets lost.
 */
const MAX_STEPS = 300;

const MAX_NOTES = 200;

/** Targets between two yields to the event loop. */
const CHUNK = 500;

/** `found` adds the target that another replica is itself. */
export function applyNews(state: WatchState, news: News, found: (target: string) => void): void {
  for (const { target: name, at, values } of news.samples) {
    if (isSelf(name) && !state.targets.has(name)) found(name);
    const target = mirrored(state, name);
    if (target === undefined || at <= (target.lastSampleAt ?? -Infinity)) continue;
    target.silentWhy = undefined;
    target.observe(at, values);
    giveToDetector(state, target, { target: name, at, values });
  }
  for (const [name, attributes] of news.attributes) {
    const target = mirrored(state, name);
    if (target !== undefined) describeTarget(state, target, attributes, state.ports.clock.now());
  }
  for (const [name, why] of news.silent) {
    const target = mirrored(state, name);
    if (target !== undefined) target.silentWhy = why ?? undefined;
  }
  for (const told of news.verdicts) {
    const target = mirrored(state, told.target);
    if (target === undefined) continue;
    target.recallVerdict(told);
  }
  for (const capture of news.captures) recallCapture(state, capture);
  for (const incident of news.incidents) applyIncident(state, incident);
  if (news.cohorts !== undefined && !state.share.isLeader) state.cohorts = news.cohorts;
  if (news.verdicts.length > 0 || news.cohorts !== undefined)
    state.emit({ kind: 'fleet', at: state.ports.clock.now() });
}

/** Undefined if this replica samples it itself: it knows better. */
function mirrored(state: WatchState, name: string): WatchedTarget | undefined {
  return state.share.owns(name) ? undefined : state.targets.get(name);
}

/** From the news, or from the store. */
function applyIncident(state: WatchState, stored: StoredIncident): void {
  const now = state.ports.clock.now();
  const theirs = readRecord(stored);
  if (theirs === undefined) {
    // Of a cohort: only the leader changes it, apart from notes.
    if (state.cohortIncidents.adopt(stored, state.share.isLeader))
      state.emit({ kind: 'incident', id: stored.id, at: now });
    return;
  }
  const mine = state.incidents.get(theirs.id);
  const target = state.targets.get(theirs.target);
  const isOwn = state.share.owns(theirs.target);
  const merged = mine === undefined ? theirs : isOwn ? mergeIncident(mine, theirs) : mergeIncident(theirs, mine);
  const other = target?.incidentId;
  if (isOwn && merged.closedAt === null && other !== undefined && other !== merged.id) {
    // It was opened by whoever had the target before, which slept.
    merged.closedAt = now;
    const kept = state.incidents.get(other);
    const text = `the same as ${other}, opened at ${new Date((kept?.openedAt ?? now) * 1000).toISOString()}`;
    merged.timeline.push({ at: now, kind: 'cleared', text, captureId: null });
    tell(state, now, merged.target, `incident ${merged.id} closed: ${text}`);
  }
  if (mine !== undefined && JSON.stringify(mine) === JSON.stringify(merged)) {
    // The store may have the other one's.
    if (isOwn && JSON.stringify(merged) !== JSON.stringify(theirs)) state.incidents.save(merged);
    return;
  }
  state.incidents.put(merged);
  if (isOwn && JSON.stringify(merged) !== JSON.stringify(theirs)) state.incidents.save(merged);
  if (target !== undefined) {
    if (merged.closedAt === null) target.incidentId = merged.id;
    else if (target.incidentId === merged.id) target.incidentId = undefined;
  }
  state.emit({ kind: 'incident', id: merged.id, at: now });
}

/**
 * What the news did not tell, from the store itself: after a gap, or when a replica died before it told everything.
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
    applyNews(state, { ...NO_NEWS, verdicts }, found);
    await yieldToEventLoop();
  }
}

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
