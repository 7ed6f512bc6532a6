/** One frame of `oakum top` (schema `oakum.top/v1`, docs/commands/top.md): everything a process holds now, and how it changes. */
import type { AgeShape } from '../../judge/ages/ages.ts';
import type { Verdict } from '../../judge/verdict.ts';

export interface TopFrame {
  readonly schema: 'oakum.top/v1';
  readonly target: string;
  /** RFC 3339. */
  readonly at: string;
  /** Samples so far, and the time between the first and this one. */
  readonly samples: number;
  readonly seconds: number;
  readonly verdict: Verdict;
  readonly sentence: string;
  readonly process: TopProcess;
  /** Largest first. */
  readonly goroutines: readonly TopGoroutines[];
  readonly heap: readonly TopHeap[];
  readonly labels: readonly TopLabel[];
  /** What could not be read, and what was left out to spare the process. */
  readonly notes: readonly string[];
}

export interface TopProcess {
  readonly version: string | null;
  readonly upSeconds: number | null;
  readonly goroutines: number | null;
  readonly goroutinesPerMinute: number | null;
  /** What heap profiles show as live. */
  readonly liveBytes: number | null;
  readonly liveBytesPerMinute: number | null;
  readonly residentBytes: number | null;
}

/** What both kinds of family have. */
interface TopFamily {
  readonly family: string;
  readonly title: string;
  readonly frames: readonly string[];
  /** By frame: `pkg/kubelet/pod_workers.go:1155`; null if unknown. */
  readonly places: readonly (string | null)[];
  /** Over the last minute; null with the first sample. */
  readonly perMinute: number | null;
  /** `leak` or `watch` if a finding is about this family. */
  readonly verdict: Verdict | null;
  /** What it means, if it is known. */
  readonly cause: string | null;
}

/** How long the goroutines of a family have waited. */
export interface TopAges {
  /** Null if there is too little to name it. */
  readonly shape: AgeShape | null;
  readonly binMinutes: number;
  /** Goroutines by age, youngest first. */
  readonly bins: readonly number[];
}

export interface TopGoroutines extends TopFamily {
  readonly count: number;
  /** The most frequent wait; null if unknown. */
  readonly wait: string | null;
  readonly longestWaitMinutes: number | null;
  readonly ages: TopAges | null;
  readonly createdBy: string | null;
  readonly createdAt: string | null;
  readonly owner: string | null;
  readonly labels: readonly { readonly labels: Readonly<Record<string, string>>; readonly count: number }[];
}

export interface TopHeap extends TopFamily {
  readonly bytes: number;
  readonly objects: number;
  /** Live objects of all that were ever allocated there; null if the profile does not say. */
  readonly retainedShare: number | null;
}

/** The goroutines that carry one set of labels. */
export interface TopLabel {
  readonly labels: Readonly<Record<string, string>>;
  readonly count: number;
  readonly perMinute: number | null;
  readonly families: number;
}
