/**
 * The plan of one node: everything that is decided before the clock starts, including the truth.
 *
 *     pool -> basePlan -> background -> scenario changes what makes it special -> SimulatedNode runs it
 */
import type { Dice } from './dice.ts';
import { spreadTraits, type MetricSet, type Pool, type ProcessTraits } from './pool.ts';
import type { Shape } from './shapes.ts';
import type { WanderTraits } from './wander.ts';

export type LeakingResource = 'goroutines' | 'live heap' | 'file descriptors' | 'threads';
export type LeakingClock = 'hour' | 'pod start' | 'probe' | 'API reconnect';

export interface Leak {
  readonly resource: LeakingResource;
  readonly clock: LeakingClock;
  /** Bytes, or a count, on average. */
  readonly unitsPerHour: number;
  /** It comes in batches this far apart. */
  readonly stairHours: number | undefined;
  /** Below zero: it leaked before the record began. */
  readonly onsetHours: number;
  readonly stopHours: number;
  /** What each leaked goroutine holds. */
  readonly heapBytesPerUnit: number;
}

/** Sessions that come and go: exec, port-forward, a stuck volume. */
export interface Burst {
  readonly atHours: number;
  readonly lengthHours: number;
  readonly goroutines: number;
}

export interface NodePlan {
  readonly traits: ProcessTraits;
  readonly metrics: MetricSet;
  readonly pods: number;
  readonly startsPerPodHour: number;
  /** Factors. */
  readonly podShapes: readonly Shape[];
  readonly churnShapes: readonly Shape[];
  /** Shares of the level, on top. */
  readonly goroutineShapes: readonly Shape[];
  readonly heapShapes: readonly Shape[];
  readonly bursts: readonly Burst[];
  /** Times at which every reconnect of the node happens at once. */
  readonly blipHours: readonly number[];
  readonly blipStrength: number;
  readonly restartHours: readonly number[];
  readonly wander: WanderTraits;
  readonly noiseShare: number;
  readonly lostShare: number;
  readonly gaps: readonly (readonly [fromHours: number, toHours: number])[];
  /** The node's clock against the scraper's: what its start time shows. */
  readonly skewSeconds: Shape;
  readonly counterResetHours: readonly number[];
  /** GOGC as a factor: 1 is 100 %. */
  readonly gogc: Shape;
  readonly leak: Leak | undefined;
  readonly exposesLimit: boolean;
  readonly limitBytes: number;
  readonly maxDescriptors: number;
  /** What was drawn, for the list of misses. */
  readonly notes: Readonly<Record<string, string | number>>;
}

/** What a scenario may change, and what it can use. */
export interface Setting {
  readonly dice: Dice;
  readonly hours: number;
  readonly events: FleetEvents;
}

/** What happens to every node of a fleet at the same time. */
export interface FleetEvents {
  readonly blipHours: readonly number[];
  readonly rolloutHours: readonly number[];
}

export interface Scenario {
  readonly name: string;
  readonly leaking: boolean;
  /** Only pods or churn distinguish it from a leak, so a node without those metrics cannot have it. */
  readonly needsPods?: boolean;
  readonly apply: (plan: NodePlan, setting: Setting) => Partial<NodePlan>;
}

export function basePlan(pool: Pool, { dice, events }: Setting): NodePlan {
  const traits = spreadTraits(pool.traits, 0.12, dice);
  return {
    traits,
    metrics: pool.metrics,
    pods: Math.max(4, pool.pods * dice.around(0.3)),
    startsPerPodHour: pool.startsPerPodHour * dice.around(0.4),
    podShapes: [],
    churnShapes: [],
    goroutineShapes: [],
    heapShapes: [],
    bursts: [],
    blipHours: events.blipHours,
    blipStrength: dice.uniform(0.2, 1),
    restartHours: [],
    wander: { share: dice.logUniform(0.003, 0.02), tausHours: [1, 4, 16, 64] },
    noiseShare: dice.logUniform(0.003, 0.02),
    lostShare: dice.logUniform(0.001, 0.02),
    gaps: [],
    skewSeconds: () => 0,
    counterResetHours: [],
    gogc: () => 1,
    leak: undefined,
    exposesLimit: dice.chance(0.55),
    limitBytes: 0,
    maxDescriptors: dice.pick([4096, 65_536, 1_000_000]),
    notes: {},
  };
}

export interface Levels {
  readonly goroutines: number;
  readonly heapBytes: number;
  readonly descriptors: number;
  readonly threads: number;
}

/** Where a process settles with this many pods and starts per hour, without noise and leaks. */
export function settledLevels({ traits }: NodePlan, pods: number, startsPerHour: number): Levels {
  return {
    goroutines: traits.goroutines + traits.goroutinesPerPod * pods + traits.goroutinesPerStartRate * startsPerHour,
    heapBytes: traits.heapBytes + traits.heapBytesPerPod * pods + traits.heapBytesPerStartRate * startsPerHour,
    descriptors: traits.descriptors + traits.descriptorsPerPod * pods,
    threads: traits.threads,
  };
}

/** The level that a leak's rate is relative to: with the initial pods of the plan. */
export function typicalLevel(plan: NodePlan, resource: LeakingResource): number {
  const levels = settledLevels(plan, plan.pods, plan.pods * plan.startsPerPodHour);
  switch (resource) {
    case 'goroutines':
      return levels.goroutines;
    case 'live heap':
      return levels.heapBytes;
    case 'file descriptors':
      return levels.descriptors;
    case 'threads':
      return levels.threads;
  }
}
