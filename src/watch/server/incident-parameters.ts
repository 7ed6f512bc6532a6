/** Which incidents a request asks for; undefined if it asks for the whole list. */
import * as v from 'valibot';
import type { IncidentsQuery } from '../watch-model.ts';
import { parse, wholeNumber } from './parameters.ts';

/** The most incidents of one answer. */
export const MAX_INCIDENTS = 5000;
const MAX_OFFSET = 10_000_000;
const STATES: readonly IncidentsQuery['state'][] = ['open', 'closed', 'any'];

const INCIDENTS = v.strictObject({
  offset: v.optional(wholeNumber(MAX_OFFSET), '0'),
  limit: v.optional(wholeNumber(MAX_INCIDENTS), String(MAX_INCIDENTS)),
  state: v.optional(v.picklist(STATES, `must be one of ${STATES.join(', ')}`), 'any'),
  folded: v.optional(v.picklist(['yes', 'no'], 'must be yes or no'), 'yes'),
});

export function incidentsParameters(url: URL): IncidentsQuery | undefined {
  const { folded, ...query } = parse(INCIDENTS, url);
  return url.search.length <= 1 ? undefined : { ...query, withFolded: folded === 'yes' };
}
