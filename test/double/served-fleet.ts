/** Answers queries over rows that a test has made up, with the index that a watch uses. */
import { FleetIndex, FleetItem } from '../../src/watch/views/fleet-index.ts';
import type { WatchService } from '../../src/watch/watch-service.ts';
import { type FleetQuery, type FleetRow, type FleetView, WHOLE_FLEET } from '../../src/watch/views/fleet.ts';

/** What a test has to make up about a fleet; the rest follows from the rows. */
export type MadeFleet = Pick<FleetView, 'schema' | 'at' | 'sentence' | 'counts' | 'bins' | 'rows'>;

const NAMED = 5;

export function servedFleet(made: MadeFleet): Pick<WatchService, 'fleet' | 'fleetRows'> {
  const index = FleetIndex.of(made.rows.map(row => new FleetItem(row, () => row.cause?.text ?? '')));
  const rowOf = new Map(made.rows.map(row => [row.target, row]));
  return {
    fleet: async (_hours, asked) => answer(made, await index, { ...WHOLE_FLEET, ...asked }, rowOf),
    fleetRows: names => names.flatMap(name => rowOf.get(name) ?? []),
  };
}

async function answer(
  made: MadeFleet,
  index: FleetIndex,
  query: FleetQuery,
  rowOf: ReadonlyMap<string, FleetRow>,
): Promise<FleetView> {
  const { schema, at, sentence, counts, bins } = made;
  const attributes = index.totals.attributes();
  const by = attributes.includes(query.by) ? query.by : attributes[0];
  const wanted = new Set(query.is.flatMap(([key, value]) => (key === by ? [value] : [])));
  const matching = (await index.matching(query)).flatMap(({ entry }) => rowOf.get(entry.target) ?? []);
  const place = matching.findIndex(({ target }) => target === query.find);
  const leaking = index.items
    .flatMap(({ entry }) => rowOf.get(entry.target) ?? [])
    .filter(({ verdict }) => verdict === 'leak')
    .slice(0, NAMED);
  return {
    schema,
    at,
    sentence,
    counts,
    leaking: leaking.map(({ target, reason }) => ({ target, reason })),
    attributes,
    cohorts: by === undefined ? null : await index.cohorts(by, wanted),
    bins,
    total: made.rows.length,
    matching: matching.length,
    offset: query.offset,
    rows: matching.slice(query.offset, query.offset + query.limit),
    found: place < 0 ? null : { index: place, row: matching[place] },
  };
}
