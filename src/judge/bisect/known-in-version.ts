/** Known leaks that the version of a culprit has, of the resource that grows. */
import { affectedBy } from '../../knowledge/version.ts';
import type { ConfirmedCause, KnownInVersion } from './bisection.ts';
import type { KnownLeak } from '../../knowledge/known-leak.ts';
import type { RecordedCohort } from '../detect/recorded-detection.ts';
import { type Resource, slugOf } from '../../evidence/resource.ts';
import type { OwnProof } from './own-proofs.ts';

export function knownInVersion(
  { attribute, value, resource }: RecordedCohort,
  catalogue: readonly KnownLeak[],
  component: string,
): KnownInVersion[] {
  return attribute === 'version' ? knownLeaksOf({ component, version: value }, resource, catalogue) : [];
}

/** An entry that names no first version says too little about this one. */
export function knownLeaksOf(
  { component, version }: { readonly component: string; readonly version: string },
  resource: Resource,
  catalogue: readonly KnownLeak[],
): KnownInVersion[] {
  return catalogue
    .filter(
      leak =>
        leak.component === component &&
        leak.resources.includes(slugOf(resource)) &&
        leak.affected.some(({ from }) => from !== '') &&
        affectedBy(leak, version).verdict === 'affected',
    )
    .map(({ id, refs, title, fixedIn }) => ({ id, ref: refs[0] ?? id, title, fixedIn }));
}

/** Which of them the captures of targets with that version show. */
export function confirmedCauses(
  { value, resource }: RecordedCohort,
  known: readonly KnownInVersion[],
  proofs: readonly OwnProof[],
  versionOf: (target: string) => string | undefined,
  all: readonly string[],
): ConfirmedCause[] {
  return known.flatMap(one => {
    const targets = proofs
      .filter(
        proof => proof.resource === resource && proof.knownIds.includes(one.id) && versionOf(proof.target) === value,
      )
      .map(({ target }) => target);
    if (targets.length === 0) return [];
    const notSeenOn = all.filter(target => versionOf(target) === value && !targets.includes(target));
    return [{ ...one, targets: [...new Set(targets)].sort(), notSeenOn: notSeenOn.sort() }];
  });
}
