/** A family against the known leaks. */

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
