/**
 * Reads the history of targets from the store, some at a time, while the watch runs: after a start, and when this replica
 * begins to sample or to judge targets.
 *
 *     unread    it is sampled, its samples go to the store, and the last verdict stands
 *     reading   stored samples go to a new memory and to a second detector; those that come meanwhile are held
 *     read      the new memory takes the place of the old one, the detector joins, and what was held follows
 *
 * The store has everything that was sampled before the reading began, so that nothing has to be held until then.
 */
import { groupBy } from '../../base/group-by.ts';
import { isSameLife } from '../../evidence/process-life.ts';
import type { DetectorRow } from '../background.ts';
import { analyzeCaptures, incidentCaptures } from '../incidents/incident-analysis.ts';
import { noteRestart } from '../incidents/follow-restart.ts';
import { describeTarget, storedDescriptions } from './describe-target.ts';
import { type Restart, TargetSamples } from './target-samples.ts';
import type { WatchedTarget } from './watched-target.ts';
import type { WatchState } from './watch-state.ts';
import { recallCaptureOf } from '../incidents/add-captures.ts';
import { MEMORY_HOURS, replayStored } from './replay-stored.ts';
import type { StoredCapture } from '../../store/records.ts';

/** Few enough to be judged soon, and many enough that a query is worth its time. */
const AT_ONCE = 500;

/** Whether the detector knows all that it should. */
export function isHistoryComplete({ targets }: WatchState): boolean {
  for (const { phase } of targets.values()) if (phase.isBehind) return false;
  return true;
}

/** Yields how many of some targets had a history, when they are read. */
export async function* readHistories(state: WatchState): AsyncGenerator<number> {
  while (!state.stopping.aborted) {
    const some = nextToRead(state);
    if (some.length === 0) return;
    yield await readSome(state, some);
  }
}

/** First those that somebody waits for: with an incident, then its own, then those that only the pages show. */
function nextToRead({ targets }: WatchState): WatchedTarget[] {
  const groups: WatchedTarget[][] = [[], [], [], []];
  for (const target of targets.values()) {
    const { phase, incidentId } = target;
    if (!phase.needsReading) continue;
    groups[phase.isSampled ? (incidentId === undefined ? 1 : 0) : phase.isJudged ? 2 : 3]?.push(target);
    if ((groups[0]?.length ?? 0) === AT_ONCE) break;
  }
  const [urgent = [], ...others] = groups;
  return urgent.length > 0 ? urgent : others.flat().slice(0, AT_ONCE);
}

async function readSome(state: WatchState, some: readonly WatchedTarget[]): Promise<number> {
  for (const { phase } of some) phase.startReading();
  try {
    return await readHolding(state, some);
  } catch (error) {
    // The detector may have a part of it.
    const part = some.filter(({ phase }) => phase.isBehind || !phase.isJudged);
    state.ports.background.forget(part.map(({ name }) => name));
    throw error;
  } finally {
    for (const { phase } of some) phase.endReading();
  }
}

/** What is known of some targets while their history is read. */
interface Reading {
  /** New memories of those that are unread. */
  readonly memories: ReadonlyMap<string, TargetSamples>;
  /** Those that go to the detector. */
  readonly isDetected: ReadonlySet<string>;
  readonly restarts: Map<string, Restart[]>;
  readonly firstAt: Map<string, number>;
  readonly lastAt: Map<string, number>;
}

async function readHolding(state: WatchState, some: readonly WatchedTarget[]): Promise<number> {
  const { ports, options } = state;
  // What was sampled before is in the store then. If its disk is full, a history without that is better than none.
  await ports.store.commit();
  const now = ports.clock.now();
  const behind = some.filter(({ phase }) => phase.isBehind);
  const unread = some.filter(({ phase }) => phase.isUnread);
  const reading: Reading = {
    memories: new Map(unread.map(({ name }) => [name, new TargetSamples(options.hourSeconds)])),
    isDetected: new Set(behind.map(({ name }) => name)),
    restarts: new Map(),
    firstAt: new Map(),
    lastAt: new Map(),
  };
  await recallDescriptions(state, behind, now - MEMORY_HOURS * options.hourSeconds);
  await replayTo(state, reading, some, now);
  const captures = groupBy(state.captures.values(), ({ target }) => target);
  for (const target of some) finishReading(state, reading, target, captures.get(target.name) ?? []);
  for (const target of behind) if (target.phase.isSampled) await recallCaptured(state, target);
  const { firstAt } = reading;
  return some.filter(({ name, phase }) => (firstAt.get(name) ?? Infinity) < (phase.sampledSince ?? Infinity)).length;
}

