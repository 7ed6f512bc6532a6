/** Ages for a finding: at most as many bins as a line or a small chart can show. */
import type { Ages } from './ages.ts';
import type { FindingAges } from '../analysis.ts';
import type { FamilyTable } from '../../profile/families/family.ts';
import { agesOf } from './ages-of.ts';
import { dumpClock } from './dump-clock.ts';

const MAX_BINS = 60;

export function findingAges({ shape, perHour, sinceMinutes, binMinutes, bins }: Ages): FindingAges {
  const each = Math.ceil(bins.length / MAX_BINS);
  const wider = Array.from({ length: Math.ceil(bins.length / each) }, (_, i) =>
    bins.slice(i * each, (i + 1) * each).reduce((sum, one) => sum + one, 0),
  );
  return {
    shape,
    perHour: perHour?.map(Math.round) ?? null,
    sinceMinutes: sinceMinutes === undefined ? null : Math.round(sinceMinutes),
    binMinutes: binMinutes * each,
    bins: wider,
  };
}

/** By family id, without goroutines that the runtime found leaked, for which it prints no minutes. */
export function agesByFamily(table: FamilyTable): Map<string, FindingAges> {
  const clock = dumpClock(table);
  const found = new Map<string, FindingAges>();
  for (const { family, waits, leaked } of table.counts) {
    const ages = waits === undefined || leaked > 0 ? undefined : agesOf(waits, clock)?.ages;
    if (ages !== undefined) found.set(family.id, findingAges(ages));
  }
  return found;
}
