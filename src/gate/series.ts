/**
 * Levels after each round, of resources and of families, whatever they come from: one process, or the difference of two.
 *
 *     operations            50    50    50 ...
 *     goroutines      12    62   112   162 ...      one level more than rounds: the first is that before them
 *     g-1a2b3c4d5e     0    50   100   150 ...
 */
import type { FamilyCount, FamilyTable } from '../profile/families/family.ts';
import { GATE_RESOURCES, type GateResource } from './gate.ts';
import { type Scope, shareIn } from './budget.ts';
import type { RoundState } from './take-round.ts';

export type FamilyResource = 'goroutines' | 'heap';

export interface GateSeries {
  /** One per round. */
  readonly operations: readonly number[];
  /** Each step has its own noise, because each has a process of its own. */
  readonly hasOwnSteps: boolean;
  readonly levels: ReadonlyMap<GateResource, readonly number[]>;
  readonly families: Readonly<Record<FamilyResource, readonly FamilySeries[]>>;
  /** The level of the families in a scope. */
  readonly inScope: (resource: FamilyResource, scope: Scope) => readonly number[];
}

export interface FamilySeries {
  /** At the last moment. */
  readonly count: FamilyCount;
  readonly levels: readonly number[];
}

/** `states` has one more than `operations`. */
export function seriesOf(states: readonly RoundState[], operations: readonly number[]): GateSeries {
  const levels = new Map<GateResource, readonly number[]>();
  for (const resource of GATE_RESOURCES) {
    const found = states.flatMap(state => state.levels[resource] ?? []);
    if (found.length === states.length && found.length > 1) levels.set(resource, found);
  }
  return {
    operations,
    hasOwnSteps: false,
    levels,
    families: { goroutines: familySeries(states, 'goroutines'), heap: familySeries(states, 'heap') },
    inScope: (resource, scope) => states.map(state => levelIn(state[resource], scope)),
  };
}

function familySeries(states: readonly RoundState[], resource: FamilyResource): FamilySeries[] {
  const tables = states.flatMap(state => state[resource] ?? []);
  const last = tables.at(-1);
  if (last === undefined || tables.length < states.length) return [];
  const sizes = tables.map(({ counts }) => new Map(counts.map(count => [count.family.id, sizeOf(count)])));
  return last.counts.map(count => ({ count, levels: sizes.map(all => all.get(count.family.id) ?? 0) }));
}

/** 0 if it is not there. */
export function levelOfFamily({ counts }: FamilyTable, id: string): number {
  const count = counts.find(one => one.family.id === id);
  return count === undefined ? 0 : sizeOf(count);
}

function levelIn(table: FamilyTable | undefined, scope: Scope): number {
  return (table?.counts ?? []).reduce((sum, count) => sum + sizeOf(count) * shareIn(scope, count), 0);
}

function sizeOf({ family, count, bytes }: FamilyCount): number {
  return family.kind === 'heap' ? bytes : count;
}

/**
 * Turns: each has a process of its own, one of the head and one of the base, with one measured round. The steps of their
 * levels are added up.
 */
export function turnsOf(turns: readonly { readonly head: GateSeries; readonly base: GateSeries }[]): GateSeries {
  const last = turns.at(-1);
  if (last === undefined) throw new RangeError('no turns');
  const operations = turns.map(({ head }) => head.operations[0] ?? 1);
  const added = (pick: (turn: GateSeries) => readonly number[] | undefined): number[] => {
    let level = 0;
    const steps = turns.map(({ head, base }, i) => {
      const perOperation = stepOf(pick(head), head) - stepOf(pick(base), base);
      return (level += perOperation * (operations[i] ?? 1));
    });
    return [0, ...steps];
  };
  const families = (resource: FamilyResource): FamilySeries[] =>
    last.head.families[resource].map(({ count }) => ({
      count,
      levels: added(turn => turn.families[resource].find(one => one.count.family.id === count.family.id)?.levels),
    }));
  return {
    operations,
    hasOwnSteps: true,
    levels: new Map([...last.head.levels.keys()].map(resource => [resource, added(turn => turn.levels.get(resource))])),
    families: { goroutines: families('goroutines'), heap: families('heap') },
    inScope: (resource, scope) => added(turn => turn.inScope(resource, scope)),
  };
}

/** Per operation; 0 if it was not there. */
function stepOf(levels: readonly number[] | undefined, { operations }: GateSeries): number {
  return levels === undefined ? 0 : ((levels[1] ?? 0) - (levels[0] ?? 0)) / Math.max(1, operations[0] ?? 1);
}

/** What the head has more than the base after the same rounds. */
export function differenceOf(head: GateSeries, base: GateSeries): GateSeries {
  const less = (a: readonly number[], b: readonly number[]): number[] => a.map((level, i) => level - (b[i] ?? NaN));
  const families = (resource: FamilyResource): FamilySeries[] => {
    const before = new Map(base.families[resource].map(({ count, levels }) => [count.family.id, levels]));
    return head.families[resource].map(({ count, levels }) => ({
      count,
      levels: less(levels, before.get(count.family.id) ?? levels.map(() => 0)),
    }));
  };
  const levels = new Map<GateResource, readonly number[]>();
  for (const [resource, own] of head.levels) {
    const other = base.levels.get(resource);
    if (other !== undefined) levels.set(resource, less(own, other));
  }
  return {
    operations: head.operations,
    hasOwnSteps: false,
    levels,
    families: { goroutines: families('goroutines'), heap: families('heap') },
    inScope: (resource, scope) => less(head.inScope(resource, scope), base.inScope(resource, scope)),
  };
}
