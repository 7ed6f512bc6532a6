/** What captures show and what the history of the metrics shows, resource by resource, in one ledger each. */
import type { ResourceLedger } from '../analysis.ts';
import { slugOf } from '../../evidence/resource.ts';
import { type Detected, weighDetected, weighWith } from './detected.ts';

export function weighTogether(
  target: string,
  ofCaptures: readonly ResourceLedger[],
  ofHistory: readonly Detected[],
): ResourceLedger[] {
  const together = ofCaptures.map(ledger => {
    const one = ofHistory.find(({ resource }) => slugOf(resource) === ledger.resource);
    return one === undefined ? ledger : { ...ledger, ...weighWith(ledger, one) };
  });
  const alone = ofHistory
    .filter(({ resource }) => ofCaptures.every(ledger => ledger.resource !== slugOf(resource)))
    .map(one => ({ target, resource: slugOf(one.resource), ...weighDetected(one) }));
  return [...together, ...alone];
}

/** The last one for each resource: that of the current process. */
export function currentLedgers(ledgers: readonly ResourceLedger[]): ResourceLedger[] {
  return [...new Map(ledgers.map(ledger => [ledger.resource, ledger])).values()];
}
