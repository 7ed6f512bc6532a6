/** The events of a demo that are about the whole fleet: its headline when it says something else, and the end. */
import type { FleetView } from '../../../model/watch.ts';
import { explanationOf } from '../incidents/cause-phrases.ts';
import { tell, tellOfFleet, type WatchState } from '../state/watch-state.ts';
import { fleetView } from './fleet-view.ts';

const HOURS = 168;

/** After each evaluation. */
export function tellFleet(state: WatchState): void {
  const { story, targets } = state;
  const fleet = fleetView(state, HOURS);
  for (const target of targets.values()) {
    if (target.verdict?.verdict !== 'healthy' || target.podFollowing.followed() === undefined) continue;
    const cause = explanationOf(target);
    // The numbers go on growing: it is told once.
    if (cause !== null && story.isNew(`explanation of ${target.name}`, cause.kind))
      tell(state, fleet.at, target.name, `healthy: ${cause.text}`);
  }
  if (!story.isNew('fleet', stateOf(fleet))) return;
  tellOfFleet(state, { at: fleet.at, kind: 'event', incidentId: null, text: fleet.sentence });
}

/** What the headline says, without the numbers that change with every sample. */
function stateOf({ rows, counts }: FleetView): string {
  if (counts.leak > 0) return `${counts.leak} of ${rows.length} leak`;
  if (counts.watch > 0) return 'watch';
  return counts.healthy > 0 ? `${rows.length} healthy` : 'unknown';
}

/** Names the incident with the strongest story: one that came back after a restart. */
export function tellEnd(state: WatchState): void {
  const fleet = fleetView(state, HOURS);
  const open = state.incidents.all().filter(({ closedAt }) => closedAt === null);
  const best = open.find(({ afterRestart }) => afterRestart?.verdict === 'came back, intrinsic') ?? open[0];
  tellOfFleet(state, {
    at: fleet.at,
    kind: 'end',
    incidentId: best?.id ?? null,
    text: `The recording is over. ${fleet.sentence}`,
  });
}
