/**
 * A fleet in which a change reaches some nodes: two days of calm, then the rollout.
 *
 *     0 h ------------------ 48 h |rollout| ----------------- 96 h
 *     decoys: other changes, on other nodes, at other times, some with restarts
 */
import { diceFrom, type Dice } from '../../simulate/dice.ts';
import { basePlan, type NodePlan, type Setting } from '../../simulate/plan.ts';
import { drawPools } from '../../simulate/pool.ts';
import { daily, factor } from '../../simulate/shapes.ts';
import { SimulatedNode } from '../../simulate/simulated-node.ts';
import { drawAttributes, drawPoolAttributes, type NodeAttributes } from './attributes.ts';
import { afterRollout, busierPool, drawBuild, leakOf, type RolloutKind } from './rollout-kinds.ts';

export const ROLLOUT_HOURS = 48;
export const RECORD_HOURS = 96;
const MACHINE_BYTES = 32e9;

export interface Change {
  readonly atHours: number;
  readonly attributes: NodeAttributes;
}

export interface FleetNode {
  readonly node: SimulatedNode;
  readonly attributes: NodeAttributes;
  readonly changes: readonly Change[];
  readonly isCanary: boolean;
  readonly leaks: boolean;
}

export interface RolloutFleet {
  readonly kind: RolloutKind;
  readonly nodes: readonly FleetNode[];
  /** When the last canary got it. */
  readonly doneHours: number;
}

/** Where the canaries are: anywhere, in one pool, or in one zone. */
type Placement = 'anywhere' | 'one pool' | 'one zone';

export function makeRolloutFleet(
  kind: RolloutKind,
  seed: number,
  size: number,
  stepSeconds: number,
  rolloutHours: number = ROLLOUT_HOURS,
): RolloutFleet {
  const recordHours = rolloutHours + RECORD_HOURS - ROLLOUT_HOURS;
  const dice = diceFrom(seed, 101);
  const pools = drawPools(dice);
  const poolAttributes = drawPoolAttributes(pools.length, dice);
  const build = drawBuild(dice);
  const placement = dice.pick<Placement>(['anywhere', 'anywhere', 'one pool', 'one zone']);
  const peakHour = dice.uniform(0, 24);
  const swing = dice.uniform(0, 0.12);
  const events = { blipHours: drawBlips(kind, rolloutHours, dice), rolloutHours: [] };
  const busy = {
    pool: dice.integer(0, pools.length - 1),
    from: rolloutHours + dice.uniform(-18, 12),
    hours: dice.uniform(4, 20),
    by: dice.uniform(0.1, 0.8),
  };
  const members = Array.from({ length: size }, (_, index) => {
    const own = diceFrom(seed, 102, index);
    const pool = index % pools.length;
    return { index, own, pool, attributes: { ...drawAttributes(poolAttributes[pool], own), ...kind.before } };
  });
  const canaries = new Set(chooseCanaries(members, kind, placement, dice));
  const decoys = new Set(
    dice
      .shuffle(members.map(({ index }) => index).filter(index => !canaries.has(index)))
      .slice(0, Math.round(size * dice.uniform(0, 0.3))),
  );
  const decoy = drawDecoy(rolloutHours, dice);
  const spreadHours = dice.pick([0.3, 0.3, 2, 6]);
  let doneHours = rolloutHours;
  const nodes = members.map(({ index, own, pool, attributes }): FleetNode => {
    const setting: Setting = { dice: own, hours: recordHours, events };
    let plan: NodePlan = {
      ...basePlan({ ...pools[pool], metrics: 'all' }, setting),
      limitBytes: MACHINE_BYTES,
      exposesLimit: false,
    };
    plan = { ...plan, podShapes: [factor(daily(swing * own.around(0.3), peakHour))] };
    if (kind.hardships.includes('busy pool') && pool === busy.pool) {
      plan = { ...plan, ...busierPool(plan, busy.from, busy.hours, busy.by * own.around(0.2)) };
    }
    const changes: Change[] = [];
    if (decoys.has(index)) {
      const at = decoy.atHours + own.uniform(0, 4);
      changes.push({ atHours: at, attributes: decoy.attributes });
      if (decoy.restarts) plan = { ...plan, restartHours: [at] };
    }
    const isCanary = canaries.has(index);
    let leaks = false;
    if (isCanary) {
      const at = rolloutHours + own.uniform(0, spreadHours);
      doneHours = Math.max(doneHours, at);
      if (kind.standing === undefined) changes.push({ atHours: at, attributes: kind.changes });
      plan = { ...plan, ...afterRollout(plan, kind, build, at, own) };
      const [attribute, value] = kind.leaksOnlyOn ?? [];
      leaks = kind.leak !== undefined && (attribute === undefined || attributes[attribute] === value);
      if (leaks) plan = { ...plan, leak: leakOf(kind, build, at, own) };
    }
    const name = `node-${String(index).padStart(String(size - 1).length, '0')}`;
    const node = new SimulatedNode(name, kind.name, plan, seed * 7919 + index, stepSeconds / 3600);
    return { node, attributes, changes: changes.sort((a, b) => a.atHours - b.atHours), isCanary, leaks };
  });
  return { kind, nodes, doneHours };
}

function chooseCanaries(
  members: readonly { readonly index: number; readonly attributes: NodeAttributes }[],
  { canaries, standing }: RolloutKind,
  placement: Placement,
  dice: Dice,
): number[] {
  if (standing !== undefined) {
    const [attribute, value] = standing;
    return members.filter(({ attributes }) => attributes[attribute] === value).map(({ index }) => index);
  }
  const key = placement === 'one pool' ? 'pool' : 'zone';
  const shuffled = dice.shuffle(members);
  const wanted = shuffled[0].attributes[key];
  // If one pool or zone has too few, the rest comes from anywhere.
  const order =
    placement === 'anywhere'
      ? shuffled
      : [...shuffled].sort((a, b) => Number(b.attributes[key] === wanted) - Number(a.attributes[key] === wanted));
  return order.slice(0, canaries).map(({ index }) => index);
}

function drawBlips(kind: RolloutKind, rolloutHours: number, dice: Dice): number[] {
  if (!kind.hardships.includes('blips')) return [];
  return Array.from({ length: dice.integer(1, 5) }, () => dice.uniform(rolloutHours - 6, rolloutHours + 36)).sort(
    (a, b) => a - b,
  );
}

interface Decoy extends Change {
  readonly restarts: boolean;
}

function drawDecoy(rolloutHours: number, dice: Dice): Decoy {
  const atHours = rolloutHours + dice.uniform(-20, 12);
  return dice.pick<Decoy>([
    { atHours, attributes: { kernel: '6.8.0-52' }, restarts: true },
    { atHours, attributes: { 'daemonset/logs': '9d20' }, restarts: false },
    { atHours, attributes: { 'gate/KubeletTracing': 'true' }, restarts: true },
    { atHours, attributes: { version: 'v1.35.8' }, restarts: true },
  ]);
}
