/**
 * Verdicts and how they combine.
 *
 *     several targets, processes, times     worst        healthy, unknown -> unknown    all must be healthy
 *     several views of one target           worstKnown   healthy, unknown -> healthy    a view that saw too little adds nothing
 */
export type Verdict = 'leak' | 'watch' | 'unknown' | 'healthy';

/** Worst first: the order of every list and legend. Unknown may be bad, so it comes before healthy. */
export const VERDICTS: readonly Verdict[] = ['leak', 'watch', 'unknown', 'healthy'];

/** For sorting, worst first. */
export function compareVerdicts(a: Verdict, b: Verdict): number {
  return VERDICTS.indexOf(a) - VERDICTS.indexOf(b);
}

export function worseOf(a: Verdict, b: Verdict): Verdict {
  return compareVerdicts(a, b) <= 0 ? a : b;
}

/** The verdict on a set: healthy only if all members are. An empty set is unknown. */
export function worst(verdicts: Iterable<Verdict>): Verdict {
  let found: Verdict | undefined;
  for (const verdict of verdicts) found = found === undefined ? verdict : worseOf(found, verdict);
  return found ?? 'unknown';
}

/** The verdict on one target from several views of it (resources or sources): the worst that any view found. */
export function worstKnown(verdicts: Iterable<Verdict>): Verdict {
  return worst([...verdicts].filter(verdict => verdict !== 'unknown'));
}

/** Whether it is worth a person's time. */
export function mayLeak(verdict: Verdict): verdict is 'leak' | 'watch' {
  return isAtLeast(verdict, 'watch');
}

export function isAtLeast(verdict: Verdict, least: Verdict): boolean {
  return compareVerdicts(verdict, least) <= 0;
}
