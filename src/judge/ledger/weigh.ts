/** Turns evidence into a verdict. Nothing else decides. */
import type { Verdict } from '../verdict.ts';
import type { Evidence, Ledger, LedgerEntry, Strength, Veto } from './ledger.ts';
import { HEALTHY_AT, LEAK_AT, PRIOR, WATCH_AT } from './weights.ts';

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

export function probabilityOf(logOdds: number): number {
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
