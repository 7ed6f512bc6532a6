/** The list of incidents, answered as the server of a watch does. */
import type { IncidentsView, IncidentSummary } from '../../src/watch/watch-model.ts';
import { listedIncidents } from '../double/listed-incidents.ts';
import { NOW } from './made-fleet.ts';
import { incidentsParameters } from '../../src/watch/server/parameters.ts';

export function servedIncidents(
  all: readonly IncidentSummary[],
): (url: URL) => Promise<IncidentsView> | readonly IncidentSummary[] {
  return url => {
    const query = incidentsParameters(url);
    return query === undefined ? all : listedIncidents(all, NOW)(query);
  };
}
