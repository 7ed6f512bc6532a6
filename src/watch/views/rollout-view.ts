/**
 * Who had which value of an attribute when, and how much a target with it gained: a rollout against growth.
 *
 *     v1.36.0   0  0  3  9 20 20     targets with it
 *               .  .  0  2  5  9     MiB that one of them gained, on average, while it had it
 */
import { readChangeText } from '../incidents/phrases.ts';
import type { RolloutValue, RolloutView, TimeBins } from '../watch-model.ts';
import { factsOf, type Resource } from '../../evidence/resource.ts';
import { mayLeak } from '../../judge/verdict.ts';
import { isSelf, type WatchedTarget } from '../state/watched-target.ts';
import type { WatchState } from '../state/watch-state.ts';
import { binsOf } from './target-view.ts';
import { eachInSlices } from '../../base/bounded-work.ts';

/** More lines cannot be told apart. */
const MAX_VALUES = 8;
/** An attribute may have a value for each target: only these values are followed through time. */
const MAX_FOLLOWED = 64;
/** The growth of a value is that of so many of its targets, spread over all: more would not change the line. */
const MAX_MEASURED = 2000;
/** Growth beyond this many times the usual one of a bin is drawn in, so that one target does not bend the line. */
const FAR_OFF = 5;
/** Targets between two turns of the event loop: some milliseconds. */
const SLICE = 200;

interface ValueChange {
  readonly at: number;
  readonly from: string;
}

export async function rolloutView(
  state: WatchState,
  attribute: string,
  hours: number,
  asked: Resource | undefined,
): Promise<RolloutView> {
  const now = state.ports.clock.now();
  const bins = binsOf(state, hours, now);
  const finding = state.cohorts.find(one => one.attribute === attribute && mayLeak(one.verdict));
  const resource = asked ?? finding?.resource ?? 'live heap';
  const changes = await changesOf(state, attribute, bins.from, now);
  const leaks = new Set(
    state.cohorts.flatMap(one => (one.attribute === attribute && one.verdict === 'leak' ? [one.value] : [])),
  );
  const holders = await holdersOf(state, attribute);
  const followed = followedValues(holders, changes, leaks);
  const tallies = new Map(followed.values.map(value => [value, newTally(bins.count)]));
  const members = [...holders].flatMap(([value, targets]) => {
    const stride = Math.ceil(targets.length / MAX_MEASURED);
    const all = targets.map((target, i) => ({ value, target, isMeasured: i % stride === 0 }));
    return tallies.has(value) ? all : all.filter(({ target }) => changes.has(target.name));
  });
  await eachInSlices(members, SLICE, ({ value, target, isMeasured }) => {
    const held = valuesHeld(value, changes.get(target.name) ?? [], bins);
    addTarget(tallies, held, isMeasured ? target : undefined, resource, bins);
  });
  const most = (tally: Tally): number => Math.max(...tally.targets);
  const ordered = [...tallies].sort(
    ([a, x], [b, y]) =>
      Number(leaks.has(b)) - Number(leaks.has(a)) ||
      (y.targets.at(-1) ?? 0) - (x.targets.at(-1) ?? 0) ||
      most(y) - most(x) ||
      (a < b ? -1 : 1),
  );
  const shown = ordered.slice(0, MAX_VALUES);
  return {
    schema: 'oakum.rollout/v1',
    at: now,
    attribute,
    resource,
    unit: factsOf(resource).unit,
    bins,
    values: shown.map(([value, tally]) => valueOf(value, tally)),
    moreValues: followed.count - shown.length,
  };
}

/** The targets that have each value now. */
async function holdersOf({ targets }: WatchState, attribute: string): Promise<ReadonlyMap<string, WatchedTarget[]>> {
  const holders = new Map<string, WatchedTarget[]>();
  await eachInSlices([...targets.values()], 10 * SLICE, target => {
    const value = target.attributes[attribute] ?? target.gates[attribute];
    if (value === undefined || isSelf(target.name)) return;
    const known = holders.get(value);
    if (known === undefined) holders.set(value, [target]);
    else known.push(target);
  });
  return holders;
}

