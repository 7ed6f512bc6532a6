/**
 * What is known from an earlier run, or from other replicas, before the first sample: targets, verdicts, incidents,
 * captures. Their samples are read later, while the watch runs (`read-history.ts`).
 */
import { type Verdict, worstKnown } from '../../judge/verdict.ts';
import type { Resource } from '../../evidence/resource.ts';
import { applyUpdate } from '../replicas/apply-update.ts';
import { WatchedTarget } from './watched-target.ts';
import type { WatchState } from './watch-state.ts';
import { MEMORY_HOURS } from './replay-stored.ts';

/** Targets by name, for when they are found again. */
export async function recallStored(state: WatchState): Promise<Map<string, WatchedTarget>> {
  const { ports, options } = state;
  const now = ports.clock.now();
  const from = now - MEMORY_HOURS * options.hourSeconds;
  const targets = new Map<string, WatchedTarget>();
  for (const { target: name, attributes, lastSeenAt } of await ports.store.targets()) {
    if (lastSeenAt === null || lastSeenAt < from) continue;
    const target = new WatchedTarget({ name, connection: undefined, attributes }, options.hourSeconds);
    target.phase.markUnread(true);
    target.samples.lastAt = lastSeenAt;
    targets.set(name, target);
  }
  await recallVerdicts(state, targets, from, now);
  state.incidents.load(await ports.store.records({ kind: 'incident' }));
  for (const { subject, id, closedAt } of state.incidents.targets()) {
    const found = targets.get(subject.target);
    if (found !== undefined && closedAt === null) found.incidentId = id;
  }
  for (const capture of [...(await ports.store.records({ kind: 'capture' }))].reverse())
    state.captures.set(capture.id, capture);
  await recallUpdates({ ...state, targets });
  return targets;
}

/** What other replicas know, and what they sent in the last minutes. */
async function recallUpdates(state: WatchState): Promise<void> {
  const { exchange } = state.ports;
  if (exchange === undefined) return;
  for await (const some of exchange.verdicts(-Infinity))
    for (const sent of some) state.targets.get(sent.target)?.recallVerdict(sent);
  for (let isMore = true; isMore;) {
    const { updates } = await exchange.read();
    for (const { update } of updates) applyUpdate(state, update, () => {});
    isMore = updates.length > 0;
  }
}

async function recallVerdicts(
  { ports }: WatchState,
  targets: ReadonlyMap<string, WatchedTarget>,
  from: number,
  to: number,
): Promise<void> {
  const known = new Map<string, Map<Resource, Verdict>>();
  for (const { at, target, resource, to: verdict } of await ports.store.records({
    kind: 'verdict-change',
    since: from,
    until: to,
  })) {
    const found = targets.get(target);
    if (found === undefined) continue;
    let resources = known.get(target);
    if (resources === undefined) known.set(target, (resources = new Map<Resource, Verdict>()));
    resources.set(resource, verdict);
    found.log.add(at, worstKnown(resources.values()));
  }
}
