/**
 * Targets change hands when replicas come and go.
 *
 *     gained   sampled at once; judged when the detector has its past from the store; until then, the last verdict stands
 *     lost     not sampled any more; what others tell about it is shown
 *
 * The leader judges the whole fleet, since cohorts compare all targets; what it says about one target counts only if the
 * target is its own.
 */
import { groupBy } from '../../../base/group-by.ts';
import { isSameLife } from '../../../model/process-life.ts';
import type { DetectorRow } from '../../../ports/background.ts';
import { analyzeCaptures, incidentCaptures } from '../incidents/incident-analysis.ts';
import { MEMORY_HOURS, replayStored } from '../stored/replay-stored.ts';
import { describeTarget, storedDescriptions } from '../state/describe-target.ts';
import type { WatchedTarget } from '../state/watched-target.ts';
import type { WatchState } from '../state/watch-state.ts';

export interface ShareChange {
  readonly gained: readonly WatchedTarget[];
  readonly lost: readonly WatchedTarget[];
}

/** Compares the shares with what is known of the targets. */
export function reshare({ share, targets, ports }: WatchState, only?: WatchedTarget): ShareChange {
  const gained: WatchedTarget[] = [];
  const lost: WatchedTarget[] = [];
  const forgotten: string[] = [];
  // Not whether it may lead at this moment: without an answer for some seconds, the past of a fleet is not thrown away.
  const leads = share.id === undefined || share.leader?.id === share.id;
  for (const target of only === undefined ? targets.values() : [only]) {
    const isOwned = share.owns(target.name);
    if (isOwned !== target.isOwned) (isOwned ? gained : lost).push(target);
    target.isOwned = isOwned;
    const isJudged = isOwned || leads;
    if (isJudged === target.isJudged) continue;
    target.isJudged = isJudged;
    target.isBehind = share.id !== undefined;
    target.held = [];
    if (!isJudged) forgotten.push(target.name);
  }
  if (forgotten.length > 0) ports.background.forget(forgotten);
  return { gained, lost };
}

/** Whether what the detector of this replica says about a target counts. */
export function isJudgedHere(target: WatchedTarget | undefined): boolean {
  return target !== undefined && target.isOwned && !target.isBehind;
}

/** Whether the detector knows all that it should. */
export function isCaughtUp({ targets }: WatchState): boolean {
  for (const { isJudged, isBehind } of targets.values()) if (isJudged && isBehind) return false;
  return true;
}

/** Replays the past of targets that came into this replica's hands, beside everything else. */
export async function catchUp(state: WatchState): Promise<void> {
  const behind = [...state.targets.values()].filter(({ isJudged, isBehind }) => isJudged && isBehind);
  if (behind.length === 0) return;
  const { ports, options } = state;
  const { background, samples, clock } = ports;
  const now = clock.now();
  const from = now - (MEMORY_HOURS * 3600) / options.timeScale;
  await recallDescriptions(state, behind, from);
  const wanted = new Map<string, number>(behind.map(({ name }) => [name, -Infinity]));
  await replayStored({
    samples,
    now,
    timeScale: options.timeScale,
    targets: [...wanted.keys()],
    observe: async rows => {
      for (const { target, at } of rows) wanted.set(target, at);
      background.apart.observe(rows);
      await background.settle();
    },
    evaluate: at => background.apart.evaluate(at),
  });
  background.apart.join();
  for (const target of behind) {
    if (!target.isJudged || state.targets.get(target.name) !== target) {
      background.forget([target.name]);
      continue;
    }
    const last = wanted.get(target.name) ?? -Infinity;
    target.isBehind = false;
    state.pending.push(...target.held.filter(({ at }: DetectorRow) => at > last));
    target.held = [];
  }
  for (const target of behind) if (target.isOwned) await recallCaptured(state, target);
}

/** What the targets were, for the detector; and what the replica before did not write down any more. */
async function recallDescriptions(state: WatchState, behind: readonly WatchedTarget[], from: number): Promise<void> {
  const { ports } = state;
  const names = behind.map(({ name }) => name);
  const events = groupBy(await ports.incidents.eventsOfKind('change', from, Infinity, names), ({ target }) => target);
  const stored = new Map((await ports.samples.targets(names)).map(one => [one.target, one.attributes]));
  const rows = behind.flatMap(target => {
    const known = stored.get(target.name) ?? {};
    const seen = target.attributes;
    if (target.isOwned) {
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
  const record = target.incidentId === undefined ? undefined : state.incidents.get(target.incidentId);
  if (record === undefined || record.captureIds.length === 0) return;
  const captures = incidentCaptures(state, record);
  const last = captures.at(-1);
  if (last === undefined || !isSameLife(last.processStartSeconds, target.startSeconds)) return;
  target.captured = (await analyzeCaptures(state, record.id, captures))?.ledgers ?? [];
}
