/**
 * What a rollout does to the nodes that get it. The truth of each fleet is decided here, before any node runs; nothing
 * here knows how cohorts are judged.
 */
import type { Dice } from '../../simulate/dice.ts';
import { factor, pulse, ramp, saturating, step } from '../../simulate/shapes.ts';
import type { Leak, LeakingClock, NodePlan } from '../../simulate/plan.ts';
import { UPGRADE, type NodeAttributes } from './attributes.ts';

export interface RolloutKind {
  readonly name: string;
  readonly canaries: number;
  /** Hours after the rollout by which a leak must be proved; undefined without a bar. */
  readonly barHours?: number;
  /** What the rollout changes; the leak, if there is one, comes with the first of them. */
  readonly changes: NodeAttributes;
  /** What every node has before, where that is not drawn. */
  readonly before?: NodeAttributes;
  /** Nothing is rolled out: the nodes that always had this value are the canaries, and begin to leak unannounced. */
  readonly standing?: readonly [attribute: string, value: string];
  /** A DaemonSet or a label changes without a restart of the kubelet. */
  readonly restarts: boolean;
  readonly leak?: { readonly resource: 'live heap' | 'goroutines'; readonly perHour: number };
  /** Only canaries whose attribute has this value leak; the others are counter-examples. */
  readonly leaksOnlyOn?: readonly [attribute: string, value: string];
  /** What else happens to a canary, or to any node if `everywhere`. */
  readonly hardships: readonly Hardship[];
}

export type Hardship =
  | 'higher level'
  | 'longer warm-up'
  | 'refill' // drained before, and filled again
  | 'busy pool' // more pods in one pool, canary or not
  | 'blips'; // the API server goes away for all

const MB = 1e6;
const heap = (perHour: number) => ({ resource: 'live heap', perHour: perHour * MB }) as const;
const goroutines = (perHour: number) => ({ resource: 'goroutines', perHour }) as const;
const upgrade = { changes: UPGRADE, restarts: true } as const;
const ALL: readonly Hardship[] = ['higher level', 'longer warm-up', 'refill', 'busy pool', 'blips'];
/** Without a drain. */
const IN_PLACE: readonly Hardship[] = ['higher level', 'longer warm-up', 'busy pool', 'blips'];
/** A gate is part of the kubelet's configuration, so the hash of that changes with it. */
const gateOn = {
  before: { 'gate/WatchListClient': 'false' },
  changes: { 'gate/WatchListClient': 'true', config: '5f3e9a' },
  restarts: true,
} as const;

export const LEAK_KINDS: readonly RolloutKind[] = [
  { name: '2.4 MB/h', canaries: 20, barHours: 12, ...upgrade, leak: heap(2.4), hardships: ALL },
  { name: '2.4 MB/h', canaries: 5, barHours: 24, ...upgrade, leak: heap(2.4), hardships: ALL },
  { name: '0.8 MB/h', canaries: 20, barHours: 36, ...upgrade, leak: heap(0.8), hardships: ALL },
  { name: '12 goroutines/h', canaries: 20, barHours: 12, ...upgrade, leak: goroutines(12), hardships: ALL },
  { name: '12 goroutines/h', canaries: 5, barHours: 24, ...upgrade, leak: goroutines(12), hardships: ALL },
  { name: '4 goroutines/h', canaries: 20, barHours: 36, ...upgrade, leak: goroutines(4), hardships: ALL },
  {
    name: '2.4 MB/h with a DaemonSet',
    canaries: 20,
    changes: { 'daemonset/cni': '7a01' },
    restarts: false,
    leak: heap(2.4),
    hardships: ['busy pool', 'blips'],
  },
  {
    name: '2.4 MB/h, kernel changed with it',
    canaries: 20,
    changes: { ...UPGRADE, kernel: '6.8.0-51' },
    restarts: true,
    leak: heap(2.4),
    hardships: ALL,
  },
  { name: '2.4 MB/h with a feature gate', canaries: 20, ...gateOn, leak: heap(2.4), hardships: IN_PLACE },
  {
    name: '2.4 MB/h in one pool',
    canaries: 0,
    changes: {},
    standing: ['pool', 'b'],
    restarts: false,
    leak: heap(2.4),
    hardships: ['busy pool', 'blips'],
  },
  {
    name: '2.4 MB/h, only with one DaemonSet revision',
    canaries: 40,
    ...upgrade,
    leak: heap(2.4),
    leaksOnlyOn: ['daemonset/cni', '6f7d'],
    hardships: ALL,
  },
];

