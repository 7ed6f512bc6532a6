/** Answers with windows of incidents that a test has made up, in the order of a watch. */
import type { IncidentsQuery, IncidentsView, IncidentSummary } from '../../src/watch/watch-model.ts';

export function listedIncidents(all: readonly IncidentSummary[], at: number) {
  return async ({ offset, limit, state, withFolded }: IncidentsQuery): Promise<IncidentsView> => {
    const alone = all.filter(({ partOf }) => partOf === null);
    const matching = (withFolded ? all : alone)
      .filter(({ closedAt }) => state === 'any' || (closedAt === null) === (state === 'open'))
      .toSorted(
        (a, b) =>
          Number(a.closedAt !== null) - Number(b.closedAt !== null) ||
          Number(a.cohort === null) - Number(b.cohort === null) ||
          b.openedAt - a.openedAt,
      );
    return {
      schema: 'oakum.incidents/v1',
      at,
      total: alone.length,
      open: alone.filter(({ closedAt }) => closedAt === null).length,
      folded: all.length - alone.length,
      matching: matching.length,
      offset,
      incidents: matching.slice(offset, offset + limit),
    };
  };
}
