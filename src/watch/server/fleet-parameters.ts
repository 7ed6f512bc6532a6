/**
 * Which rows of the fleet a request asks for:
 *
 *     ?search=worker batch      every word occurs in the name, an attribute, the resource, the cause or the verdict
 *     &verdict=leak,watch       one of these
 *     &is=pool:batch            this attribute; may be repeated
 *     &by=pool                  the attribute whose values are counted
 *     &sort=slope               instead of worst first
 *     &offset=200&limit=100     a window of the rows
 *     &find=node/worker-17      also this target, and its place
 */
import * as v from 'valibot';
import { FLEET_SORTS, type FleetQuery, MAX_FLEET_ROWS, WHOLE_FLEET } from '../fleet/fleet.ts';
import { type Verdict, VERDICTS } from '../../judge/verdict.ts';
import { HOURS, parse, wholeNumber } from './parameters.ts';

const MAX_TEXT = 200;
const MAX_NAME = 512;
const MAX_FILTERS = 16;
const MAX_OFFSET = 10_000_000;

const text = (most: number) =>
  v.optional(v.pipe(v.string(), v.maxLength(most, `must have at most ${most} characters`)), '');

const VERDICT_LIST = `must be some of ${VERDICTS.join(', ')}, with commas`;
const verdicts = v.pipe(
  v.string(),
  v.check(given => given.split(',').every(one => VERDICTS.some(known => known === one)), VERDICT_LIST),
  v.transform(given => given.split(',') as Verdict[]),
);

/** An attribute may be empty; its name may not, and has no colon. */
const attribute = v.pipe(
  v.string(),
  v.regex(/^[^:]+:/, 'must be ATTRIBUTE:VALUE'),
  v.maxLength(MAX_NAME, `must have at most ${MAX_NAME} characters`),
  v.transform((pair): readonly [string, string] => {
    const colon = pair.indexOf(':');
    return [pair.slice(0, colon), pair.slice(colon + 1)];
  }),
);

const FLEET = v.strictObject({
  hours: HOURS,
  offset: v.optional(wholeNumber(MAX_OFFSET), '0'),
  limit: v.optional(wholeNumber(MAX_FLEET_ROWS), String(WHOLE_FLEET.limit)),
  search: text(MAX_TEXT),
  verdict: v.optional(verdicts),
  is: v.pipe(v.array(attribute), v.maxLength(MAX_FILTERS, `may be given at most ${MAX_FILTERS} times`)),
  by: text(MAX_NAME),
  sort: v.optional(v.picklist(FLEET_SORTS, `must be one of ${FLEET_SORTS.join(', ')}`), WHOLE_FLEET.sort),
  find: text(MAX_NAME),
});

export interface FleetParameters {
  readonly hours: number;
  readonly query: FleetQuery;
}

export function fleetParameters(url: URL): FleetParameters {
  const { hours, verdict = [], ...query } = parse(FLEET, url);
  return { hours, query: { ...query, verdicts: verdict } };
}