export const HEALTHY_KINDS: readonly RolloutKind[] = [
  { name: 'plain upgrade', canaries: 20, ...upgrade, hardships: [] },
  { name: 'higher level', canaries: 20, ...upgrade, hardships: ['higher level'] },
  { name: 'longer warm-up', canaries: 20, ...upgrade, hardships: ['longer warm-up'] },
  { name: 'drained and filled again', canaries: 20, ...upgrade, hardships: ['refill'] },
  { name: 'more pods in one pool', canaries: 20, ...upgrade, hardships: ['busy pool'] },
  { name: 'API blips', canaries: 20, ...upgrade, hardships: ['blips'] },
  { name: 'all of these', canaries: 20, ...upgrade, hardships: ALL },
  { name: 'all of these', canaries: 5, ...upgrade, hardships: ALL },
  { name: 'a feature gate turned on', canaries: 20, ...gateOn, hardships: IN_PLACE },
];

/** Drawn once per rollout: all nodes that get the new version have it. */
export interface NewBuild {
  readonly levelShare: number;
  readonly warmUpShare: number;
  readonly warmUpHours: number;
  readonly clock: LeakingClock;
  readonly refillShare: number;
}

export function drawBuild(dice: Dice): NewBuild {
  return {
    levelShare: dice.uniform(0.05, 0.5),
    warmUpShare: dice.uniform(0.05, 0.35),
    warmUpHours: dice.logUniform(1, 12),
    clock: dice.pick<LeakingClock>(['hour', 'hour', 'probe', 'pod start']),
    refillShare: dice.uniform(0.3, 0.9),
  };
}

export function afterRollout(
  plan: NodePlan,
  kind: RolloutKind,
  build: NewBuild,
  atHours: number,
  dice: Dice,
): Partial<NodePlan> {
  const has = (hardship: Hardship): boolean => kind.hardships.includes(hardship);
  const heapShapes = [...plan.heapShapes];
  const goroutineShapes = [...plan.goroutineShapes];
  const podShapes = [...plan.podShapes];
  if (has('higher level')) {
    heapShapes.push(step(atHours, build.levelShare * dice.around(0.1)));
    goroutineShapes.push(step(atHours, 0.6 * build.levelShare * dice.around(0.1)));
  }
  if (has('longer warm-up')) {
    const tau = build.warmUpHours * dice.around(0.15);
    heapShapes.push(saturating(atHours, build.warmUpShare * dice.around(0.2), tau));
    goroutineShapes.push(saturating(atHours, 0.5 * build.warmUpShare * dice.around(0.2), tau));
  }
  if (has('refill')) {
    const hours = dice.logUniform(0.5, 8);
    podShapes.push(factor(pulse(atHours - 1.5, 1, 0.5, hours, -build.refillShare * dice.uniform(0.7, 1))));
  }
  return {
    heapShapes,
    goroutineShapes,
    podShapes,
    ...(kind.restarts ? { restartHours: [...plan.restartHours, atHours] } : {}),
  };
}

export function leakOf(kind: RolloutKind, build: NewBuild, atHours: number, dice: Dice): Leak | undefined {
  if (kind.leak === undefined) return undefined;
  const { resource, perHour } = kind.leak;
  return {
    resource,
    clock: build.clock,
    unitsPerHour: perHour * dice.around(0.2),
    stairHours: undefined,
    onsetHours: atHours,
    stopHours: Infinity,
    heapBytesPerUnit: resource === 'goroutines' ? 9000 : 0,
  };
}

/** More pods on all nodes of one pool, from some hour on. */
export function busierPool(plan: NodePlan, fromHours: number, hours: number, by: number): Partial<NodePlan> {
  return { podShapes: [...plan.podShapes, ramp(1, 1 + by, fromHours, hours)] };
}
