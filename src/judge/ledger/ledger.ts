/**
 * The ledger: all evidence about one family or resource of a process, and the verdict it adds up to.
 *
 * A leak is three claims. What comes stays; it has no bound; nothing will ever use it. Growth alone shows none of them.
 *
 *     stays                       no bound                    unwanted
 *     -1.0  before                -2.5  before                -4.0  before
 *     +4.2  222 of 222 goroutines                             +7.2  they wait for one that receives,
 *           are there 10m later                                     and none did for 10m
 *     +2.0  240 -> 480, never fell
 *     +5.2  99 % sure             -2.5  8 % sure              +3.2  96 % sure
 *
 *     leak      it stays, and has no bound or is unwanted: 95 % sure of either
 *     watch     it stays, and may fill up to a bound
 *     healthy   nothing that stays, by somebody who looked
 *     unknown   too little is known
 *
 * Amounts are log odds: +4.6 is 99 to 1, 0 is even, -4.6 is 1 to 99.
 */
import type { Verdict } from '../verdict.ts';
import { type Claim, HEALTHY_AT, PRIOR, SURE, WATCH_AT } from './weights.ts';

const CLAIMS: readonly Claim[] = ['stays', 'unbounded', 'unwanted'];

export type EvidenceKind =
  | 'metric-trend' // the slope of a metric
  | 'profile-growth' // a family over several profiles
  | 'runtime-leak' // the Go runtime found goroutines that nothing can wake
  | 'ages' // how long each goroutine of a family has waited
  | 'survivors' // the same goroutines in two dumps
  | 'retention' // the share of what a stack allocated that is still live
  | 'process-age' // what the age of the process makes likely, and growth since its start
  | 'lifetime' // code that ends by a call, or fills up to a bound
  | 'wait' // what the goroutines wait for
  | 'demand' // what was asked of the process meanwhile
  | 'known-leak' // a catalogue signature, and a version that has it
  | 'peers' // healthy peers that have as much, or none
  | 'cohort' // other targets that share an attribute
  | 'after-restart' // whether it came back
  | 'level' // how much there is, which proves little by itself
  | 'density'; // pods explain it

/** One observation that speaks for or against a leak. */
export interface Evidence {
  readonly kind: EvidenceKind;
  /** What it speaks about. */
  readonly claims: readonly Claim[];
  /** Log odds of each of these claims; above 0 for it, below 0 against it. */
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
  /** Probability of each claim. */
  readonly claims: Readonly<Record<Claim, number>>;
  /** Strongest first, for or against. */
  readonly entries: readonly LedgerEntry[];
  readonly vetoes: readonly Veto[];
}

/** Turns evidence into a verdict. Nothing else decides. With a veto, nothing is called a leak; it is worth watching. */
export function weigh(evidence: readonly Evidence[], vetoes: readonly Veto[] = []): Ledger {
  const entries = countOnce(evidence);
  const sums = { ...PRIOR };
  for (const { claims, counted, logOdds } of entries) if (counted) for (const claim of claims) sums[claim] += logOdds;
  const claims = { stays: oddsOf(sums.stays), unbounded: oddsOf(sums.unbounded), unwanted: oddsOf(sums.unwanted) };
  const isEndless = Math.max(sums.unbounded, sums.unwanted) >= SURE && vetoes.length === 0;
  const endless = 1 - (1 - claims.unbounded) * (1 - claims.unwanted);
  const probability = claims.stays * (vetoes.length === 0 ? endless : Math.min(endless, VETOED));
  return { verdict: verdictOf(sums.stays, isEndless, evidence.length), probability, claims, entries, vetoes };
}

/** What a veto leaves of the probability that it has no bound. */
const VETOED = 0.5;

/** Without evidence the verdict is unknown, whatever the prior. */
function verdictOf(stays: number, isEndless: boolean, observations: number): Verdict {
  if (observations === 0) return 'unknown';
  if (stays >= SURE && isEndless) return 'leak';
  if (stays >= WATCH_AT) return 'watch';
  return stays <= HEALTHY_AT ? 'healthy' : 'unknown';
}

function oddsOf(logOdds: number): number {
  return 1 / (1 + Math.exp(-logOdds));
}

/** The strongest first; if several show the same thing about a claim, only the first counts. */
function countOnce(evidence: readonly Evidence[]): LedgerEntry[] {
  const shown = new Set<string>();
  return [...evidence]
    .sort((a, b) => Math.abs(b.logOdds) - Math.abs(a.logOdds))
    .map(one => {
      const keys = CLAIMS.filter(claim => one.claims.includes(claim)).map(claim => `${claim} ${one.shows}`);
      const counted = keys.some(key => !shown.has(key));
      for (const key of keys) shown.add(key);
      return { ...one, strength: strengthOf(one), counted };
    });
}

function strengthOf({ claims, logOdds }: Evidence): Strength {
  const size = Math.abs(logOdds);
  if (size >= 6 && claims.length > 1) return 'proof';
  if (size >= 3) return 'strong';
  return size >= 1 ? 'moderate' : 'weak';
}
