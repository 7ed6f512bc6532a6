/** Leaks that the captures of a target prove by themselves: evidence apart from the growth that cohorts compare. */
import type { Analysis } from '../analysis.ts';
import { type Resource, resourceOf } from '../../evidence/resource.ts';

export interface OwnProof {
  readonly target: string;
  readonly resource: Resource;
  /** Known leaks that its stacks are, as far as stacks can tell. */
  readonly knownIds: readonly string[];
}

export function ownProofs({ findings }: Analysis): OwnProof[] {
  return findings
    .filter(({ verdict }) => verdict === 'leak')
    .map(({ target, resource, matches }) => ({
      target,
      resource: resourceOf(resource),
      knownIds: matches
        .filter(({ grade, affected }) => grade !== 'possible' && affected !== 'fixed' && affected !== 'not-affected')
        .map(({ id }) => id),
    }));
}

/** Whether a target is proved to leak by itself, for a comparison of cohorts. */
export function isProvedBy(proofs: readonly OwnProof[]): (target: string, resource: Resource) => boolean {
  const proved = new Set(proofs.map(({ target, resource }) => `${target}\0${resource}`));
  return (target, resource) => proved.has(`${target}\0${resource}`);
}
