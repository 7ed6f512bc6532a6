/**
 * The result of `oakum triage`: what `-o json` prints (schema `oakum.triage/v1`).
 *
 *     scrape    one reading of the metrics, within seconds        what is there
 *     history   Prometheus, if one is given                       whether it grew over days
 *     evidence  the capture that was saved                        what must not be lost
 *     past      a continuous profiler, if one is given            what it looked like before
 *     analysis  of the capture                                    what grows, who owns it, whether it is known
 */
import type { Analysis, ResourceLedger } from '../../judge/analysis.ts';
import type { CycleStage } from '../../evidence/cycle/cycle.ts';
import type { Unproved } from '../doctor/doctor.ts';
import type { DetectedTarget, LimitBasis } from '../../judge/detect/recorded-detection.ts';
import type { Verdict } from '../../judge/verdict.ts';
import type { LimitSource, ResourceUnit } from '../../evidence/resource.ts';

export interface Triage {
  readonly schema: 'oakum.triage/v1';
  /** As the user named it: `node/worker-17`. */
  readonly target: string;
  /** RFC 3339. */
  readonly at: string;
  readonly verdict: Verdict;
  readonly sentence: string;
  readonly reasons: readonly string[];
  /** The evidence behind the verdict: capture and history together, per resource. */
  readonly ledgers: readonly ResourceLedger[];
  readonly scrape: TriageScrape | null;
  readonly history: TriageHistory | null;
  readonly past: TriagePast | null;
  readonly evidence: TriageEvidence | null;
  readonly analysis: Analysis | null;
  readonly timeToLimit: TimeToLimit | null;
  readonly cannotProve: readonly Unproved[];
  /** What a person may do now, and what not to do. Oakum does none of it. */
  readonly safe: readonly string[];
  readonly unsafe: readonly string[];
  /** Commands; run the first one first. */
  readonly next: readonly NextCommand[];
}

/** What is known while the triage goes on: printed after each set, and no part of the result. */
export interface TriageSoFar {
  /** The set that was taken last, from 1 on. */
  readonly set: number;
  readonly verdict: Verdict;
  readonly sentence: string;
  readonly reasons: readonly string[];
  /** The largest family of the heap and of the goroutines. */
  readonly largest: readonly LargestFamily[];
  /** What would decide; empty when it is proved. */
  readonly decides: readonly string[];
  readonly isProved: boolean;
}

export interface LargestFamily {
  readonly title: string;
  /** Bytes of heap, or goroutines. */
  readonly amount: number;
  readonly total: number;
  readonly unit: ResourceUnit;
}

export interface NextCommand {
  readonly command: string;
  readonly why: string;
}

/** A value is null if the process does not report it. */
export interface TriageScrape {
  readonly tookSeconds: number;
  readonly component: string | null;
  readonly version: string | null;
  readonly goVersion: string | null;
  readonly upSeconds: number | null;
  readonly pods: number | null;
  readonly goroutines: number | null;
  readonly threads: number | null;
  readonly openFiles: number | null;
  readonly maxFiles: number | null;
  readonly residentBytes: number | null;
  /** GOMEMLIMIT, if set. */
  readonly goLimitBytes: number | null;
  /** Where the process is killed, or its node is full; null when no limit is known. */
  readonly memoryLimit: { readonly bytes: number; readonly from: LimitSource } | null;
  readonly memory: MemorySplit | null;
  readonly cycle: { readonly stage: CycleStage; readonly sentence: string; readonly advice: readonly string[] };
  /** Why the metrics could not be read, with the next step; everything else is null then. */
  readonly problem: string | null;
}

/** Memory held by the Go runtime, in parts that do not overlap; resident memory also includes the program itself. */
export interface MemorySplit {
  /** Reachable at the last collection. Null if only the next target is reported. */
  readonly liveBytes: number | null;
  /** Objects allocated since, or garbage; all objects if `liveBytes` is null. */
  readonly newBytes: number;
  /** Unused space within spans that hold objects. */
  readonly unusedBytes: number;
  readonly stackBytes: number;
  readonly profilerBucketBytes: number;
  /** Free, and not returned to the system. */
  readonly unreturnedBytes: number;
  readonly otherBytes: number;
}

export interface TriageHistory {
  readonly address: string;
  /** The labels that the target was found by; '' if it was not found. */
  readonly selector: string;
  /** Other targets of the same job that it was compared with. */
  readonly peerCount: number;
  readonly detected: DetectedTarget | null;
  /** Why there is no result, with the next step. */
  readonly problem: string | null;
}

/** Profiles of the past, saved beside the capture. */
export interface TriagePast {
  readonly address: string;
  /** The matchers that the process was found by; '' if it was not found. */
  readonly selector: string;
  readonly profileCount: number;
  /** RFC 3339; null if there is none. */
  readonly from: string | null;
  readonly to: string | null;
  /** Why there is none or not all of it, with the next step. */
  readonly problem: string | null;
}

export interface TriageEvidence {
  readonly folder: string;
  readonly fileCount: number;
  readonly bytes: number;
  readonly setCount: number;
  readonly isWhole: boolean;
  /** Whether another try may get what is missing. */
  readonly isOpen: boolean;
  readonly notes: readonly string[];
}

export interface TimeToLimit {
  /** 90 % interval; its high end is null if there is none. */
  readonly hours: readonly [number, number | null];
  readonly resource: string;
  /** Null if only the history shows it. */
  readonly limit: number | null;
  readonly unit: ResourceUnit;
  readonly from: 'history' | 'capture';
  /** What it is computed from; null if the level is beyond the limit already. */
  readonly basis: LimitBasis | null;
}
