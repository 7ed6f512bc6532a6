/** What the verdict on a cohort adds to the ledgers of its targets. */
import type { CohortVerdict } from '../cohorts/cohort-model.ts';
import { type Evidence, type Ledger, weigh } from './ledger.ts';
import type { Resource } from '../../evidence/resource.ts';
import { type Claim, WEIGHTS } from './weights.ts';

/** The evidence about one resource of a target that has these attributes. */
export function cohortEvidence(
  target: string,
  resource: Resource,
  attributes: Readonly<Record<string, string>>,
  cohorts: readonly CohortVerdict[],
): Evidence[] {
  return cohorts
    .filter(one => one.resource === resource && attributes[one.attribute] === one.value)
    .flatMap(one => {
      const logOdds = weightOf(target, one);
      if (logOdds === 0) return [];
      // What others that share the value prove, one that grows with them has: no bound either.
      const claims: readonly Claim[] = logOdds === WEIGHTS.cohortLeaks ? ['stays', 'unbounded'] : ['stays'];
      // All cohorts of a target show its own growth.
      return [
        { kind: 'cohort' as const, claims, logOdds, shows: `cohort growth of ${resource}`, sentence: one.sentence },
      ];
    });
}

function weightOf(target: string, { verdict, leaking, against }: CohortVerdict): number {
  if (verdict !== 'leak' && verdict !== 'watch') return 0;
  if (leaking.includes(target)) return verdict === 'leak' ? WEIGHTS.cohortLeaks : WEIGHTS.cohortGrows;
  if (against.some(one => one.target === target)) return WEIGHTS.cohortLacks;
  // It has the value but was not observed for long enough.
  return verdict === 'leak' ? WEIGHTS.cohortGrows : 0;
}

/** A ledger with what the cohorts of the target say. */
export function weighCohorts(ledger: Ledger, evidence: readonly Evidence[]): Ledger {
  return evidence.length === 0 ? ledger : weigh([...ledger.entries, ...evidence], ledger.vetoes);
}
