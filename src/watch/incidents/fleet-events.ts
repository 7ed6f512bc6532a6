import { entryOf, FleetTotals, fleetSentence } from '../views/fleet-totals.ts';
import { logEvent, logFleetEvent } from '../state/story.ts';
import type { WatchState } from '../state/watch-state.ts';
import { explanationOf } from './cause-phrases.ts';

/**
 * The events of a demo that are about the whole fleet: its headline when it says something else, and the end.
 *
 * After each evaluation.
 */
export function logFleetState(state: WatchState): void {
  const { story, targets } = state;
  const at = state.ports.clock.now();
  const totals = totalsOf(state);
  for (const target of targets.values()) {
    if (target.verdict?.verdict !== 'healthy' || target.samples.podFollowing.followed() === undefined) continue;
    const cause = explanationOf(target);
    // Its numbers change with every sample, so it is one event.
    if (cause !== null && story.isNew(`explanation of ${target.name}`, cause.kind))
      logEvent(state, at, target.name, `healthy: ${cause.text}`);
  }
  if (!story.isNew('fleet', stateOf(totals, targets.size))) return;
  logFleetEvent(state, { at, kind: 'event', incidentId: null, text: fleetSentence(state, totals) });
}

function totalsOf(state: WatchState): FleetTotals {
  const totals = new FleetTotals();
  for (const target of state.targets.values()) totals.add(entryOf(target));
  return totals;
}

/** What the headline says, without the numbers that change with every sample. */
function stateOf({ counts }: FleetTotals, rowCount: number): string {
  if (counts.leak > 0) return `${counts.leak} of ${rowCount} leak`;
  if (counts.watch > 0) return 'watch';
  return counts.healthy > 0 ? `${rowCount} healthy` : 'unknown';
}

/** Names the incident with the strongest story: one that came back after a restart. */
export function logEnd(state: WatchState): void {
  const open = state.incidents.targets().filter(({ closedAt }) => closedAt === null);
  const best = open.find(({ subject }) => subject.afterRestart?.verdict === 'came back, intrinsic') ?? open[0];
  logFleetEvent(state, {
    at: state.ports.clock.now(),
    kind: 'end',
    incidentId: best?.id ?? null,
    text: `The recording is over. ${fleetSentence(state, totalsOf(state))}`,
  });
}
