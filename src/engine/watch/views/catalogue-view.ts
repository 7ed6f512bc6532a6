/** What is known, and which targets of this fleet match it. */
import { rangeText } from '../../../catalogue/render.ts';
import { refUrl } from '../../../catalogue/refs.ts';
import { formatCount } from '../../../base/quantities.ts';
import type { CatalogueView } from '../../../model/watch.ts';
import type { WatchState } from '../watch-state.ts';

export function catalogueView({ world, incidents }: WatchState): CatalogueView {
  const matching = new Map<string, Set<string>>();
  for (const { target, matches } of incidents.all()) {
    for (const match of matches) {
      const ref = match.split(' ', 1)[0];
      matching.set(ref, (matching.get(ref) ?? new Set()).add(target));
    }
  }
  const leaks = world.catalogue.map(leak => ({
    id: leak.id,
    title: leak.title,
    component: leak.component,
    grade: leak.signatures.some(({ evidence }) => evidence === 'seen') ? 'seen' : 'from-fix',
    affected: leak.affected.map(rangeText).join('; '),
    fixedIn: leak.fixedIn,
    references: leak.refs.map(ref => refUrl(ref) ?? ref),
    summary: leak.trigger,
    targets: [...new Set(leak.refs.flatMap(ref => [...(matching.get(ref) ?? [])]))].sort(),
  }));
  const found = leaks.filter(({ targets }) => targets.length > 0).length;
  const match = found === 0 ? 'none matches' : found === 1 ? '1 matches' : `${formatCount(found)} match`;
  return {
    schema: 'oakum.catalogue/v1',
    sentence: `${formatCount(leaks.length)} known leaks, ${match} this fleet.`,
    leaks,
  };
}
