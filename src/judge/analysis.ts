/** The result of `oakum analyze`: what `-o json` prints (schema `oakum.analysis/v1`, docs/analysis-json.md). */
import type { AgeShape } from './ages/ages.ts';
import type { Cause } from '../knowledge/records.ts';
import type { Match } from '../knowledge/known-leak-match.ts';
import type { Ledger } from './ledger/ledger.ts';
import type { Retention } from './process/retention.ts';
import type { SnapshotKind } from '../evidence/snapshots/snapshot.ts';
import type { Verdict } from './verdict.ts';
import type { ResourceSlug } from '../evidence/resource.ts';

export interface AnalysisInput {
  readonly path: string;
  readonly kind: SnapshotKind;
  readonly target: string;
  /** RFC 3339, or null. For a recording, the time of its last sample. */
  readonly takenAt: string | null;
  /** The first sample of a recording; null for a snapshot. */
  readonly since: string | null;
  readonly truncated: string | null;
  readonly goVersion: string | null;
  /** Why it could not be read, in one line; null when it was. */
  readonly error: string | null;
}

/** A function of the program itself, and the place where it calls a library. */
export interface FamilyCaller {
  readonly function: string;
  readonly at: string | null;
}

export interface FindingFamily {
  readonly id: string;
  readonly title: string;
  readonly frames: readonly string[];
  /** By frame: `k8s.io/kubernetes/pkg/kubelet/pod_workers.go:1155`; null if unknown. */
  readonly places: readonly (string | null)[];
  /** The place of the frame that the title names first. */
  readonly at: string | null;
  readonly createdBy: string | null;
  /** The place of the `go` statement. */
  readonly createdAt: string | null;
  /** Of a library's family: who in the program uses the library; null if no profile shows it. */
  readonly caller: FamilyCaller | null;
  readonly state: string | null;
  readonly labels: readonly { readonly labels: Readonly<Record<string, string>>; readonly count: number }[];
}

export interface FindingGrowth {
  readonly from: number;
  readonly to: number;
  readonly delta: number;
  readonly perHour: number | null;
  /** Heap only: between these with 95 %, as far as sampling goes. */
  readonly perHourRange: readonly [low: number, high: number] | null;
  readonly perOperation: number | null;
  readonly monotone: boolean;
  /** From the first snapshot to the last; null without times. */
  readonly seconds: number | null;
  /**
   * Heap: how its rate, which is sampled, compares with that of the live heap, which is counted. Metric series: which
   * metrics and labels grew. Otherwise null.
   */
  readonly compared: string | null;
}

/** Heap that goroutines have because they exist, as far as a heap profile shows it. */
export interface HeldMemory {
  readonly what: 'descriptors' | 'label sets' | 'own objects';
  readonly bytes: number;
}

/** A goroutine between those that wait for a lock and what it waits for itself. */
export interface LockLink {
  /**
   * Past Lock, as far as its stack shows it; in code of the same type, but perhaps not past Lock; waiting to write
   * before them; or a caller in the same stack.
   */
  readonly role: 'holder' | 'possible' | 'writer' | 'self';
  /** The type or function whose lock it holds or waits to write. */
  readonly of: string;
  readonly family: string;
  readonly title: string;
  /** The function that is past Lock, or that waits to write, and its place. */
  readonly function: string;
  readonly at: string | null;
  readonly state: string | null;
  readonly waitMinutes: number | null;
}

/** From those that wait for a lock to its likely holder, and on to what that waits for. */
export interface LockChain {
  readonly kind: 'holder' | 'self' | 'ring' | 'unknown';
  /** The type or function whose lock it is. */
  readonly of: string;
  readonly links: readonly LockLink[];
  /** Where the holder is not found: whether other goroutines run code of that type. */
  readonly isElsewhere: boolean;
  readonly sentences: readonly string[];
}

/** How long the goroutines of a family have waited. */
export interface FindingAges {
  readonly shape: AgeShape;
  /** Arrivals that stay, per hour: low, estimate and high of a 95 % interval. */
  readonly perHour: readonly number[] | null;
  readonly sinceMinutes: number | null;
  readonly binMinutes: number;
  /** Goroutines by age, youngest first. */
  readonly bins: readonly number[];
}

export interface Finding {
  readonly target: string;
  readonly verdict: Verdict;
  readonly resource: ResourceSlug;
  readonly family: FindingFamily;
  readonly count: number;
  /** Heap only. */
  readonly bytes: number | null;
  /** Share of the resource's total, 0 to 1. */
  readonly share: number;
  /** Which life of the target it is from, oldest first; null if only one was seen. */
  readonly life: { readonly number: number; readonly of: number } | null;
  readonly growth: FindingGrowth | null;
  /** Heap only; null if the profile does not record allocations. */
  readonly retention: Retention | null;
  readonly waitMinutes: { readonly median: number; readonly max: number } | null;
  /** Only from a dump that lists every goroutine. */
  readonly ages: FindingAges | null;
  /** Goroutines only: their part of the heap that the runtime keeps for goroutines and their labels. */
  readonly holds: readonly HeldMemory[];
  /** Goroutines only; null unless they wait for a lock. */
  readonly lock: LockChain | null;
  readonly owner: { readonly name: string; readonly inferred: boolean };
  readonly cause: Cause | null;
  readonly matches: readonly Match[];
  readonly reasons: readonly string[];
  readonly advice: readonly string[];
  /** The evidence that decided the verdict. */
  readonly ledger: Ledger;
  /** What is worth watching: what will show whether it leaks, and when. Otherwise null. */
  readonly decides: string | null;
}

/** The evidence about one resource of one life of a target. */
export interface ResourceLedger extends Ledger {
  readonly target: string;
  readonly resource: ResourceSlug;
}

/** Something that was not measured, and the command that measures it. */
export interface MissingEvidence {
  readonly what: string;
  readonly why: string;
  readonly command: string;
}

/** A paste explained: pieces of evidence that are no file of a process. */
export interface ShownEvidence {
  readonly path: string;
  /** Where it begins in the file; null if it is all of it. */
  readonly line: number | null;
  /** What it is, and of which process. */
  readonly what: string;
  /** What matters most, without the name of the target. */
  readonly headline: string;
  readonly shows: readonly string[];
  /** What it cannot show. */
  readonly lacks: readonly string[];
  /** Known leaks whose functions it has. */
  readonly matches: readonly Match[];
  /** The one command that would decide. */
  readonly decides: { readonly why: string; readonly command: string } | null;
}

export interface Analysis {
  readonly schema: 'oakum.analysis/v1';
  readonly sentence: string;
  readonly verdict: Verdict;
  readonly reasons: readonly string[];
  readonly inputs: readonly AnalysisInput[];
  readonly findings: readonly Finding[];
  readonly missing: readonly MissingEvidence[];
  /** Of pastes: what each piece is and says. */
  readonly shown: readonly ShownEvidence[];
  /** The evidence behind the verdict, per target and resource. */
  readonly ledgers: readonly ResourceLedger[];
}
