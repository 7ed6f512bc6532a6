/** A family against the known leaks. */
import { visible } from '../base/visible-text.ts';

export type MatchGrade = 'confirmed' | 'probable' | 'possible';
export type VersionVerdict = 'affected' | 'fixed' | 'not-affected' | 'unknown';

/** Evidence that a family is a known leak. */
export interface Match {
  readonly id: string;
  readonly ref: string;
  readonly title: string;
  /** The function to blame; '' if the entry names none. */
  readonly culprit: string;
  readonly grade: MatchGrade;
  readonly affected: VersionVerdict;
  readonly fixedIn: readonly string[];
  readonly sideEffects: readonly string[];
  readonly workaround: string;
  readonly hazards: readonly string[];
  /** What a fixed version keeps at this stack: `none`, or a description; '' if unknown. */
  readonly fixedKeeps: string;
  /** The reasons, one sentence each: frames matched, version, preconditions met, unknown or not met. */
  readonly why: readonly string[];
}

/** What a match means for whoever runs this version; the terminal, reports and the web page say it in these words. */
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
