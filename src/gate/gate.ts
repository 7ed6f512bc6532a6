/** The result of `oakum gate` (schema `oakum.gate/v1`, docs/commands/gate.md). */

export const GATE_RESOURCES = ['goroutines', 'heap', 'objects', 'file descriptors', 'threads'] as const;
export type GateResource = (typeof GATE_RESOURCES)[number];

export type GateOutcome = 'leaks' | 'within budget' | 'undecided';
export type GateInterval = readonly [low: number, middle: number, high: number];
export type GatePer = 'operation' | 'hour';

/** Growth per operation or per hour, with an interval that holds whenever one stops. */
export interface GateGrowth {
  readonly decision: 'leaks' | 'within' | 'undecided';
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

/** A family that grows beyond its budget. */
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
