/** Goroutines of a leaking family, by id: those that came during the run and did not go away without operations. */
import type { FamilyTable } from '../profile/families/family.ts';
import type { GateFamily, GateSurvivors } from './gate.ts';

export interface GoroutineLists {
  /** Before the first round. */
  readonly before: FamilyTable | undefined;
  /** After the last operations. */
  readonly after: FamilyTable | undefined;
  /** After the idle rounds. */
  readonly end: FamilyTable | undefined;
}

const MOST_IDS = 10;

export function withSurvivors(families: readonly GateFamily[], lists: GoroutineLists): GateFamily[] {
  return families.map(one => (one.resource === 'heap' ? one : { ...one, survivors: survivorsOf(one.family, lists) }));
}

function survivorsOf(family: string, { before, after, end }: GoroutineLists): GateSurvivors | null {
  const listed = end?.counts.find(one => one.family.id === family)?.waits;
  if (before === undefined || after === undefined || listed === undefined || listed.isCut) return null;
  const old = idsOf(before, family);
  const grown = idsOf(after, family);
  const ids: number[] = [];
  let oldestMinutes = 0;
  listed.id.forEach((id, i) => {
    if (old.has(id) || !grown.has(id)) return;
    ids.push(id);
    oldestMinutes = Math.max(oldestMinutes, listed.minutes[i] ?? 0);
  });
  if (ids.length === 0) return null;
  ids.sort((a, b) => a - b);
  return {
    count: ids.length,
    ids: ids.slice(0, MOST_IDS),
    oldestMinutes: oldestMinutes === 0 ? null : oldestMinutes,
  };
}

function idsOf({ counts }: FamilyTable, family: string): Set<number> {
  return new Set(counts.find(one => one.family.id === family)?.waits?.id ?? []);
}
