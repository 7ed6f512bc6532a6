/** Checks the parameters of requests: nothing unknown, nothing twice, everything bounded. */
import * as v from 'valibot';
import { visible } from '../../base/visible-text.ts';
import type { ReportAudience } from '../../report/issue/issue-facts.ts';
import { type Resource, resourceOf, RESOURCES } from '../../evidence/resource.ts';
import { Refusal } from './refusal.ts';
import { FLEET_SORTS, type FleetQuery, MAX_FLEET_ROWS, WHOLE_FLEET } from '../views/fleet.ts';
import { type Verdict, VERDICTS } from '../../judge/verdict.ts';
import type { IncidentsQuery } from '../watch-model.ts';

const MAX_HOURS = 366 * 24;
/** The year 5138. */
const MAX_UNIX_SECONDS = 99_999_999_999;

function number(least: number, most: number, what: string): v.GenericSchema<string, number> {
  return v.pipe(
    v.string(),
    v.regex(/^\d{1,11}(?:\.\d{1,9})?$/, what),
    v.transform(Number),
    v.minValue(least, what),
    v.maxValue(most, what),
  );
}

function wholeNumber(most: number): v.GenericSchema<string, number> {
  const what = `must be a whole number from 0 to ${most}`;
  return v.pipe(number(0, most, what), v.integer(what));
}

const unixSeconds = v.optional(number(0, MAX_UNIX_SECONDS, 'must be Unix seconds'));

const AUDIENCES: readonly ReportAudience[] = ['upstream', 'provider', 'incident'];

const HOURS: v.OptionalSchema<v.GenericSchema<string, number>, '168'> = v.optional(
  number(1, MAX_HOURS, `must be a number from 1 to ${MAX_HOURS}`),
  '168',
);
const TARGET = v.strictObject({ from: unixSeconds, to: unixSeconds });
const REPORT = v.strictObject({
  for: v.optional(v.picklist(AUDIENCES, `must be one of ${AUDIENCES.join(', ')}`), 'upstream'),
});

const MAX_CHANGES = 20_000;
const COHORTS = v.strictObject({ changes: v.optional(wholeNumber(MAX_CHANGES), String(MAX_CHANGES)) });

export function cohortsParameters(url: URL): { readonly changes: number } {
  return parse(COHORTS, url);
}

const SLUGS = RESOURCES.map(({ slug }) => slug);
const ROLLOUT = v.strictObject({
  by: v.optional(
    v.pipe(v.string(), v.minLength(1, 'must be an attribute'), v.maxLength(200, 'must be an attribute')),
    'version',
  ),
  hours: HOURS,
  resource: v.optional(v.picklist(SLUGS, `must be one of ${SLUGS.join(', ')}`)),
});

interface RolloutParameters {
  readonly by: string;
  readonly hours: number;
  readonly resource: Resource | undefined;
}

export function rolloutParameters(url: URL): RolloutParameters {
  const { by, hours, resource } = parse(ROLLOUT, url);
  return { by, hours, resource: resource === undefined ? undefined : resourceOf(resource) };
}

interface TimeSpan {
  readonly from: number | undefined;
  readonly to: number | undefined;
}

export function targetParameters(url: URL): TimeSpan {
  const { from, to } = parse(TARGET, url);
  if (from !== undefined && to !== undefined && from >= to) {
    throw new Refusal(400, 'from must be before to.', 'Both are Unix seconds.');
  }
  return { from, to };
}

export function reportParameters(url: URL): { readonly for: ReportAudience } {
  return parse(REPORT, url);
}

const lineNumber = number(1, 10_000_000, 'must be the number of a line');
const LINES = v.strictObject({
  file: v.pipe(v.string(), v.maxLength(4096, 'must be a path')),
  from: lineNumber,
  to: lineNumber,
});

export function lineParameters(url: URL): { readonly file: string; readonly from: number; readonly to: number } {
  return parse(LINES, url);
}

export function noParameters(url: URL): void {
  parse(v.strictObject({}), url);
}

