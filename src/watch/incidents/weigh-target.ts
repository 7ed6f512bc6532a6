/** The detector's verdict on a target, weighed together with what the captures of its life show. */
import { currentLedgers, weighTogether } from '../../judge/ledger/together.ts';
import type { ResourceLedger } from '../../judge/analysis.ts';
import type { ResourceVerdict, TargetVerdict } from '../../judge/detect/detection.ts';
import type { Evidence } from '../../judge/ledger/ledger.ts';
import { weighCohorts } from '../../judge/ledger/cohort.ts';
import { type Resource, resourceOf, slugOf } from '../../evidence/resource.ts';
import { compareVerdicts, mayLeak, worseOf } from '../../judge/verdict.ts';

export function weighTarget(
  detected: TargetVerdict,
  ofCaptures: readonly ResourceLedger[],
  ofCohorts: (resource: Resource) => readonly Evidence[],
): TargetVerdict {
  if (ofCaptures.length === 0 && detected.resources.every(({ resource }) => ofCohorts(resource).length === 0))
    return detected;
  const together = weighTogether(detected.target, currentLedgers(ofCaptures), detected.resources);
  const ledgers = together.map(ledger => ({
    ...ledger,
    ...weighCohorts(ledger, ofCohorts(resourceOf(ledger.resource))),
  }));
  const resources = detected.resources
    .map(one => weighResource(one, ledgers))
    .sort((a, b) => compareVerdicts(a.verdict, b.verdict));
  return { ...detected, verdict: resources.map(({ verdict }) => verdict).reduce(worseOf, detected.verdict), resources };
}

/**
 * Captures and cohorts may prove what the metrics of the target only suspect. They never clear it: a family may hide
 * below the sampling of a profile.
 */
function weighResource(one: ResourceVerdict, ledgers: readonly ResourceLedger[]): ResourceVerdict {
  const ledger = ledgers.find(({ resource }) => resource === slugOf(one.resource));
  if (ledger === undefined || !mayLeak(ledger.verdict) || compareVerdicts(ledger.verdict, one.verdict) >= 0) return one;
  const proof = ledger.entries.find(({ logOdds, kind }) => logOdds > 0 && kind !== 'metric-trend');
  const said = proof?.kind === 'cohort' ? proof.sentence : `captures: ${proof?.sentence ?? ''}`;
  const reasons = proof === undefined ? one.reasons : [said, ...one.reasons];
  return { ...one, verdict: ledger.verdict, reasons };
}
