/** The detector's verdict on a target, weighed together with what the captures of its life show. */
import { currentLedgers, weighTogether } from '../../../diagnosis/ledger/together.ts';
import type { ResourceLedger } from '../../../model/analysis.ts';
import type { ResourceVerdict, TargetVerdict } from '../../../model/detection.ts';
import { slugOf } from '../../../model/resource.ts';
import { compareVerdicts, mayLeak, worseOf } from '../../../model/verdict.ts';

export function weighTarget(detected: TargetVerdict, ofCaptures: readonly ResourceLedger[]): TargetVerdict {
  if (ofCaptures.length === 0) return detected;
  const ledgers = weighTogether(detected.target, currentLedgers(ofCaptures), detected.resources);
  const resources = detected.resources
    .map(one => weighResource(one, ledgers))
    .sort((a, b) => compareVerdicts(a.verdict, b.verdict));
  return { ...detected, verdict: resources.map(({ verdict }) => verdict).reduce(worseOf, detected.verdict), resources };
}

/** Captures may prove what the metrics only suspect. They never clear it: a family may hide below their sampling. */
function weighResource(one: ResourceVerdict, ledgers: readonly ResourceLedger[]): ResourceVerdict {
  const ledger = ledgers.find(({ resource }) => resource === slugOf(one.resource));
  if (ledger === undefined || !mayLeak(ledger.verdict) || compareVerdicts(ledger.verdict, one.verdict) >= 0) return one;
  const proof = ledger.entries.find(({ logOdds, kind }) => logOdds > 0 && kind !== 'metric-trend')?.sentence;
  const reasons = proof === undefined ? one.reasons : [`captures: ${proof}`, ...one.reasons];
  return { ...one, verdict: ledger.verdict, reasons };
}
