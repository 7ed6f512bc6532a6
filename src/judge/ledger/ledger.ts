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
import { HEALTHY_AT, LEAK_AT, PRIOR, WATCH_AT } from './weights.ts';

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

/** Turns evidence into a verdict. Nothing else decides. */

/** With a veto, nothing is called a leak; it is at most worth watching. */
export function weigh(evidence: readonly Evidence[], vetoes: readonly Veto[] = []): Ledger {
  const entries = countOnce(evidence);
  const sum = entries.reduce((total, { counted, logOdds }) => (counted ? total + logOdds : total), PRIOR);
  const logOdds = vetoes.length > 0 ? Math.min(sum, LEAK_AT - 1) : sum;
  return { verdict: verdictAt(logOdds, evidence.length), probability: probabilityOf(logOdds), entries, vetoes };
}

/** Without evidence the verdict is unknown, whatever the prior. */
function verdictAt(logOdds: number, observations: number): Verdict {
  if (observations === 0) return 'unknown';
  if (logOdds >= LEAK_AT) return 'leak';
  if (logOdds >= WATCH_AT) return 'watch';
  return logOdds <= HEALTHY_AT ? 'healthy' : 'unknown';
}

function probabilityOf(logOdds: number): number {
  return 1 / (1 + Math.exp(-logOdds));
}

/** The strongest first; if several show the same thing, only the first counts. */
function countOnce(evidence: readonly Evidence[]): LedgerEntry[] {
  const shown = new Set<string>();
  return [...evidence]
    .sort((a, b) => Math.abs(b.logOdds) - Math.abs(a.logOdds))
    .map(one => {
      const counted = !shown.has(one.shows);
      shown.add(one.shows);
      return { ...one, strength: strengthOf(one.logOdds), counted };
    });
}

function strengthOf(logOdds: number): Strength {
  const size = Math.abs(logOdds);
  if (size >= LEAK_AT - PRIOR) return 'proof';
  if (size >= 3) return 'strong';
  return size >= 1 ? 'moderate' : 'weak';
}
