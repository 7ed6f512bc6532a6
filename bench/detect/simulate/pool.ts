/** A fleet is a few node pools: kubelets of one version on machines of one size, alike but not equal. */
import type { Dice } from './dice.ts';

const MB = 1e6;

/** Which metrics its kubelets expose. */
export type MetricSet =
  | 'all'
  | 'no live heap' // before Kubernetes 1.26
  | 'no kubelet metrics'; // only go_* and process_*: no pods, no churn

/** How a process of this pool responds to its load; a node has the pool's values with a spread. */
export interface ProcessTraits {
  readonly goroutines: number;
  readonly goroutinesPerPod: number;
  /** For each pod start per hour, while they last. */
  readonly goroutinesPerStartRate: number;
  readonly heapBytes: number;
  readonly heapBytesPerPod: number;
  readonly heapBytesPerStartRate: number;
  readonly descriptors: number;
  readonly descriptorsPerPod: number;
  readonly threads: number;
  /** How many new maxima of blocked calls each e-fold of its age brings. */
  readonly threadRecords: number;
  readonly containersPerPod: number;
  readonly probesPerPodHour: number;
  readonly reconnectsPerHour: number;
  readonly allocationBytesPerSecond: number;
  readonly fragmentation: number;
  readonly offHeapBytes: number;
  readonly scavengerHours: number;
  readonly warmUpHours: number;
  readonly stackBytesPerGoroutine: number;
}

export interface Pool {
  readonly traits: ProcessTraits;
  readonly metrics: MetricSet;
  readonly pods: number;
  readonly startsPerPodHour: number;
}

export function drawPools(dice: Dice): readonly Pool[] {
  return Array.from({ length: dice.integer(2, 4) }, (_, index) => ({
    traits: drawTraits(dice),
    // Most of a fleet is recent.
    metrics: index === 0 ? 'all' : dice.pick<MetricSet>(['all', 'all', 'all', 'no live heap', 'no kubelet metrics']),
    pods: dice.logUniform(18, 90),
    startsPerPodHour: dice.logUniform(0.005, 0.2),
  }));
}

function drawTraits(dice: Dice): ProcessTraits {
  return {
    goroutines: dice.uniform(60, 200),
    goroutinesPerPod: dice.uniform(1.2, 7),
    goroutinesPerStartRate: dice.uniform(0.1, 1.2),
    heapBytes: dice.logUniform(12 * MB, 60 * MB),
    heapBytesPerPod: dice.logUniform(0.1 * MB, 0.9 * MB),
    heapBytesPerStartRate: dice.logUniform(0.01 * MB, 0.2 * MB),
    descriptors: dice.uniform(22, 90),
    descriptorsPerPod: dice.uniform(0.1, 2),
    threads: dice.uniform(12, 45),
    threadRecords: dice.uniform(0.2, 2),
    containersPerPod: dice.uniform(1, 2.8),
    probesPerPodHour: dice.logUniform(60, 720),
    reconnectsPerHour: dice.logUniform(0.1, 3),
    allocationBytesPerSecond: dice.logUniform(0.3 * MB, 4 * MB),
    fragmentation: dice.uniform(1.04, 1.3),
    offHeapBytes: dice.uniform(35 * MB, 95 * MB),
    scavengerHours: dice.logUniform(0.1, 3),
    warmUpHours: dice.logUniform(0.05, 1.2),
    stackBytesPerGoroutine: dice.uniform(4096, 14_000),
  };
}

/** The pool's traits, each with a spread of its own. */
export function spreadTraits(traits: ProcessTraits, spread: number, dice: Dice): ProcessTraits {
  const entries = Object.entries(traits).map(([name, value]) => [name, value * dice.around(spread)]);
  const drawn = Object.fromEntries(entries) as unknown as ProcessTraits;
  return { ...drawn, fragmentation: Math.max(1.02, traits.fragmentation * dice.around(0.02)) };
}
