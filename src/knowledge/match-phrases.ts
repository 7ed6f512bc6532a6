/** What a match means for whoever runs this version; the terminal, reports and the web page say it in these words. */
import { visible } from '../base/visible-text.ts';
import type { Match, VersionVerdict } from './known-leak-match.ts';

const VERSIONS: Readonly<Record<VersionVerdict, string>> = {
  affected: 'this version is affected',
  fixed: 'this version has the fix',
  'not-affected': 'this version is not affected',
  unknown: 'version not known',
};

export function fixedInText({ fixedIn }: Pick<Match, 'fixedIn'>): string {
  return visible(fixedIn.length === 0 ? 'no release has a fix' : `fixed in ${fixedIn.join(', ')}`);
}

/** `this version is affected; fixed in 1.36.3, 1.37.0`, and each side effect of the fix. All of it is visible text. */
export function matchConsequences(match: Match): string[] {
  return [
    `${VERSIONS[match.affected]}; ${fixedInText(match)}`,
    ...match.sideEffects.map(effect => visible(`side effect of the fix: ${effect}`)),
  ];
}
