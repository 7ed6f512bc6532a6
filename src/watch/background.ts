/**
 * Work that takes longer than the event loop may be blocked: the detector over the whole fleet, and profiles. The
 * command line runs it in a thread of its own.
 */
import type { Analysis } from '../judge/analysis.ts';
import type { CohortVerdict } from '../judge/cohorts/cohort-model.ts';
import type { Resource } from '../evidence/resource.ts';
import type { TargetVerdict } from '../judge/detect/detection.ts';
import type { ReportAudience } from '../report/issue/issue-facts.ts';
import type { Attributes } from '../evidence/target.ts';
import type { TargetEvidence } from '../evidence/capture.ts';

export interface Background {
  observe(rows: readonly DetectorRow[]): void;
  /** What targets are, and since when. */
  describe(rows: readonly DescribedRow[]): void;
  /** Resolves when everything given before has been processed. */
  settle(): Promise<void>;
  /** Forgets these targets. */
  forget(targets: readonly string[]): void;
  /** A second detector, for targets whose history is replayed while the first one goes on with the others. */
  readonly replay: ReplayDetector;
  evaluate(at: number): Promise<readonly TargetVerdict[]>;
  /** Judges the attribute values of the fleet; `proved` lists leaks that are known otherwise, as from captures. */
  cohorts(at: number, proved: readonly ProvedLeak[]): Promise<readonly CohortVerdict[]>;
  analyze(evidence: TargetEvidence): Promise<Analysis>;
  /** A redacted bundle. Throws an Error that says why there is none. */
  bundle(evidence: TargetEvidence): Promise<Uint8Array>;
  report(evidence: TargetEvidence, audience: ReportAudience): Promise<string>;
  close(): Promise<void>;
}

export interface ReplayDetector {
  observe(rows: readonly DetectorRow[]): void;
  /** Resolves when everything given before has been processed. */
  evaluate(at: number): Promise<void>;
  /** Its targets join those of the first detector, in place of what that one knows about them. */
  join(): void;
}

export interface DescribedRow {
  readonly target: string;
  /** -Infinity if it was there before. */
  readonly at: number;
  readonly attributes: Attributes;
}

export interface ProvedLeak {
  readonly target: string;
  readonly resource: Resource;
}

export interface DetectorRow {
  readonly target: string;
  readonly at: number;
  readonly values: Readonly<Record<string, number>>;
}
