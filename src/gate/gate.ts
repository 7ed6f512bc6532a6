/** The result of `oakum gate` (schema `oakum.gate/v1`, docs/commands/gate.md). */

import { familiesOf } from '../evidence/snapshots/families-of.ts';
import { FormatError } from '../base/errors.ts';
import { decodeText } from '../base/text.ts';
import { readMember, type ReadSnapshot } from '../evidence/snapshots/read-member.ts';

export const GATE_RESOURCES = [
  'goroutines',
  'heap',
  'objects',
  'memory outside the Go heap',
  'file descriptors',
  'threads',
  'metric series',
] as const;
export type GateResource = (typeof GATE_RESOURCES)[number];

export type GateOutcome = 'leaks' | 'within budget' | 'undecided';
export type GateInterval = readonly [low: number, middle: number, high: number];
export type GatePer = 'operation' | 'hour';

/** `over time`: it grows as fast without operations, and no budget per hour was set. */
export type GateDecision = 'leaks' | 'within' | 'undecided' | 'over time';

/** Growth per operation or per hour, with an interval that holds whenever one stops. */
export interface GateGrowth {
  readonly decision: GateDecision;
  readonly per: GatePer;
  /** Null while too little is known. In a comparison, how much more it is than the base's. */
  readonly growth: GateInterval | null;
  /** What is allowed, with what the baseline allows; null if nothing was said about it. */
  readonly budget: number | null;
}

export interface GateMeasure extends GateGrowth {
  readonly resource: GateResource;
  /** `package example.com/cache` or `label controller=sync`; null for all. */
  readonly scope: string | null;
  readonly unit: 'bytes' | 'count';
  /** Before the first round and after each. */
  readonly levels: readonly number[];
}

/** A family that grew beyond its budget while there were operations. */
export interface GateFamily extends GateGrowth {
  readonly resource: 'goroutines' | 'heap';
  readonly family: string;
  readonly title: string;
  readonly frames: readonly string[];
  /** `controllers/sync.go:88`; null if unknown. */
  readonly at: string | null;
  /** The first place of its stack that is a file of the repository, relative to its root; null if there is none. */
  readonly source: string | null;
  /** A stack of it as the process prints it, leaf first: `main.forward /src/app/main.go:25`. */
  readonly stack: readonly string[];
  readonly createdBy: string | null;
  readonly createdAt: string | null;
  /** Who started it: by its label, else by its code. */
  readonly owner: string | null;
  /** By pprof label, the largest first: `{ label: 'controller=sync', count: 40 }`. */
  readonly labels: readonly { readonly label: string; readonly count: number }[];
  readonly cause: string | null;
  /** What the cause means, and what to do. */
  readonly meaning: string | null;
  readonly advice: readonly string[];
  /** A known leak: `kubernetes#139823`. */
  readonly knownLeak: string | null;
  /** Goroutines of it that came during the run and were still there at its end; null if they were not listed. */
  readonly survivors: GateSurvivors | null;
  /** Why it does not count; null if it does. */
  readonly exception: string | null;
}

export interface GateSurvivors {
  readonly count: number;
  /** The first of them, in order. */
  readonly ids: readonly number[];
  /** How long the oldest has waited; null if the process does not say. */
  readonly oldestMinutes: number | null;
}

export interface GateResult {
  readonly schema: 'oakum.gate/v1';
  readonly target: string;
  /** What the target was compared with; null if it was judged alone. */
  readonly comparedWith: string | null;
  readonly outcome: GateOutcome;
  readonly sentence: string;
  /** What an operation is called: `workspace`. */
  readonly operation: string;
  readonly rounds: number;
  readonly warmUpRounds: number;
  readonly idleRounds: number;
  readonly operations: number;
  readonly measures: readonly GateMeasure[];
  /** The largest growth first. */
  readonly families: readonly GateFamily[];
  /** It grows while nothing is done, too: per hour, not per operation. */
  readonly growsWhenIdle: boolean;
  /** If it is undecided: how many more operations would decide. */
  readonly operationsNeeded: number | null;
  /** One allocation in so many bytes is in the heap profiles; null if unknown. */
  readonly memProfileRate: number | null;
  /** Exceptions whose last day is over: a gate with one fails. */
  readonly expired: readonly string[];
  readonly evidence: string;
  readonly notes: readonly string[];
}

