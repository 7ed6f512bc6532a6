/**
 * The traits of a process before anything happens to it. Kubelets of one pool and replicas of one application are
 * similar but not equal; the pools and applications of a fleet differ.
 */
import type { Dice } from '../../simulate/dice.ts';
import { drawWarmUp, spreadWarmUp, type WarmUp } from './warm-up.ts';
import type { Attributes } from '../../../../src/evidence/target.ts';

const MB = 1e6;

export interface ProcessTraits {
  readonly kind: 'kubelet' | 'daemon';
  /** The labels of its scrapes: the job, and the pool of its node. */
  readonly attributes: Attributes;
  /** kubelet_* metrics: pods, starts, calls of the container runtime. */
  readonly showsPods: boolean;
  /** go_gc_heap_live_bytes; without it, only go_memstats_*. */
  readonly showsLiveHeap: boolean;
  /** Levels at the usual load, pods included. */
  readonly goroutines: number;
  readonly heapBytes: number;
  readonly descriptors: number;
  readonly threads: number;
  readonly pods: number;
  readonly goroutinesPerPod: number;
  readonly heapBytesPerPod: number;
  readonly descriptorsPerPod: number;
  /** Jobs that come, run for minutes and go. */
  readonly startsPerHour: number;
  readonly jobMinutes: number;
  readonly allocationBytesPerSecond: number;
  /** GOGC as a factor: 1 is 100 %. */
  readonly gogc: number;
  readonly fragmentation: number;
  readonly offHeapBytes: number;
  readonly scavengerMinutes: number;
  readonly stackBytesPerGoroutine: number;
  readonly goroutineWarmUp: WarmUp;
  readonly heapWarmUp: WarmUp;
  /** Standard deviations, as shares of the level: of the wandering level, and between scrapes. */
  readonly wanderShare: number;
  readonly noiseShare: number;
  /** The daily season of an ordinary day. */
  readonly seasonShare: number;
  readonly peakHour: number;
}

export interface LevelRange {
  readonly least: number;
  readonly most: number;
}

export interface LevelRanges {
  readonly goroutines: LevelRange;
  readonly heapBytes: LevelRange;
}

export const LEVELS: Readonly<Record<ProcessTraits['kind'], LevelRanges>> = {
  kubelet: { goroutines: { least: 150, most: 900 }, heapBytes: { least: 30 * MB, most: 300 * MB } },
  daemon: { goroutines: { least: 30, most: 20_000 }, heapBytes: { least: 10 * MB, most: 4000 * MB } },
};

/** The least that every goroutine of a healthy process keeps alive. */
const MIN_HEAP_PER_GOROUTINE = 3000;

export function drawKubeletPool(pool: string, dice: Dice): ProcessTraits {
  return {
    ...drawShared(dice, LEVELS.kubelet),
    kind: 'kubelet',
    attributes: { job: 'kubelet', pool },
    showsPods: dice.chance(0.85),
    showsLiveHeap: dice.chance(0.8),
    pods: dice.logUniform(10, 110),
    startsPerHour: dice.logUniform(0.3, 40),
    wanderShare: dice.logUniform(0.003, 0.02),
    noiseShare: dice.logUniform(0.003, 0.015),
    seasonShare: dice.chance(0.5) ? dice.uniform(0.01, 0.08) : 0,
  };
}

export function drawApplication(job: string, dice: Dice): ProcessTraits {
  return {
    ...drawShared(dice, LEVELS.daemon),
    kind: 'daemon',
    attributes: { job },
    showsPods: false,
    showsLiveHeap: dice.chance(0.5),
    pods: 0,
    startsPerHour: 0,
    wanderShare: dice.logUniform(0.004, 0.05),
    noiseShare: dice.logUniform(0.003, 0.03),
    seasonShare: dice.chance(0.6) ? dice.uniform(0.02, 0.2) : 0,
  };
}

type Shared = Omit<
  ProcessTraits,
  | 'kind'
  | 'attributes'
  | 'showsPods'
  | 'showsLiveHeap'
  | 'pods'
  | 'startsPerHour'
  | 'wanderShare'
  | 'noiseShare'
  | 'seasonShare'
>;

function drawShared(dice: Dice, levels: LevelRanges): Shared {
  const goroutines = drawLevel(levels.goroutines, dice);
  return {
    goroutines,
    heapBytes: Math.max(drawLevel(levels.heapBytes, dice), goroutines * MIN_HEAP_PER_GOROUTINE),
    descriptors: dice.uniform(20, 60) + goroutines * dice.uniform(0.05, 0.4),
    threads: dice.uniform(10, 40),
    goroutinesPerPod: dice.uniform(2, 9),
    heapBytesPerPod: dice.logUniform(0.1 * MB, 1 * MB),
    descriptorsPerPod: dice.uniform(0.2, 2),
    jobMinutes: dice.logUniform(1, 20),
    allocationBytesPerSecond: dice.logUniform(0.2 * MB, 20 * MB),
    gogc: dice.pick([1, 1, 1, 1, 0.5, 2]),
    fragmentation: dice.uniform(1.04, 1.25),
    offHeapBytes: dice.uniform(20 * MB, 90 * MB),
    scavengerMinutes: dice.logUniform(4, 150),
    stackBytesPerGoroutine: dice.uniform(3000, 12_000),
    goroutineWarmUp: drawWarmUp(dice),
    heapWarmUp: drawWarmUp(dice),
    peakHour: dice.uniform(0, 24),
  };
}

export function drawLevel({ least, most }: LevelRange, dice: Dice): number {
  return dice.logUniform(least, most);
}

/** One process of the pool or application. */
export function spreadTraits(traits: ProcessTraits, dice: Dice): ProcessTraits {
  const spread = traits.kind === 'kubelet' ? 0.2 : 0.1;
  const range = LEVELS[traits.kind];
  const goroutines = within(range.goroutines, traits.goroutines * dice.around(spread));
  const heapBytes = within(range.heapBytes, traits.heapBytes * dice.around(spread));
  const pods = Math.round(traits.pods * dice.around(spread));
  return {
    ...traits,
    goroutines,
    heapBytes,
    pods,
    ...perPod({ ...traits, goroutines, heapBytes, pods }),
    descriptors: traits.descriptors * dice.around(spread),
    threads: traits.threads * dice.around(spread),
    startsPerHour: traits.startsPerHour * dice.around(spread),
    allocationBytesPerSecond: traits.allocationBytesPerSecond * dice.around(spread),
    wanderShare: traits.wanderShare * dice.around(spread),
    noiseShare: traits.noiseShare * dice.around(spread),
    goroutineWarmUp: spreadWarmUp(traits.goroutineWarmUp, dice),
    heapWarmUp: spreadWarmUp(traits.heapWarmUp, dice),
  };
}

/** The same process at other levels. */
export function atLevels(traits: ProcessTraits, levels: { goroutines?: number; heapBytes?: number }): ProcessTraits {
  const changed = { ...traits, ...levels };
  return { ...changed, ...perPod(changed) };
}

/** Pods hold at most four fifths of the total. */
function perPod(traits: ProcessTraits): Pick<ProcessTraits, 'goroutinesPerPod' | 'heapBytesPerPod'> {
  const pods = Math.max(1, traits.pods);
  return {
    goroutinesPerPod: Math.min(traits.goroutinesPerPod, (0.8 * traits.goroutines) / pods),
    heapBytesPerPod: Math.min(traits.heapBytesPerPod, (0.8 * traits.heapBytes) / pods),
  };
}

function within({ least, most }: LevelRange, level: number): number {
  return Math.min(most, Math.max(least, level));
}
