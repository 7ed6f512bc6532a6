/** Rebuilds the state of an earlier run from the store: the detector's samples, verdicts, incidents, captures. */
import { elementAt } from '../../base/assert.ts';
import { RESOURCE_RULES } from '../../analysis/detect/state/resource-rules.ts';
import { type Verdict, worstKnown } from '../../model/verdict.ts';
import type { ReplayPart } from '../../model/stored-samples.ts';
import type { Resource } from '../../model/resource.ts';
import { isSameLife } from '../../model/process-life.ts';
import type { DetectorRow } from '../../ports/background.ts';
import { PAST_TRIGGER, ROUTINE_KEPT } from '../../model/stored-capture.ts';
import { recallDescription } from './state/describe-target.ts';
import { WatchedTarget } from './state/watched-target.ts';
import type { WatchState } from './state/watch-state.ts';

/** The detector's memory, in its hours. */
const MEMORY_HOURS = 14 * 24;
/** The detector remembers its verdicts, so it is evaluated on the way, as if it had run all along. */
const LEAD_IN_HOURS = 54;
const JUDGE_HOURS = 6;
/** As the store keeps them at normal speed. */
const STEPS_AN_HOUR = 12;

/** For these, the lowest value of an hour counts. */
const FLOORS: ReadonlySet<string> = new Set(
  RESOURCE_RULES.flatMap(({ sources }) =>
    sources.filter(({ aggregate }) => aggregate === 'floor').map(({ metric }) => metric),
  ),
);

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
  const leadInFrom = now - LEAD_IN_HOURS * hour;
  if (options.timeScale === 1) await replaySamples(state, targets, from, leadInFrom);
  else await replayAccelerated(state, targets, from, leadInFrom, hour);
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

async function replaySamples(
  { ports }: WatchState,
  targets: ReadonlyMap<string, WatchedTarget>,
  from: number,
  leadInFrom: number,
): Promise<void> {
  let windowEnd = -Infinity;
  for await (const part of ports.samples.replay({ from })) {
    const target = targets.get(part.target);
    const [first, last] = [part.times.at(0), part.times.at(-1)];
    if (target === undefined || first === undefined || last === undefined) continue;
    // The parts of one window come together: one that begins after their end belongs to the next window.
    if (first > windowEnd && windowEnd > leadInFrom) await ports.background.evaluate(windowEnd);
    windowEnd = Math.max(windowEnd, last);
    const rows = rowsOf(part);
    for (const { at, values } of rows) target.observe(at, values);
    ports.background.observe(rows);
    await ports.background.settle();
  }
  if (windowEnd > leadInFrom) await ports.background.evaluate(windowEnd);
}

/** An accelerated cluster is small and its record short: all of it is loaded, and judged on the way. */
async function replayAccelerated(
  { ports }: WatchState,
  targets: ReadonlyMap<string, WatchedTarget>,
  from: number,
  leadInFrom: number,
  hour: number,
): Promise<void> {
  const rows: DetectorRow[] = [];
  for await (const part of ports.samples.replay({ from, stepSeconds: hour / STEPS_AN_HOUR })) {
    if (targets.has(part.target)) rows.push(...rowsOf(part));
  }
  rows.sort((a, b) => a.at - b.at);
  let judgeAt = leadInFrom;
  for (const row of rows) {
    if (row.at > judgeAt) {
      await ports.background.evaluate(judgeAt);
      judgeAt = Math.max(row.at, judgeAt + JUDGE_HOURS * hour);
    }
    targets.get(row.target)?.observe(row.at, row.values);
    ports.background.observe([row]);
  }
  await ports.background.settle();
  const last = rows.at(-1);
  if (last !== undefined) await ports.background.evaluate(last.at);
}

function rowsOf({ target, times, columns }: ReplayPart): DetectorRow[] {
  return Array.from(times, (at, i) => {
    const values: Record<string, number> = {};
    for (const { metric, values: medians, lows } of columns) {
      const value = elementAt(FLOORS.has(metric) ? lows : medians, i);
      if (!Number.isNaN(value)) values[metric] = value;
    }
    return { target, at, values };
  });
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
