/** Which of the suspected values of one resource are to blame, and how the others relate to them. */
import type { CohortAlternative } from './cohort-model.ts';
import type { CohortSetting, JudgedCohort } from './judge-cohort.ts';
import { compareRivals } from './rivals.ts';

export interface Settled {
  /** False if another value explains it, or stands for it as its alias. */
  readonly isBlamed: boolean;
  readonly alternatives: readonly { readonly other: JudgedCohort; readonly relation: CohortAlternative['relation'] }[];
}

/** More suspects than this are compared with the strongest ones alone. */
const MOST_RIVALS = 40;

export function settleRivals(
  suspects: readonly JudgedCohort[],
  setting: CohortSetting,
): ReadonlyMap<JudgedCohort, Settled> {
  const ordered = [...suspects].sort(byRank);
  const strongest = ordered.slice(0, MOST_RIVALS);
  const alternatives = new Map(ordered.map(one => [one, [] as Settled['alternatives'][number][]]));
  const beaten = new Set<JudgedCohort>();
  const note = (one: JudgedCohort, other: JudgedCohort, relation: CohortAlternative['relation']): void =>
    void alternatives.get(one)?.push({ other, relation });
  strongest.forEach((a, i) => {
    for (const b of ordered.slice(i + 1)) {
      if (a.column === b.column) continue;
      const rivalry = compareRivals(a, b, setting);
      if (rivalry === 'apart') continue;
      if (rivalry === 'alias' || rivalry === 'together') {
        // The order decides which of the two stands for both.
        beaten.add(b);
        note(a, b, rivalry);
        note(b, a, rivalry);
        continue;
      }
      const [better, worse] = rivalry === 'first' ? [a, b] : [b, a];
      beaten.add(worse);
      note(better, worse, 'explains');
      note(worse, better, 'explained');
    }
  });
  return new Map(ordered.map(one => [one, { isBlamed: !beaten.has(one), alternatives: alternatives.get(one) ?? [] }]));
}

/**
 * What changed comes before what always was, versions before what depends on them, then the surer one. The hash of a
 * configuration comes last: it changes with every setting, and names none.
 */
function byRank(a: JudgedCohort, b: JudgedCohort): number {
  return (
    Number(hasChanged(b)) - Number(hasChanged(a)) ||
    Number(isVersion(b)) - Number(isVersion(a)) ||
    Number(isHash(a)) - Number(isHash(b)) ||
    a.chance - b.chance ||
    (a.cohort.attribute < b.cohort.attribute ? -1 : 1)
  );
}

function hasChanged({ cohort }: JudgedCohort): boolean {
  return cohort.sinceBins.some(since => since !== -Infinity);
}

function isVersion({ cohort }: JudgedCohort): boolean {
  return cohort.attribute === 'version';
}

function isHash({ cohort }: JudgedCohort): boolean {
  return cohort.attribute === 'config';
}
