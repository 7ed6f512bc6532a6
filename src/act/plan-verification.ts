/** What `oakum verify` says about the nodes of a plan, as data (docs/commands/verify.md). */
import type { ResourceUnit } from '../evidence/resource.ts';

export type VerifyOutcome =
  | 'cleared' // it does not grow any more
  | 'came back, intrinsic' // it grows as before: a restart only buys time
  | 'too early' // with the hour at which it is known
  | 'unknown' // it is well, and there is nothing to compare with
  | 'not restarted' // the process is still the same
  | 'unwell' // restarted, but the node, its pods or its kubelet are not as they should be
  | 'unread'; // the kubelet's metrics cannot be read

export interface PlanVerification {
  readonly schema: 'oakum.verify/v1';
  readonly planId: string;
  /** RFC 3339. */
  readonly at: string;
  readonly nodes: readonly NodeVerification[];
}

export interface NodeVerification {
  readonly node: string;
  readonly outcome: VerifyOutcome;
  readonly sentence: string;
  readonly checks: readonly VerifyCheck[];
  /** The slopes of the resource that leaked; null if one is not known. */
  readonly slopes: VerifySlopes | null;
  /** RFC 3339: when the slope will be known; null if it is, or cannot be said. */
  readonly knownAt: string | null;
  /** RFC 3339: when the limit is reached again, if it came back. */
  readonly nextLimitAt: string | null;
}

export interface VerifyCheck {
  readonly name: 'restart' | 'ready' | 'pods' | 'pleg' | 'errors' | 'memory' | 'goroutines' | 'slope';
  readonly state: 'good' | 'bad' | 'unknown';
  readonly text: string;
}

export interface VerifySlopes {
  readonly unit: ResourceUnit;
  readonly before: number;
  readonly after: number;
  /** 95 %. */
  readonly interval: readonly [low: number, high: number];
}

/** One scrape of a node, as `verify` keeps it beside the plan. */
export interface VerifySample {
  readonly node: string;
  /** Unix seconds. */
  readonly at: number;
  readonly values: Readonly<Record<string, number>>;
}
