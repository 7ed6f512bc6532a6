/**
 * The ledger: all evidence about one target and resource, and the verdict it adds up to.
 *
 *     prior            -3.0   one family in twenty that stands out leaks
 *     profile growth   +8.0   goroutines 105 -> 1,011 over 4 snapshots, never fell
 *     metric trend     +3.5   goroutines +1,800/h over 34m, steady
 *     known leak       +3.2   v1.36.0 has kubernetes#139823, and this is its stack
 *     sum             +11.7   leak, 99.999 % sure
 *
 * Amounts are log odds: +4.6 is 99 to 1, 0 is even, -4.6 is 1 to 99.
 */
import type { Verdict } from '../verdict.ts';

export type EvidenceKind =
  | 'metric-trend' // the slope of a metric
  | 'profile-growth' // a family over several profiles
  | 'runtime-leak' // the Go runtime found goroutines that nothing can wake
  | 'ages' // how long each goroutine of a family has waited
  | 'survivors' // the same goroutines in two dumps, waiting on
  | 'retention' // the share of what a stack allocated that is still live
  | 'known-leak' // a catalogue signature, and a version that has it
  | 'peers' // healthy peers that have as much, or none
  | 'cohort' // other targets that share an attribute
  | 'after-restart' // whether it came back
  | 'level' // how much there is, which proves little by itself
  | 'density'; // pods explain it

/** One observation that speaks for or against a leak. */
export interface Evidence {
  readonly kind: EvidenceKind;
  /** Log odds; above 0 for a leak, below 0 against one. */
  readonly logOdds: number;
  /** Observations with equal `shows` show the same thing: only the strongest counts, the others are listed. */
  readonly shows: string;
  readonly sentence: string;
}

/** Why a leak by the numbers is not called one. */
export interface Veto {
  readonly kind: 'density' | 'explained' | 'same-collection' | 'too-young' | 'peers';
  readonly sentence: string;
}

export type Strength = 'proof' | 'strong' | 'moderate' | 'weak';

/** An observation as it was weighed. */
export interface LedgerEntry extends Evidence {
  readonly strength: Strength;
  /** False if a stronger observation shows the same thing. */
  readonly counted: boolean;
}

export interface Ledger {
  readonly verdict: Verdict;
  /** Probability of a leak, 0 to 1. */
  readonly probability: number;
  /** Strongest first, for or against. */
  readonly entries: readonly LedgerEntry[];
  readonly vetoes: readonly Veto[];
}
