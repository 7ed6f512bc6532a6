/** The evidence behind a verdict as lines, the strongest first. */
import type { Ledger } from '../../src/model/ledger.ts';

export function ledgerReasons({ entries, vetoes }: Ledger): string[] {
  return [
    ...entries
      .filter(({ counted }) => counted)
      .map(
        ({ logOdds, strength, sentence }) => `${logOdds > 0 ? '+' : ''}${logOdds.toFixed(1)} (${strength}) ${sentence}`,
      ),
    ...vetoes.map(({ sentence }) => `at most watch: ${sentence}`),
  ];
}
