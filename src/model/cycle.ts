/**
 * The OOM cycle of a target.
 *
 *     healthy --> pre-oom --> killed --> storm --> recovered
 *                    ^                     |
 *                    +------- re-oom <-----+
 *
 *     CycleObservation[]  ->  cycleOf  ->  OomCycle      any order, any repetition, plain data on both sides
 */
import type { UnreadFile } from './pile.ts';

export type CycleStage =
  | 'healthy'
  | 'pre-oom' // near a limit, or the node is short of memory
  | 'killed' // dead, and not seen to come back to rest
  | 'storm' // restarted, and still reconciling everything at once
  | 'recovered' // restarted and at rest
  | 're-oom' // killed for memory again after a restart
  | 'unknown';

/** Why a process died. */
export type DeathCause =
  | 'oom' // by the kernel or systemd-oomd
  | 'go-out-of-memory' // the Go runtime got no memory and gave up
  | 'go-threads' // the Go runtime reached its limit of threads
  | 'crash' // a panic or another fatal error
  | 'repairer' // another program restarts it when it looks unhealthy
  | 'stopped' // systemctl stop or restart
  | 'signal'
  | 'exit'
  | 'reboot'
  | 'unknown';

export interface Death {
  /** Null when only the restart after it was seen. */
  readonly atSeconds: number | null;
  readonly cause: DeathCause;
  readonly sentence: string;
  readonly kill: OomKill | null;
}

/** One line of the timeline. */
export interface CycleEvent {
  /** Unix seconds; null when the evidence carries no time that can be placed. */
  readonly atSeconds: number | null;
  /** Where it went on for a while. */
  readonly untilSeconds: number | null;
  /** The stage that begins here; null for what happens within one. */
  readonly stage: CycleStage | null;
  readonly text: string;
  /** Where it is from, e.g. `kern.log:120`. */
  readonly evidence: readonly string[];
}

/** Another program that restarts the target. */
export interface Restarter {
  readonly name: string;
  /** Whether it was seen to act, or to be about to. */
  readonly isActive: boolean;
  readonly sentence: string;
}

export interface OomCycle {
  readonly target: string;
  readonly stage: CycleStage;
  readonly sentence: string;
  /** In time order; what has no time comes last. */
  readonly timeline: readonly CycleEvent[];
  readonly deaths: readonly Death[];
  /** Programs that may restart it; the name is part of the schema. */
  readonly rivals: readonly Restarter[];
  readonly reasons: readonly string[];
  readonly advice: readonly string[];
}

/** What `oakum cycle -o json` prints. */
export interface CycleReport {
  readonly schema: 'oakum.cycle/v1';
  /** Worst first. */
  readonly cycles: readonly OomCycle[];
  /** What holds for the whole reading, e.g. that times without a zone were read as UTC. */
  readonly notes: readonly string[];
  readonly inputs: { readonly used: number; readonly unused: number; readonly unread: readonly UnreadFile[] };
}

/** One victim of an OOM killer. */
export interface OomKill {
  /** As the kernel has it: at most 15 characters. */
  readonly process: string;
  readonly pid: number;
  /** memcg: a cgroup's limit; global: the whole node; oomd: systemd-oomd, by memory pressure. */
  readonly scope: 'memcg' | 'global' | 'oomd' | 'unknown';
  /** The cgroup whose limit was reached, and that of the victim; '' when not told. */
  readonly limitCgroup: string;
  readonly processCgroup: string;
  readonly limitBytes: number | undefined;
  /** Anonymous, file and shared pages of the victim. */
  readonly residentBytes: number | undefined;
  readonly oomScoreAdj: number | undefined;
  /** Whose allocation set the killer off; '' when not told. */
  readonly invokedBy: string;
}

export type CycleObservation =
  MetricsObservation | KubeEventObservation | ConditionObservation | BootObservation | LogObservation;

interface Observed {
  /** Unix seconds; undefined when nothing tells. */
  readonly atSeconds: number | undefined;
  /** `kern.log:120` */
  readonly source: string;
}

/** What is read of a scrape; sums over labels. Any may be missing. */
export type CycleMetric =
  | 'startSeconds'
  | 'residentBytes'
  | 'workingSetBytes'
  | 'cgroupLimitBytes'
  | 'goLimitBytes'
  | 'plegLastSeenSeconds'
  | 'relistSeconds' // sum of the histogram, and its count
  | 'relists'
  | 'workerSeconds'
  | 'workerRuns'
  | 'apiRequests'
  | 'apiErrors' // 5xx, 429 and <error>
  | 'memoryEvictions'
  | 'bootSeconds';

export interface MetricsObservation extends Observed {
  readonly kind: 'metrics';
  readonly values: Readonly<Partial<Record<CycleMetric, number>>>;
  /** Whether the time is the scrape's own; the date of a file is not exact enough for ages. */
  readonly isExact: boolean;
}

/** Of the node, or of a pod that it evicted; at its first time. */
export interface KubeEventObservation extends Observed {
  readonly kind: 'kube-event';
  readonly reason: string;
  readonly message: string;
  /** Who says so: `kubelet`, `kernel-monitor`, ... */
  readonly component: string;
  readonly lastSeconds: number | undefined;
  readonly count: number;
  readonly objectKind: string;
  /** What a SystemOOM or OOMKilling event tells. */
  readonly kill: OomKill | undefined;
}

/** At the time of its last heartbeat. */
export interface ConditionObservation extends Observed {
  readonly kind: 'condition';
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly sinceSeconds: number | undefined;
}

/** The node runs under this boot id, or (with none) its kernel began here. */
export interface BootObservation extends Observed {
  readonly kind: 'boot';
  readonly bootId: string;
}

export interface LogObservation extends Observed {
  readonly kind: 'log';
  readonly event: LogEvent;
}

export type LogEvent =
  | { readonly kind: 'oom-kill'; readonly kill: OomKill }
  | { readonly kind: 'unit'; readonly unit: string; readonly change: UnitChange }
  | { readonly kind: 'go-death'; readonly process: string; readonly cause: DeathCause; readonly message: string }
  | { readonly kind: 'process-started'; readonly process: string }
  | { readonly kind: 'pleg-stalled'; readonly ageSeconds: number }
  | { readonly kind: 'repair'; readonly component: string; readonly acts: boolean; readonly message: string };

/** What systemd says of a unit. */
export type UnitChange =
  | { readonly kind: 'exited'; readonly code: string; readonly status: number; readonly name: string }
  | { readonly kind: 'failed'; readonly result: string }
  | { readonly kind: 'oom' }
  | { readonly kind: 'restart-scheduled'; readonly counter: number | undefined }
  | { readonly kind: 'started' }
  | { readonly kind: 'stopping' };
