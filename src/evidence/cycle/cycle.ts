/**
 * The OOM cycle of a target.
 *
 *     healthy --> pre-oom --> killed --> storm --> recovered
 *                    ^                     |
 *                    +------- re-oom <-----+
 *
 *     CycleObservation[]  ->  cycleOf  ->  OomCycle      any order, any repetition, plain data on both sides
 */
import type { UnreadFile } from '../pile.ts';
import type { LogStamp } from '../formats/log-stamp.ts';

export type CycleStage =
  | 'healthy'
  | 'pre-oom' // near a limit, or the node is short of memory
  | 'killed' // died, and was not seen to settle again
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
  /** Null if only the restart after it was seen. */
  readonly atSeconds: number | null;
  readonly cause: DeathCause;
  readonly sentence: string;
  readonly kill: OomKill | null;
}

/** One line of the timeline. */
export interface CycleEvent {
  /** Unix seconds; null if the evidence has no usable time. */
  readonly atSeconds: number | null;
  /** When it ended, if it lasted. */
  readonly untilSeconds: number | null;
  /** The stage that begins here; null for an event within a stage. */
  readonly stage: CycleStage | null;
  readonly text: string;
  /** Its source, e.g. `kern.log:120`. */
  readonly evidence: readonly string[];
}

/** Another program that restarts the target. */
export interface Restarter {
  readonly name: string;
  /** Whether it was seen to restart the target, or to be about to. */
  readonly isActive: boolean;
  readonly sentence: string;
}

export interface OomCycle {
  readonly target: string;
  readonly stage: CycleStage;
  readonly sentence: string;
  /** In time order; events without a time come last. */
  readonly timeline: readonly CycleEvent[];
  readonly deaths: readonly Death[];
  /** Programs that may restart it. The name is part of the schema. */
  readonly rivals: readonly Restarter[];
  readonly reasons: readonly string[];
  readonly advice: readonly string[];
}

/** What `oakum cycle -o json` prints. */
export interface CycleReport {
  readonly schema: 'oakum.cycle/v1';
  /** Worst first. */
  readonly cycles: readonly OomCycle[];
  /** Notes about the whole input, e.g. that times without a zone were read as UTC. */
  readonly notes: readonly string[];
  readonly inputs: { readonly used: number; readonly unused: number; readonly unread: readonly UnreadFile[] };
}

/** One victim of an OOM killer. */
export interface OomKill {
  /** As the kernel names it: at most 15 characters. */
  readonly process: string;
  readonly pid: number;
  /** memcg: a cgroup's limit; global: the whole node; oomd: systemd-oomd, by memory pressure. */
  readonly scope: 'memcg' | 'global' | 'oomd' | 'unknown';
  /** The cgroup whose limit was reached, and that of the victim; '' if unknown. */
  readonly limitCgroup: string;
  readonly processCgroup: string;
  readonly limitBytes: number | undefined;
  /** Anonymous, file and shared pages of the victim. */
  readonly residentBytes: number | undefined;
  readonly oomScoreAdj: number | undefined;
  /** The process whose allocation triggered the killer; '' if unknown. */
  readonly invokedBy: string;
}

export type CycleObservation =
  MetricsObservation | KubeEventObservation | ConditionObservation | BootObservation | LogObservation;

interface Observed {
  /** Unix seconds; undefined if unknown. */
  readonly atSeconds: number | undefined;
  /** `kern.log:120` */
  readonly source: string;
}

/** What is read from a scrape, summed over labels. Any may be missing. */
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

/** An event of the node, or of a pod that it evicted, at the time it was first seen. */
export interface KubeEventObservation extends Observed {
  readonly kind: 'kube-event';
  readonly reason: string;
  readonly message: string;
  /** The reporter: `kubelet`, `kernel-monitor`, ... */
  readonly component: string;
  readonly lastSeconds: number | undefined;
  readonly count: number;
  readonly objectKind: string;
  /** Details of a SystemOOM or OOMKilling event. */
  readonly kill: OomKill | undefined;
}

/** A condition of the node, at its last heartbeat. */
export interface ConditionObservation extends Observed {
  readonly kind: 'condition';
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly sinceSeconds: number | undefined;
}

/** A boot of the node: its boot id, or (without one) the time its kernel started. */
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

/** A log line of systemd about a unit. */
export type UnitChange =
  | { readonly kind: 'exited'; readonly code: string; readonly status: number; readonly name: string }
  | { readonly kind: 'failed'; readonly result: string }
  | { readonly kind: 'oom' }
  | { readonly kind: 'restart-scheduled'; readonly counter: number | undefined }
  | { readonly kind: 'started' }
  | { readonly kind: 'stopping' };

/** An observation without its time and source. */
type UntimedObservation = Without<CycleObservation>;
type Without<T> = T extends unknown ? Omit<T, 'atSeconds' | 'source'> : never;

/** One thing that a file says about the OOM cycle, before its target and its time are known. */
export interface Evidence {
  readonly path: string;
  /** 1-based; 0 where lines have no meaning. */
  readonly line: number;
  /** The node or other name in the content; '' when there is none. */
  readonly host: string;
  /** Whether it is about a node or its kubelet; else about another process. */
  readonly isOfNode: boolean;
  readonly stamp: LogStamp;
  readonly body: UntimedObservation;
}

/** When the kernel booted, from a line of its log. */
export interface BootClock {
  readonly path: string;
  readonly host: string;
  readonly bootSeconds: number;
}

/** Programs that are the kubelet, or contain it. */
const KUBELETS: readonly string[] = ['kubelet', 'hyperkube', 'k3s', 'k3s-server', 'k3s-agent', 'rke2', 'kubelite'];

/** The kernel keeps 15 characters of a name. */
const COMM_LENGTH = 15;

export interface ProcessNames {
  /** Its name in sentences. */
  readonly name: string;
  isProcess(comm: string): boolean;
  /** `kubelet.service`, or a description such as `kubelet: The Kubernetes Node Agent`. */
  isUnit(unit: string): boolean;
}

/** The names of `process`; by default, all names of the kubelet. */
export function processNames(process?: string): ProcessNames {
  const names = process === undefined ? KUBELETS : [process];
  const comms = new Set(names.map(name => name.slice(0, COMM_LENGTH)));
  return {
    name: process ?? 'kubelet',
    isProcess: comm => comms.has(comm.slice(0, COMM_LENGTH)),
    isUnit: unit => {
      if (unit.endsWith('.service')) return names.includes(unit.slice(0, -'.service'.length));
      const words = unit.toLowerCase().split(/[^\w-]+/);
      return names.some(name => words.includes(name));
    },
  };
}