/** Values that leak first, then those that most targets have, then those that most had; and how many there are. */
function followedValues(
  holders: ReadonlyMap<string, readonly WatchedTarget[]>,
  changes: ReadonlyMap<string, readonly ValueChange[]>,
  leaks: ReadonlySet<string>,
): { readonly values: readonly string[]; readonly count: number } {
  const had = new Map<string, number>();
  for (const targets of holders.values())
    for (const { name } of targets)
      for (const { from } of changes.get(name) ?? []) had.set(from, (had.get(from) ?? 0) + 1);
  const weigh = (value: string): readonly [number, number, number] => [
    Number(leaks.has(value)),
    holders.get(value)?.length ?? 0,
    had.get(value) ?? 0,
  ];
  const all = [...new Set([...holders.keys(), ...had.keys()])].map(value => ({ value, weight: weigh(value) }));
  all.sort(
    ({ value: a, weight: x }, { value: b, weight: y }) => y[0] - x[0] || y[1] - x[1] || y[2] - x[2] || (a < b ? -1 : 1),
  );
  return { values: all.slice(0, MAX_FOLLOWED).map(({ value }) => value), count: all.length };
}

/** Each target's, oldest first. */
async function changesOf(
  { ports }: WatchState,
  attribute: string,
  from: number,
  to: number,
): Promise<ReadonlyMap<string, ValueChange[]>> {
  const found = new Map<string, ValueChange[]>();
  for (const { target, at, text } of await ports.store.records({
    kind: 'event',
    event: 'change',
    since: from,
    until: to,
  })) {
    const change = readChangeText(text);
    if (change?.attribute !== attribute) continue;
    const known = found.get(target);
    if (known === undefined) found.set(target, [{ at, from: change.from }]);
    else known.push({ at, from: change.from });
  }
  return found;
}

/** The value at the end of each bin, and undefined in the bin of a change. */
function valuesHeld(last: string, changes: readonly ValueChange[], bins: TimeBins): (string | undefined)[] {
  const { from, stepSeconds, count } = bins;
  const held = new Array<string | undefined>(count).fill(last);
  for (const change of [...changes].reverse()) {
    const bin = Math.min(count - 1, Math.floor((change.at - from) / stepSeconds));
    held.fill(change.from, 0, Math.max(0, bin));
    if (bin >= 0) held[bin] = undefined;
  }
  return held;
}

interface Tally {
  readonly targets: number[];
  /** What each target that is measured gained in each bin. */
  readonly gains: number[][];
}

function newTally(count: number): Tally {
  return { targets: new Array<number>(count).fill(0), gains: Array.from({ length: count }, () => []) };
}

/** `measured`: the target, if its growth counts. */
function addTarget(
  tallies: ReadonlyMap<string, Tally>,
  held: readonly (string | undefined)[],
  measured: WatchedTarget | undefined,
  resource: Resource,
  { from, stepSeconds, count }: TimeBins,
): void {
  const level = measured?.samples.levels.spark(resource, from, stepSeconds, count) ?? [];
  const restarts = new Set(measured?.samples.lives.map(life => Math.floor((life.from - from) / stepSeconds)));
  for (let bin = 0; bin < count; bin++) {
    const value = held[bin] ?? held[bin + 1];
    const tally = value === undefined ? undefined : tallies.get(value);
    if (tally === undefined) continue;
    tally.targets[bin] = (tally.targets[bin] ?? 0) + 1;
    const [before, now] = [level[bin - 1], level[bin]];
    if (held[bin] !== value || held[bin - 1] !== value || restarts.has(bin)) continue;
    if (typeof before === 'number' && typeof now === 'number') tally.gains[bin]?.push(now - before);
  }
}

function valueOf(value: string, { targets, gains }: Tally): RolloutValue {
  let sum = 0;
  let hasBegun = false;
  const growth = gains.map((of, bin) => {
    hasBegun ||= (targets[bin] ?? 0) > 0;
    sum += meanOf(of);
    return hasBegun ? sum : null;
  });
  return { value, targets, growth };
}

/** The mean, with what is far off drawn in. */
function meanOf(values: readonly number[]): number {
  if (values.length === 0) return 0;
  const usual = values.map(Math.abs).sort((a, b) => a - b)[values.length >> 1] ?? 0;
  const most = FAR_OFF * usual;
  return values.reduce((sum, value) => sum + Math.max(-most, Math.min(most, value)), 0) / values.length;
}
