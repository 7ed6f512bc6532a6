/**
 * The evidence behind a verdict, the strongest first.
 *
 *     99.3 % sure
 *     +8.0  proof     goroutines 105 -> 1,011 over 4 snapshots, never fell
 *     -4.0  strong    live heap flat at 41 MiB over 6d
 *       =   (shows the same) goroutines +1,800/h over 34m, steady
 *     veto  more pods explain it
 */
import { formatCertainty } from '../base/quantities.ts';
import { visible } from '../base/visible-text.ts';
import type { Ledger, LedgerEntry } from '../judge/ledger/ledger.ts';

export function ledgerLines({ probability, entries, vetoes }: Ledger): string[] {
  if (entries.length === 0 && vetoes.length === 0) return [];
  return [
    `${formatCertainty(probability)} sure that it leaks`,
    ...entries.map(entryLine),
    ...vetoes.map(({ sentence }) => `veto  ${visible(sentence)}`),
  ];
}

function entryLine({ logOdds, strength, counted, sentence }: LedgerEntry): string {
  if (!counted) return `  =   (shows the same) ${visible(sentence)}`;
  const sign = logOdds < 0 ? '-' : '+';
  return `${sign}${Math.abs(logOdds).toFixed(1)}  ${strength.padEnd(9)} ${visible(sentence)}`;
}
