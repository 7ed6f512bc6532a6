/** The known leaks, and which targets of this fleet match them. */
import { viewOfLeaks, type CatalogueView } from '../../knowledge/view.ts';
import type { WatchState } from '../state/watch-state.ts';

export function catalogueView({ ports, incidents }: WatchState): CatalogueView {
  const matching = new Map<string, Set<string>>();
  for (const { target, matches } of incidents.all()) {
    for (const match of matches) {
      const [ref = ''] = match.split(' ', 1);
      matching.set(ref, (matching.get(ref) ?? new Set()).add(target));
    }
  }
  return viewOfLeaks(ports.catalogue, ref => matching.get(ref));
}
