/**
 * Fits the weights of the ledger: the log odds of each kind of observation under which what is known to leak is called
 * so, and nothing else.
 *
 *     P(leak) = P(stays) * (1 - (1 - P(unbounded)) * (1 - P(unwanted)))
 *
 * That is a logistic model of three claims; what speaks about a claim adds to its log odds. A weight keeps the sign that
 * it was given by reason (an observation for a leak cannot speak against it), a ridge keeps those that few recordings
 * show near zero, and every source counts alike, however many rows it has.
 */
import { type Evidence, type LedgerEntry, weigh } from '../../src/judge/ledger/ledger.ts';
import { type Claim, PRIOR } from '../../src/judge/ledger/weights.ts';
import type { Verdict } from '../../src/judge/verdict.ts';
import type { Labelled } from './labelled.ts';

/** By kind and chosen weight, as `survivors 4.2`. */
export type Weights = ReadonlyMap<string, number>;

export interface FittedWeight {
  readonly name: string;
  readonly chosen: number;
  readonly fitted: number;
  /** Ledgers that have it, of leaks and of others. */
  readonly ofLeaks: number;
  readonly ofOthers: number;
}

const STEPS = 3000;
const RATE = 3;
/** Of the mean loss, for each squared weight. */
const RIDGE = 2e-4;
const LARGEST = 8;
const ROUND = 0.1;

function nameOf({ kind, logOdds }: Evidence): string {
  return `${kind} ${logOdds}`;
}

export function fitWeights(sources: readonly (readonly Labelled[])[]): FittedWeight[] {
  const rows = sources.flatMap(all => all.map(one => ({ ...one, share: 1 / all.length / sources.length })));
  const chosen = new Map<string, number>();
  const seen = new Map<string, [ofLeaks: number, ofOthers: number]>();
  for (const { ledgers, leaks } of rows) {
    const names = new Set(ledgers.flatMap(({ entries }) => entries.filter(isWeighed).map(nameOf)));
    for (const name of names) {
      const [ofLeaks, ofOthers] = seen.get(name) ?? [0, 0];
      seen.set(name, leaks ? [ofLeaks + 1, ofOthers] : [ofLeaks, ofOthers + 1]);
    }
    for (const { entries } of ledgers)
      for (const one of entries) if (isWeighed(one)) chosen.set(nameOf(one), one.logOdds);
  }
  const weights = new Map([...chosen.keys()].map(name => [name, 0]));
  for (let step = 0; step < STEPS; step++) {
    const gradient = gradientAt(rows, weights);
    for (const [name, weight] of weights) {
      const next = weight - RATE * ((gradient.get(name) ?? 0) + RIDGE * weight);
      const isFor = (chosen.get(name) ?? 0) > 0;
      weights.set(name, isFor ? Math.min(LARGEST, Math.max(0, next)) : Math.max(-LARGEST, Math.min(0, next)));
    }
  }
  return [...weights].map(([name, weight]) => {
    const [ofLeaks, ofOthers] = seen.get(name) ?? [0, 0];
    return { name, chosen: chosen.get(name) ?? 0, fitted: Math.round(weight / ROUND) * ROUND, ofLeaks, ofOthers };
  });
}

function isWeighed({ counted, logOdds }: LedgerEntry): boolean {
  return counted && logOdds !== 0;
}

function gradientAt(
  rows: readonly (Labelled & { readonly share: number })[],
  weights: Weights,
): ReadonlyMap<string, number> {
  const gradient = new Map<string, number>();
  for (const { ledgers, leaks, share } of rows) {
    const [surest] = ledgers.map(one => oddsOf(one.entries, weights)).sort((a, b) => b.probability - a.probability);
    if (surest === undefined) continue;
    const { stays, unbounded, unwanted, probability } = surest;
    const p = Math.min(0.999, Math.max(0.001, probability));
    const loss = leaks ? -1 / p : 1 / (1 - p);
    const slopes: Record<Claim, number> = {
      stays: probability * (1 - stays),
      unbounded: stays * (1 - unwanted) * unbounded * (1 - unbounded),
      unwanted: stays * (1 - unbounded) * unwanted * (1 - unwanted),
    };
    for (const entry of surest.entries) {
      const slope = entry.claims.reduce((sum, claim) => sum + slopes[claim], 0);
      const name = nameOf(entry);
      gradient.set(name, (gradient.get(name) ?? 0) + share * loss * slope);
    }
  }
  return gradient;
}

function oddsOf(all: readonly LedgerEntry[], weights: Weights) {
  const entries = all.filter(isWeighed);
  const claim = (wanted: Claim): number => {
    const about = entries.filter(({ claims }) => claims.includes(wanted));
    const sum = about.reduce((odds, one) => odds + (weights.get(nameOf(one)) ?? one.logOdds), PRIOR[wanted]);
    return 1 / (1 + Math.exp(-sum));
  };
  const [stays, unbounded, unwanted] = [claim('stays'), claim('unbounded'), claim('unwanted')];
  return { entries, stays, unbounded, unwanted, probability: stays * (1 - (1 - unbounded) * (1 - unwanted)) };
}

/** The verdict on each, and the probability of a leak, with other weights. */
export function judgeWith(weights: Weights, { ledgers }: Labelled): { verdict: Verdict; probability: number } {
  const judged = ledgers.map(({ entries, vetoes }) =>
    weigh(
      entries.map(one => ({ ...one, logOdds: weights.get(nameOf(one)) ?? one.logOdds })),
      vetoes,
    ),
  );
  const worst = (['leak', 'watch', 'unknown'] as const).find(verdict => judged.some(one => one.verdict === verdict));
  return { verdict: worst ?? 'healthy', probability: Math.max(0, ...judged.map(({ probability }) => probability)) };
}
