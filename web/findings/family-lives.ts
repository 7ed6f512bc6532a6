/**
 * One row per family, whatever the number of lives it grew in:
 *
 *     life 1  startPodSync  +36.7 MiB/h
 *     life 2  startPodSync  +24.8 MiB/h     ->   startPodSync  +24.8 MiB/h, in life 1 +36.7 MiB/h
 */
import type { Finding } from '../../src/judge/analysis.ts';

export interface FamilyLives {
  /** The finding of the latest life. */
  readonly latest: Finding;
  /** Those of earlier lives, the latest first. */
  readonly earlier: readonly Finding[];
  /** The known leaks that rows above have explained. */
  readonly explained: ReadonlySet<string>;
}

/** In the order of the findings. */
export function familyLives(findings: readonly Finding[]): FamilyLives[] {
  const groups = new Map<string, Finding[]>();
  for (const finding of findings) {
    const key = `${finding.resource} ${finding.family.id}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [finding]);
    else group.push(finding);
  }
  const explained = new Set<string>();
  return [...groups.values()].flatMap(group => {
    const [latest, ...earlier] = group.toSorted((a, b) => (b.life?.number ?? 0) - (a.life?.number ?? 0));
    if (latest === undefined) return [];
    const row = { latest: withMatches(latest, group), earlier, explained: new Set(explained) };
    for (const { ref } of row.latest.matches) explained.add(ref);
    return [row];
  });
}

/** The first finding of a known leak has all that is to say about it, in whichever life that is. */
function withMatches(latest: Finding, group: readonly Finding[]): Finding {
  const [first] = group;
  return first === undefined || first.matches.length === 0 ? latest : { ...latest, matches: first.matches };
}
