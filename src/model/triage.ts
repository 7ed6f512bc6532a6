/**
 * The result of `oakum triage`: what `-o json` prints (schema `oakum.triage/v1`).
 *
 *     scrape    one reading of the metrics, within seconds        what is there
 *     history   Prometheus, where one is given                    whether it grew over days
 *     evidence  the capture that was saved                        what must not be lost
 *     analysis  of the capture                                    what grows, whose it is, whether it is known
 */
import type { Analysis } from './analysis.ts';
import type { CycleStage } from './cycle.ts';
import type { Unproved } from './doctor.ts';
import type { DetectedTarget } from './recorded-detection.ts';
import type { Verdict } from './verdict.ts';
import type { ResourceUnit } from './resource.ts';

export interface Triage {
  readonly schema: 'oakum.triage/v1';
  /** As the user named it: `node/worker-17`. */
  readonly target: string;
  /** RFC 3339. */
  readonly at: string;
  readonly verdict: Verdict;
  readonly sentence: string;
  readonly reasons: readonly string[];
  readonly scrape: TriageScrape | null;
  readonly history: TriageHistory | null;
  readonly evidence: TriageEvidence | null;
  readonly analysis: Analysis | null;
  readonly timeToLimit: TimeToLimit | null;
  readonly cannotProve: readonly Unproved[];
  /** What may be done now, and what must not, for a person. Nothing of it is done. */
  readonly safe: readonly string[];
  readonly unsafe: readonly string[];
  /** Commands, the one to run first first. */
  readonly next: readonly NextCommand[];
}

export interface NextCommand {
  readonly command: string;
  readonly why: string;
}

/** Where a value is null, the process does not tell it. */
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
  /** GOMEMLIMIT, where one is set. */
  readonly goLimitBytes: number | null;
  readonly memory: MemorySplit | null;
  readonly cycle: { readonly stage: CycleStage; readonly sentence: string; readonly advice: readonly string[] };
  /** Why the metrics could not be had, with the next step; all else is null then. */
  readonly problem: string | null;
}

/** What the Go runtime holds, in parts that do not overlap; resident memory also has the program itself. */
export interface MemorySplit {
  /** Reachable when it was last collected. Null where only the next is told. */
  readonly liveBytes: number | null;
  /** Objects that came since, or are garbage; with `liveBytes` null, all objects. */
  readonly newBytes: number;
  /** Within spans that hold objects. */
  readonly unusedBytes: number;
  readonly stackBytes: number;
  readonly profilerBucketBytes: number;
  /** Free, and not given back to the system. */
  readonly unreturnedBytes: number;
  readonly otherBytes: number;
}

export interface TriageHistory {
  readonly address: string;
  /** Labels by which the target was found; '' when it was not. */
  readonly selector: string;
  /** Other targets of its job that were looked at for comparison. */
  readonly peerCount: number;
  readonly detected: DetectedTarget | null;
  /** Why there is no answer, with the next step. */
  readonly problem: string | null;
}

export interface TriageEvidence {
  readonly folder: string;
  readonly fileCount: number;
  readonly bytes: number;
  readonly setCount: number;
  readonly isWhole: boolean;
  /** What is missing may come with another try. */
  readonly isOpen: boolean;
  readonly notes: readonly string[];
}

export interface TimeToLimit {
  /** 90 %; the high end is null where there is none. */
  readonly hours: readonly [number, number | null];
  readonly resource: string;
  /** Null where only the history tells it. */
  readonly limit: number | null;
  readonly unit: ResourceUnit;
  readonly from: 'history' | 'capture';
}
