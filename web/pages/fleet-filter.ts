/**
 * Which rows of the fleet the address asks for, and in which order; the server finds them.
 *
 *     ?q=worker batch      every word occurs in the name, an attribute, the resource, the cause or the verdict
 *     &v=leak,watch        one of these verdicts
 *     &is=pool:batch       this attribute; may be repeated
 *     &by=pool             the attribute whose cohorts are compared
 *     &sort=slope          instead of worst first
 */
import { FLEET_SORTS, type FleetQuery } from '../../src/watch/views/fleet.ts';
import { VERDICTS } from '../../src/judge/verdict.ts';

export type FleetFilter = Omit<FleetQuery, 'offset' | 'limit' | 'find'>;

/** What the server takes. */
const MAX_SEARCH_LENGTH = 200;
const MAX_ATTRIBUTES = 16;

/** Addresses are written by people, too: what the server would refuse is left out. */
export function readFilter(query: URLSearchParams): FleetFilter {
  const verdicts = (query.get('v') ?? '').split(',');
  return {
    search: (query.get('q') ?? '').trim().slice(0, MAX_SEARCH_LENGTH),
    verdicts: VERDICTS.filter(verdict => verdicts.includes(verdict)),
    is: query
      .getAll('is')
      .map((pair): readonly [string, string] => {
        const colon = pair.indexOf(':');
        return colon < 0 ? [pair, ''] : [pair.slice(0, colon), pair.slice(colon + 1)];
      })
      .filter(([key]) => key !== '')
      .slice(0, MAX_ATTRIBUTES),
    by: query.get('by') ?? '',
    sort: FLEET_SORTS.find(sort => sort === query.get('sort')) ?? 'worst',
  };
}

/** The part of the request that decides which rows there are, and where. */
export function rowsQuery({ search, verdicts, is, sort }: FleetFilter): string {
  const query = new URLSearchParams();
  if (search !== '') query.set('search', search);
  if (verdicts.length > 0) query.set('verdict', verdicts.join(','));
  for (const [key, value] of is) query.append('is', `${key}:${value}`);
  if (sort !== 'worst') query.set('sort', sort);
  return query.toString();
}