type Entries = Readonly<Record<string, v.GenericSchema>>;

/** Parameters that the schema has as a list may be repeated. */
function parse<T extends Entries>(
  schema: v.StrictObjectSchema<T, undefined>,
  url: URL,
): v.InferOutput<v.StrictObjectSchema<T, undefined>> {
  const known = Object.keys(schema.entries);
  const hint = known.length === 0 ? 'There are no parameters here.' : `Parameters here: ${known.join(', ')}.`;
  const lists = known.filter(name => schema.entries[name]?.type === 'array');
  const given: Record<string, string | string[]> = Object.fromEntries(lists.map(name => [name, []]));
  for (const [name, value] of url.searchParams) {
    if (!known.includes(name)) throw new Refusal(400, `There is no parameter ${quoted(name)}.`, hint);
    const before = given[name];
    if (Array.isArray(before)) before.push(value);
    else if (before !== undefined) throw new Refusal(400, `The parameter ${name} is given twice.`, hint);
    else given[name] = value;
  }
  const result = v.safeParse(schema, given);
  if (result.success) return result.output;
  const [issue] = result.issues;
  const [name = '', ...item] = (v.getDotPath(issue) ?? '').split('.');
  const refused = given[name] ?? '';
  // About a list as a whole, or about one of its items.
  if (Array.isArray(refused) && item.length === 0) throw new Refusal(400, `${name} ${issue.message}.`, hint);
  const value = Array.isArray(refused) ? refused[Number(item[0])] : refused;
  throw new Refusal(400, `${name} ${issue.message}, not ${quoted(value ?? '')}.`, hint);
}

const MAX_NAME = 512;

/** A target or an id from a path, decoded. */
export function nameFromPath(encoded: string, what: string): string {
  let name: string;
  try {
    name = decodeURIComponent(encoded);
  } catch {
    throw new Refusal(400, `The ${what} is not properly percent-encoded.`, 'Encode it as encodeURIComponent does.');
  }
  if (name !== '' && name.length <= MAX_NAME && !/\p{Cc}/u.test(name)) return name;
  throw new Refusal(400, `The ${what} must have 1 to ${MAX_NAME} characters, and no control characters.`);
}

export function sha256FromPath(encoded: string): string {
  const hash = encoded.toLowerCase();
  if (/^[0-9a-f]{64}$/.test(hash)) return hash;
  throw new Refusal(400, 'Files are addressed by their SHA-256.', 'That is 64 hexadecimal digits; captures list them.');
}

/** A client's text, safe to use in a message. */
export function quoted(text: string): string {
  return `"${visible(text.length > 80 ? `${text.slice(0, 80)}...` : text)}"`;
}

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
const MAX_TEXT = 200;
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

interface FleetParameters {
  readonly hours: number;
  readonly query: FleetQuery;
}

export function fleetParameters(url: URL): FleetParameters {
  const { hours, verdict = [], ...query } = parse(FLEET, url);
  return { hours, query: { ...query, verdicts: verdict } };
}

/** The most incidents of one answer. */
export const MAX_INCIDENTS = 5000;
const STATES: readonly IncidentsQuery['state'][] = ['open', 'closed', 'any'];

const INCIDENTS = v.strictObject({
  offset: v.optional(wholeNumber(MAX_OFFSET), '0'),
  limit: v.optional(wholeNumber(MAX_INCIDENTS), String(MAX_INCIDENTS)),
  state: v.optional(v.picklist(STATES, `must be one of ${STATES.join(', ')}`), 'any'),
  folded: v.optional(v.picklist(['yes', 'no'], 'must be yes or no'), 'yes'),
});

/** Which incidents a request asks for; undefined if it asks for the whole list. */
/** Which incidents a request asks for; undefined if it asks for the whole list. */
export function incidentsParameters(url: URL): IncidentsQuery | undefined {
  const { folded, ...query } = parse(INCIDENTS, url);
  return url.search.length <= 1 ? undefined : { ...query, withFolded: folded === 'yes' };
}