async function replayTo(
  { ports, options }: WatchState,
  reading: Reading,
  some: readonly WatchedTarget[],
  now: number,
): Promise<void> {
  const { replay, settle } = ports.background;
  const { isDetected, firstAt, lastAt } = reading;
  try {
    await replayStored({
      samples: ports.store,
      now,
      hourSeconds: options.hourSeconds,
      targets: some.map(({ name }) => name),
      observe: async rows => {
        for (const row of rows) {
          if (!lastAt.has(row.target)) firstAt.set(row.target, row.at);
          lastAt.set(row.target, row.at);
          remember(reading, row);
        }
        const judged = rows.filter(({ target }) => isDetected.has(target));
        if (judged.length === 0) return;
        replay.observe(judged);
        await settle();
      },
      evaluate: async at => (isDetected.size === 0 ? undefined : replay.evaluate(at)),
    });
  } finally {
    if (isDetected.size > 0) replay.join();
  }
}

/** All of its history was read: it takes the place of what was known so far. */
function finishReading(
  state: WatchState,
  reading: Reading,
  target: WatchedTarget,
  captures: readonly StoredCapture[],
): void {
  const { name, phase } = target;
  const isThere = state.targets.get(name) === target;
  const held = phase.held.filter(({ at }) => at > (reading.lastAt.get(name) ?? -Infinity));
  const memory = reading.memories.get(name);
  if (memory !== undefined && isThere) {
    for (const row of held) remember(reading, row);
    target.takeHistory(memory);
    for (const capture of captures) recallCaptureOf(state, capture, target);
    for (const restart of reading.restarts.get(name) ?? [])
      if (restart.at >= (phase.sampledSince ?? Infinity)) noteRestart(state, target, restart);
  }
  if (!reading.isDetected.has(name)) return;
  if (!isThere || !phase.isJudged) return state.ports.background.forget([name]);
  phase.detectorRead();
  state.pending.push(...held);
}

function remember({ memories, restarts }: Reading, { target, at, values }: DetectorRow): void {
  const restart = memories.get(target)?.observe(at, values);
  if (restart === undefined) return;
  const known = restarts.get(target);
  if (known === undefined) restarts.set(target, [restart]);
  else known.push(restart);
}

/** What the targets were, for the detector; and changes that the replica before had not stored. */
async function recallDescriptions(state: WatchState, behind: readonly WatchedTarget[], from: number): Promise<void> {
  const { ports } = state;
  const names = behind.map(({ name }) => name);
  const events = groupBy(
    await ports.store.records({ kind: 'event', event: 'change', target: names, since: from }),
    ({ target }) => target,
  );
  const stored = new Map((await ports.store.targets(names)).map(one => [one.target, one.attributes]));
  const rows = behind.flatMap(target => {
    const known = stored.get(target.name) ?? {};
    const seen = target.attributes;
    if (target.phase.isSampled) {
      target.attributes = { ...known };
      describeTarget(state, target, seen, ports.clock.now());
    }
    return storedDescriptions({ ...target.gates, ...known }, events.get(target.name) ?? []).map(row => ({
      ...row,
      target: target.name,
    }));
  });
  if (rows.length > 0) ports.background.describe(rows);
}

/** What the captures of its life prove, if it has an incident. */
async function recallCaptured(state: WatchState, target: WatchedTarget): Promise<void> {
  const incident = state.incidents.ofTarget(target.incidentId);
  if (incident === undefined || incident.subject.captureIds.length === 0) return;
  const captures = incidentCaptures(state, incident);
  const last = captures.at(-1);
  if (last === undefined || !isSameLife(last.processStartSeconds, target.startSeconds)) return;
  target.captures.ledgers = (await analyzeCaptures(state, incident.id, captures))?.ledgers ?? [];
}
