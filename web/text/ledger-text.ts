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

/** `99.3 %`; never 0 or 100. */
export function certaintyText({ probability }: Ledger): string {
  return `${Math.min(99.9, Math.max(0.1, probability * 100)).toFixed(1)} %`;
}
