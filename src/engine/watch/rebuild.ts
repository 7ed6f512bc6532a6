/** Rebuilds the state of an earlier run from the store: the detector's samples, verdicts, incidents, captures. */
import { type Verdict, worstKnown } from '../../model/verdict.ts';
import type { Resource } from '../../model/resource.ts';
import { isSameLife } from '../../model/process-life.ts';
import { PAST_TRIGGER, ROUTINE_KEPT } from '../../model/stored-capture.ts';
import { MEMORY_HOURS, replayStored } from './replay-stored.ts';
import { recallDescription } from './state/describe-target.ts';
import { WatchedTarget } from './state/watched-target.ts';
import type { WatchState } from './state/watch-state.ts';

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
  for (const target of targets.values()) await recallDescription(state, target, from);
  ports.background.describe(state.described.splice(0));
  await replayStored({
    samples: ports.samples,
    now,
    timeScale: options.timeScale,
    isWanted: name => targets.has(name),
    observe: async rows => {
      for (const { target, at, values } of rows) targets.get(target)?.observe(at, values);
      ports.background.observe(rows);
      await ports.background.settle();
    },
    evaluate: at => ports.background.evaluate(at),
  });
  await recallVerdicts(state, targets, from, now);
  const stored = await ports.incidents.incidents();
  state.incidents.load(stored);
  state.cohortIncidents.load(stored);
  for (const { target, id, closedAt } of state.incidents.all()) {
    const found = targets.get(target);
    if (found !== undefined && closedAt === null) found.incidentId = id;
  }
  for (const capture of [...(await ports.captures.captures())].reverse()) {
    state.captures.set(capture.id, capture);
    const found = targets.get(capture.target);
    if (found === undefined || !isSameLife(capture.processStartSeconds, found.startSeconds)) continue;
    const { at, trigger } = capture;
    if (trigger === PAST_TRIGGER) continue;
    if (trigger === 'routine') {
      found.routineAt = at;
      found.routineIds = [...found.routineIds, capture.id].slice(-ROUTINE_KEPT);
      continue;
    }
    const unknown = { goroutines: undefined, liveHeapBytes: undefined, memoryBytes: undefined };
    found.captures.push({ at, trigger: trigger as WatchedTarget['captures'][number]['trigger'], ...unknown });
  }
  return targets;
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
