/** One row of the fleet: a target with its history. */
import type { FleetRow } from './fleet.ts';
import type { TimeBins } from '../watch-model.ts';
import { targetSentence } from '../incidents/phrases.ts';
import type { WatchedTarget } from '../state/watched-target.ts';
import type { WatchState } from '../state/watch-state.ts';
import { sparkValues } from '../views/spark-values.ts';
import { causeOf } from '../views/target-cause.ts';
import { binsOf } from '../views/time-bins.ts';
import { entryOf } from './fleet-entry.ts';

export function rowOf(
  state: WatchState,
  target: WatchedTarget,
  { from, stepSeconds, count }: TimeBins,
  now: number,
): FleetRow {
  const { gates: _gates, awaitsPast: _awaitsPast, ...entry } = entryOf(target);
  return {
    ...entry,
    reason: targetSentence(target, now),
    cause: causeOf(state, target),
    stale: target.silentWhy ?? null,
    heat: target.log.heat(from, stepSeconds, count, now),
    spark:
      entry.resource === null
        ? new Array<null>(count).fill(null)
        : sparkValues(target.levels.spark(entry.resource, from, stepSeconds, count)),
  };
}

/** The rows of these targets, as far as they are watched. */
export function fleetRows(state: WatchState, names: readonly string[], hours: number): FleetRow[] {
  const now = state.ports.clock.now();
  const bins = binsOf(state, hours, now);
  return names.flatMap(name => {
    const target = state.targets.get(name);
    return target === undefined ? [] : [rowOf(state, target, bins, now)];
  });
}
