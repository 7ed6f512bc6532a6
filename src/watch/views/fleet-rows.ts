/** One row of the fleet: a target with its history. */
import type { FleetRow, NodeStanding } from './fleet.ts';
import type { TimeBins } from '../watch-model.ts';
import { targetSentence } from '../incidents/phrases.ts';
import type { WatchedTarget } from '../state/watched-target.ts';
import type { WatchState } from '../state/watch-state.ts';
import { entryOf } from './fleet-totals.ts';
import { causeOf, binsOf } from './target-view.ts';
import { nodeName } from '../../evidence/target.ts';
import { compareVerdicts } from '../../judge/verdict.ts';

/**
 * The values of a sparkline, rounded to what it can show:
 *
 *     [96468992.4375, 121634816.25, null]  ->  [96400000, 121600000, null]
 *
 * The answer for a fleet is mostly sparklines, and invisible digits do not compress.
 *
 * The page draws at least a tenth of the highest value over some 18 pixels, so a step is a third of a pixel.
 */
const MIN_STEPS = 500;

export function rowOf(
  state: WatchState,
  target: WatchedTarget,
  { from, stepSeconds, count }: TimeBins,
  now: number,
): FleetRow {
  const { gates: _gates, awaitsHistory: _awaitsHistory, ...entry } = entryOf(target);
  return {
    ...entry,
    reason: targetSentence(target, now),
    cause: causeOf(state, target),
    stale: target.silentWhy ?? null,
    heat: target.log.heat(from, stepSeconds, count, now),
    spark:
      entry.resource === null
        ? new Array<null>(count).fill(null)
        : sparkValues(target.samples.levels.spark(entry.resource, from, stepSeconds, count)),
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

export function sparkValues(levels: readonly (number | null)[]): (number | null)[] {
  const highest = levels.reduce<number>((high, level) => Math.max(high, Math.abs(level ?? 0)), 0);
  if (!(highest > 0 && highest < Infinity)) return [...levels];
  // Nothing is shown in finer steps than a thousandth of a byte or of a count.
  const exponent = Math.max(-3, Math.floor(Math.log10(highest / MIN_STEPS)));
  // Below 1, by the inverse, which is exact.
  const [factor, divisor] = exponent < 0 ? [10 ** -exponent, 1] : [1, 10 ** exponent];
  const mantissa = (highest / MIN_STEPS) * (factor / divisor);
  const nice = mantissa >= 5 ? 5 : mantissa >= 2 ? 2 : 1;
  return levels.map(level =>
    level === null ? null : (Math.round((level * factor) / (nice * divisor)) * nice * divisor) / factor,
  );
}

/** In the detector's hours: by then the new process speaks for itself, however the slopes compare. */
const SETTLED_HOURS = 48;

/**
 * The nodes as they are judged now, worst first.
 *
 * `cluster`: where there are several.
 */
export function nodeStandings(state: WatchState, cluster?: string): NodeStanding[] {
  const now = state.ports.clock.now();
  const all = [...state.targets.values()].flatMap(target => {
    // First what is cheap: with a hundred clusters, each is asked for.
    const node = target.cluster === cluster ? nodeName(target.name) : undefined;
    if (node === undefined) return [];
    const hours = target.worst?.timeToLimitHours?.[0] ?? Infinity;
    const standing: NodeStanding = {
      node,
      verdict: target.verdict?.verdict ?? 'unknown',
      sentence: targetSentence(target, now),
      leakRef: causeOf(state, target)?.ref ?? null,
      incidentId: target.incidentId ?? null,
      startSeconds: target.startSeconds ?? null,
      isOfThisLife: isOfThisLife(state, target, now),
    };
    return [{ standing, hours }];
  });
  all.sort((a, b) => compareVerdicts(a.standing.verdict, b.standing.verdict) || a.hours - b.hours);
  return all.map(({ standing }) => standing);
}

/** The detector looks across restarts, so that it proves a leak sooner; right after one it still tells of the old process. */
function isOfThisLife({ incidents, options }: WatchState, target: WatchedTarget, now: number): boolean {
  const subject = incidents.ofTarget(target.incidentId)?.subject;
  if (subject?.afterRestart?.verdict !== 'too early') return true;
  const age = now - (target.startSeconds ?? now);
  return age >= SETTLED_HOURS * options.hourSeconds;
}
