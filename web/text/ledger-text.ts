/** The evidence behind a verdict as lines, the strongest first. */
import type { Ledger, LedgerEntry } from '../../src/judge/ledger/ledger.ts';

/** Findings that were stored by older versions have no ledger. */
export function ledgerReasons(ledger: Ledger | undefined): string[] {
  if (ledger === undefined) return [];
  return [
    ...ledger.entries
      .filter(({ counted }) => counted)
      .map(entry => `${weightText(entry)} (${entry.strength}) ${entry.sentence}`),
    ...ledger.vetoes.map(({ sentence }) => `at most watch: ${sentence}`),
  ];
}

/** `+8.0`, `-4.0` */
export function weightText({ logOdds }: Pick<LedgerEntry, 'logOdds'>): string {
  return `${logOdds > 0 ? '+' : ''}${logOdds.toFixed(1)}`;
}