/** How sure a gate must be, how long it tries, and what it allows; `npm run bench:gate` shows what these give. */
interface GateRules {
  /** The chance of a wrong answer about one resource; that about one family is divided by their number. */
  readonly alpha: number;
  readonly maxRounds: number;
  /** Levels at rest are not known better than this. */
  readonly levelNoise: Readonly<Record<GateResource, number>>;
  /** Growth per operation that is allowed. */
  readonly budgets: Readonly<Record<GateResource, number>>;
}

export const GATE_RULES: GateRules = {
  alpha: 0.0005,
  maxRounds: 40,
  levelNoise: {
    goroutines: 0.5,
    heap: 4096,
    objects: 10,
    // The runtime maps pages that it has not touched, and returns others late.
    'memory outside the Go heap': 64 * 1024,
    'file descriptors': 0.5,
    threads: 0.5,
    'metric series': 0.5,
  },
  budgets: {
    goroutines: 0.01,
    heap: 512,
    objects: 0.5,
    'memory outside the Go heap': 1024,
    'file descriptors': 0.01,
    threads: 0.01,
    'metric series': 0.05,
  },
};

export function unitOf(resource: GateResource): 'bytes' | 'count' {
  return resource === 'heap' || resource === 'memory outside the Go heap' ? 'bytes' : 'count';
}

/** Whether a family fails the gate. */
export function isLeak({ decision, exception }: Pick<GateFamily, 'decision' | 'exception'>): boolean {
  return decision === 'leaks' && exception === null;
}

/** What leaks by its total, while no stack is known for it: descriptors, threads, or a heap with too few samples. */
export function measuresWithoutFamily({
  measures,
  families,
}: Pick<GateResult, 'measures' | 'families'>): GateMeasure[] {
  const named = new Set<string>(families.filter(isLeak).map(one => one.resource));
  // A goroutine brings heap of its own, and objects are those of the heap.
  if (named.has('goroutines')) named.add('heap');
  if (named.has('heap')) named.add('objects');
  return measures.filter(one => one.decision === 'leaks' && !named.has(one.resource));
}

/** The families in a profile that a round kept; or why it cannot be read. */
export function readKept(path: string, bytes: Uint8Array, keepStacks = false): readonly ReadSnapshot[] | string {
  const member = { kind: 'member', path, bytes, mtimeSeconds: undefined, damage: undefined } as const;
  try {
    return readMember(member, { families: familiesOf, keepStacks });
  } catch (error) {
    if (error instanceof FormatError) return error.describe();
    throw error;
  }
}

/** `@ heap/1048576` in the first line of a heap profile: twice the bytes between two samples. */
export function memProfileRateOf(bytes: Uint8Array): number | undefined {
  const [, twice] = /@ heap(?:profile)?\/(\d+)/.exec(decodeText(bytes.subarray(0, 200)).split('\n')[0] ?? '') ?? [];
  return twice === undefined ? undefined : Number(twice) / 2;
}

/**
 * Which memprofilerate would name the code of a small leak sooner.
 *
 * A heap profile has one sample in `rate` bytes. After n operations that leave b bytes each there are n·b/rate samples,
 * and the estimate is off by 1/sqrt of that. Twenty samples give 22 %.
 */
/** For programs that the gate starts: samples of small objects, at a few percent of the time for allocations. */
export const STARTED_RATE = 4096;
const WANTED_SAMPLES = 20;
const MIN_RATE = 512;

/** A power of two; undefined if the rate is good enough. `bytes` is what has been left behind so far. */
export function betterRate(rate: number, bytes: number): number | undefined {
  const wanted = Math.max(MIN_RATE, 2 ** Math.floor(Math.log2(Math.max(1, bytes) / WANTED_SAMPLES)));
  return wanted < rate ? wanted : undefined;
}

/** How many operations it takes at this rate until a leak of `bytesPerOperation` has enough samples. */
export function operationsForSamples(rate: number, bytesPerOperation: number): number {
  return Math.ceil((WANTED_SAMPLES * rate) / bytesPerOperation);
}

/** The environment of a program with `GODEBUG=memprofilerate`; what it says already stays. */
export function withSamplingRate(godebug: string | undefined, rate: number): string {
  if (godebug === undefined || godebug === '') return `memprofilerate=${rate}`;
  return /(?:^|,)memprofilerate=/.test(godebug) ? godebug : `${godebug},memprofilerate=${rate}`;
}
