/** All facts that a report is written from. */
import type { Analysis } from '../../judge/analysis.ts';
import type { CaptureManifest } from '../../evidence/capture.ts';
import type { ResourceUnit } from '../../evidence/resource.ts';

/** The reader of a report. */
export type ReportAudience = 'upstream' | 'provider' | 'incident';

/** One metric of one life of a process, at its first and its last sample. */
export interface Measured {
  readonly what: string;
  readonly unit: ResourceUnit;
  readonly from: number;
  readonly to: number;
  readonly fromSeconds: number | undefined;
  readonly toSeconds: number | undefined;
}

/** One process between two restarts. */
export interface Life {
  readonly startedAtSeconds: number | undefined;
  /** When it was first and last seen. */
  readonly fromSeconds: number | undefined;
  readonly toSeconds: number | undefined;
  readonly measured: readonly Measured[];
}

export interface IssueTarget {
  readonly name: string;
  readonly component: string | undefined;
  readonly version: string | undefined;
  readonly goVersion: string | undefined;
  readonly buildId: string | undefined;
  readonly platform: string | undefined;
  readonly cgroupVersion: number | undefined;
  /** Alpha gates that are on and beta gates that are off: the differences from a plain cluster. */
  readonly unusualGates: readonly string[];
  readonly lives: readonly Life[];
}

/** Facts that nodes report about themselves, each distinct value once. */
export interface Environment {
  readonly nodeCount: number;
  readonly osImages: readonly string[];
  readonly kernels: readonly string[];
  readonly runtimes: readonly string[];
  readonly architectures: readonly string[];
  /** `aws`, `gce` ...: the scheme of a provider id. */
  readonly providers: readonly string[];
  readonly capacities: readonly string[];
}

export interface IssueFacts {
  readonly analysis: Analysis;
  readonly targets: readonly IssueTarget[];
  readonly environment: Environment;
  readonly captures: readonly CaptureManifest[];
  readonly catalogueEntries: number;
  readonly oakumVersion: string;
  readonly redacted: boolean;
}
