/** Rebuilds the state of an earlier run from the store: the detector's samples, verdicts, incidents, captures. */
import { type Verdict, worstKnown } from '../../../model/verdict.ts';
import type { Resource } from '../../../model/resource.ts';
import { isSameLife } from '../../../model/process-life.ts';
import { PAST_TRIGGER, ROUTINE_KEPT, type StoredCapture } from '../../../model/stored-capture.ts';
import { MEMORY_HOURS, replayStored } from './replay-stored.ts';
import { recallDescription } from '../state/describe-target.ts';
import { WatchedTarget } from '../state/watched-target.ts';
import type { WatchState } from '../state/watch-state.ts';

/** Targets by name, for when they are found again. */
export async function rebuild(state: WatchState): Promise<Map<string, WatchedTarget>> {
  const { ports, options } = state;
  const now = ports.clock.now();
  const hour = 3600 / options.timeScale;
  const from = now - MEMORY_HOURS * hour;
  const targets = new Map<string, WatchedTarget>();
  for (const { target, attributes, lastSeenAt } of await ports.samples.targets()) {
    if (lastSeenAt === null || lastSeenAt < from) continue;
    targets.set(target, new WatchedTarget({ name: target, connection: undefined, attributes }, options.timeScale));
  }
  if (targets.size === 0) return targets;
  // A replica learns from the others what is its share; its detector catches up then.
  const isAlone = state.share.id === undefined;
  if (isAlone) for (const target of targets.values()) await recallDescription(state, target, from);
  ports.background.describe(state.described.splice(0));
  await replayStored({
    samples: ports.samples,
    now,
    timeScale: options.timeScale,
    targets: [...targets.keys()],
    observe: async rows => {
      for (const { target, at, values } of rows) targets.get(target)?.observe(at, values);
      if (!isAlone) return;
      ports.background.observe(rows);
      await ports.background.settle();
    },
    evaluate: async at => (isAlone ? ports.background.evaluate(at) : undefined),
  });
  await recallVerdicts(state, targets, from, now);
  const stored = await ports.incidents.incidents();
  state.incidents.load(stored);
  state.cohortIncidents.load(stored);
  for (const { target, id, closedAt } of state.incidents.all()) {
    const found = targets.get(target);
    if (found !== undefined && closedAt === null) found.incidentId = id;
  }
  for (const capture of [...(await ports.captures.captures())].reverse())
    recallCapture(state, capture, targets.get(capture.target));
  for await (const some of ports.exchange?.verdicts(-Infinity) ?? [])
    for (const told of some) targets.get(told.target)?.recallVerdict(told);
  return targets;
}

/** A capture of an earlier run, or of another replica. */
export function recallCapture(
  state: Pick<WatchState, 'captures' | 'targets'>,
  capture: StoredCapture,
  found: WatchedTarget | undefined = state.targets.get(capture.target),
): void {
  if (state.captures.has(capture.id)) return;
  state.captures.set(capture.id, capture);
  if (found === undefined || !isSameLife(capture.processStartSeconds, found.startSeconds)) return;
  const { at, trigger } = capture;
  if (trigger === PAST_TRIGGER) return;
  if (trigger === 'routine') {
    found.routineAt = at;
    const ids = [...found.routineIds, capture.id];
    // The store drops the same ones.
    for (const old of ids.slice(0, -ROUTINE_KEPT)) state.captures.delete(old);
    found.routineIds = ids.slice(-ROUTINE_KEPT);
    return;
  }
  const unknown = { goroutines: undefined, liveHeapBytes: undefined, memoryBytes: undefined };
  found.captures.push({ at, trigger: trigger as WatchedTarget['captures'][number]['trigger'], ...unknown });
}

async function recallVerdicts(
  { ports }: WatchState,
  targets: ReadonlyMap<string, WatchedTarget>,
  from: number,
  to: number,
): Promise<void> {
  const known = new Map<string, Map<Resource, Verdict>>();
  for (const { at, target, resource, to: verdict } of await ports.incidents.verdictChanges(from, to)) {
    const found = targets.get(target);
    if (found === undefined) continue;
    let resources = known.get(target);
    if (resources === undefined) known.set(target, (resources = new Map<Resource, Verdict>()));
    resources.set(resource, verdict);
    found.log.add(at, worstKnown(resources.values()));
  }
}
