/** The ledger of the resource that is surest to leak. */
import { resourceOf } from '../../../src/evidence/resource.ts';
import type { TargetView } from '../../../src/watch/watch-model.ts';
import { mayLeak } from '../../../src/judge/verdict.ts';
import { LedgerList } from '../../widgets/ledger.tsx';

export function TargetEvidence({ view }: { readonly view: TargetView }) {
  const ledger = view.ledgers.find(({ verdict }) => mayLeak(verdict));
  if (ledger === undefined) return null;
  return (
    <section aria-labelledby="evidence-title">
      <h2 id="evidence-title">Evidence</h2>
      <LedgerList ledger={ledger} of={resourceOf(ledger.resource)} />
    </section>
  );
}
