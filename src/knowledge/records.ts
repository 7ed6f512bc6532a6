/** Causes, lifetimes, owners and products as data, as their YAML files hold them. Frames are patterns of frame-pattern.ts. */
import type { FamilyKind } from '../profile/families/family.ts';

/** What a family means and what to do about it. */
export interface Cause {
  readonly id: string;
  readonly title: string;
  readonly meaning: string;
  /** Commands that can be run as they are; the first one comes first. */
  readonly check: readonly string[];
  readonly act: readonly string[];
  /** What not to do. */
  readonly avoid: readonly string[];
  /** Known, and harmless unless it grows. */
  readonly benign: boolean;
}

/** What to look for in a family. Every condition that is given must hold. */
export interface Sign {
  /** Every pattern is in the stack. */
  readonly all?: readonly string[];
  /** At least one is. */
  readonly any?: readonly string[];
  /** None is. */
  readonly none?: readonly string[];
  /** The first frame that is not the runtime, `sync`, `internal/poll` or `syscall` matches one. */
  readonly leaf?: readonly string[];
  /** At least half were started by one of these; does not hold when creators are unknown. */
  readonly creators?: readonly string[];
  /** No creator is known: the first goroutine, or a format without creators. */
  readonly uncreated?: boolean;
  /** At least half wait for one of these reasons. Also holds when states are unknown and another condition tests the stack. */
  readonly states?: readonly string[];
  /** Some have waited at least this long; does not hold when waits are unknown. */
  readonly waitMinutes?: number;
}

export type WholeResource = 'native-memory' | 'file-descriptors' | 'threads' | 'metric-series';

export interface CauseRecord extends Cause {
  /** Of families; or the resource that it explains as a whole, without signs. */
  readonly kind: FamilyKind | WholeResource;
  /** One of them is enough. */
  readonly signs: readonly Sign[];
  /** What to do where it grows, of a cause that needs nothing otherwise. */
  readonly actIfGrows?: readonly string[];
  /** Every pod has some, for as long as it lives: their number says how many pods there are, not that anything leaks. */
  readonly isTiedToPods?: true;
}

export interface OwnerRule {
  /** `$1` is the word that the pattern keeps. */
  readonly owner: string;
  readonly frames: readonly string[];
}

/** A program that is known by name. The comments of products.yaml say what its fields mean. */
export interface Product {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly pods: readonly string[];
  readonly packages: readonly string[];
  readonly metrics: readonly string[];
  /** '' if it serves none. */
  readonly fetch: string;
  readonly needs: string;
  readonly version: string;
  /** What it keeps of what it is told, and until when; '' for programs that are no stores. */
  readonly keeps: string;
}

/** What ends something that a program makes again and again. */
export interface Lifetime {
  /** `a database handle` */
  readonly of: string;
  readonly kind: FamilyKind;
  /** One of them is enough. */
  readonly signs: readonly Sign[];
  /** The call that ends it, and that somebody has to make: `DB.Close`; '' if it needs none. */
  readonly endsBy: string;
  /** The bound up to which it fills by design: `--snapshot-count`; '' if none is known. */
  readonly fillsTo: string;
  /** Those that are idle are used again before others are made. */
  readonly isReused: boolean;
}
