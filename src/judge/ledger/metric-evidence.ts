/** What the history of a metric adds to a ledger: the detector finds a rise, the ledger decides what it is worth. */
import type { Explanation } from '../detect/detection.ts';
import { type Evidence, type Ledger, type Veto, weigh } from './ledger.ts';
import { type Resource, slugOf } from '../../evidence/resource.ts';
import { compareVerdicts, mayLeak, type Verdict } from '../verdict.ts';
import { type Claim, WEIGHTS } from './weights.ts';
import type { ResourceLedger } from '../analysis.ts';

/** What the detector says about one resource, live or as recorded. */
export interface Detected {
  readonly resource: Resource;
  readonly verdict: Verdict;
  readonly explanation?: Explanation | null | undefined;
  readonly reasons: readonly string[];
}

/** What explains a rise without a leak of the process. */
const VETOES: ReadonlySet<Explanation> = new Set<Explanation>([
  'density',
  'churn',
  'went away',
  'workload',
  'not returned',
  'fragmentation',
  'profiler buckets',
  'hung peer',
  'restart storm',
]);

/** From the history alone. */
export function weighDetected(detected: Detected): Ledger {
  return weigh(evidenceOf(detected, false), vetoesOf(detected));
}

/** With what captures show about the same resource, whose entries and vetoes stay. */
export function weighWith(ledger: Ledger, detected: Detected): Ledger {
  const evidence = evidenceOf(detected, mayLeak(ledger.verdict));
  // What explains the rise of a metric takes nothing from what captures prove by themselves.
  const vetoes = ledger.verdict === 'leak' ? [] : vetoesOf(detected);
  // Nor do profiles of one collection take anything from what the metric proves.
  const kept = ledger.vetoes.filter(({ kind }) => kind !== 'same-collection' || detected.verdict !== 'leak');
  // Minutes without growth say nothing against a rise over hours or days.
  const entries = mayLeak(detected.verdict) ? ledger.entries.filter(({ logOdds }) => logOdds > 0) : ledger.entries;
  return weigh([...entries, ...evidence], [...kept, ...vetoes]);
}

/** A history that is flat speaks against a leak, but not against one that a capture shows to have begun since. */
function evidenceOf({ resource, verdict, explanation, reasons }: Detected, riseIsSeen: boolean): Evidence[] {
  const logOdds = {
    leak: WEIGHTS.trendProved,
    watch: WEIGHTS.trendRising,
    healthy: riseIsSeen ? 0 : WEIGHTS.trendFlat,
    unknown: explanation === 'unproved' ? WEIGHTS.trendHinted : 0,
  }[verdict];
  const [sentence] = reasons;
  if (sentence === undefined || (verdict === 'unknown' && logOdds === 0)) return [];
  const kind = explanation === 'density' ? 'density' : 'metric-trend';
  const claims: readonly Claim[] = verdict === 'leak' ? ['stays', 'unbounded'] : ['stays'];
  return [{ kind, claims, logOdds, shows: `trend of ${resource}`, sentence }];
}

function vetoesOf({ verdict, explanation, reasons: [sentence] }: Detected): Veto[] {
  if (verdict !== 'watch' || explanation == null || !VETOES.has(explanation) || sentence === undefined) return [];
  return [{ kind: explanation === 'density' || explanation === 'churn' ? 'density' : 'explained', sentence }];
}

/**
 * Captures and cohorts may prove what the metrics of a target only suspect. They never clear it: a family may hide
 * below the sampling of a profile.
 */
export function raiseVerdict<One extends Pick<Detected, 'verdict' | 'reasons'>>(one: One, ledger: Ledger): One {
  const proof = ledger.entries.find(
    ({ logOdds, kind }) => logOdds > 0 && kind !== 'metric-trend' && kind !== 'density',
  );
  if (proof === undefined || !mayLeak(ledger.verdict) || compareVerdicts(ledger.verdict, one.verdict) >= 0) return one;
  const sentence = proof.kind === 'cohort' ? proof.sentence : `captures: ${proof.sentence}`;
  return { ...one, verdict: ledger.verdict, reasons: [sentence, ...one.reasons] };
}

/** What captures show and what the history of the metrics shows, resource by resource, in one ledger each. */
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
