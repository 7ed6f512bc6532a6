/** The ledger of a verdict: each observation with its weight, the strongest first, and what keeps it from being a leak. */
import { formatCertainty } from '../../src/base/say.ts';
import { visible } from '../../src/base/visible-text.ts';
import type { Ledger, LedgerEntry } from '../../src/judge/ledger/ledger.ts';

/** Weights from here on have the longest bar. */
const FULL_LOG_ODDS = 8;

interface LedgerListProps {
  /** Undefined for findings of older versions. */
  readonly ledger: Ledger | undefined;
  /** `live heap` */
  readonly of: string;
}

export function LedgerList({ ledger, of }: LedgerListProps) {
  if (ledger === undefined || ledger.entries.length === 0) return null;
  const { verdict, probability, entries, vetoes } = ledger;
  return (
    <div class="ledger">
      <p>
        <strong>{verdict}</strong>: <span class="mono">{formatCertainty(probability)}</span> sure that {visible(of)}{' '}
        leaks, by {entries.length === 1 ? 'one observation' : `${entries.length} observations`} of metrics and captures.
      </p>
      <ol>
        {entries.map((entry, i) => (
          <Entry key={i} entry={entry} />
        ))}
        {vetoes.map(({ sentence }) => (
          <li key={sentence}>
            <span class="ledger-weight">at most watch</span>
            <span>{visible(sentence)}</span>
          </li>
        ))}
      </ol>
    </div>
  );
}

function Entry({ entry }: { readonly entry: LedgerEntry }) {
  const { logOdds, strength, sentence, counted } = entry;
  const share = Math.min(1, Math.abs(logOdds) / FULL_LOG_ODDS);
  return (
    <li class={counted ? undefined : 'ledger-uncounted'}>
      <span class="ledger-weight">
        <span
          class={logOdds > 0 ? 'ledger-bar ledger-for' : 'ledger-bar ledger-against'}
          style={{ width: `${Math.round(40 * share)}px` }}
        />
        <span class="mono">{counted ? weightText(entry) : '–'}</span>
      </span>
      <span>
        {visible(sentence)} <span class="muted">{counted ? strength : 'shows the same as a stronger one'}</span>
      </span>
    </li>
  );
}

/** The ledger as lines. Findings that were stored by older versions have none. */
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
function weightText({ logOdds }: Pick<LedgerEntry, 'logOdds'>): string {
  return `${logOdds > 0 ? '+' : ''}${logOdds.toFixed(1)}`;
}
