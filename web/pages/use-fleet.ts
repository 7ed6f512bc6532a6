/**
 * The part of the fleet that the page shows. The server filters, sorts and counts; an answer has the rows around those on
 * the screen, all of one moment. Scrolling asks for other rows, an event for the same ones again.
 */
import { useEffect, useRef } from 'preact/hooks';
import { type FleetView, FLEET_SORTS, type FleetQuery } from '../../src/watch/views/fleet.ts';
import { type ApiData, useApi } from '../state/use-api.ts';
import { VERDICTS } from '../../src/judge/verdict.ts';

/** Half a screen and more beyond each edge of it. */
const MIN_AHEAD = 60;

/** The next span is requested when this share of the rows beyond an edge is left. */
const RESERVE = 0.5;

const STEP = 20;

const MAX_LIMIT = 2000;

/** Rows for any screen, before its height is known. */
export const FIRST_SPAN: RowSpan = { offset: 0, limit: 200 };

export interface Fleet extends ApiData<FleetView> {
  /** Which rows the data is about: another filter or order has another text. */
  readonly rows: string;
  /** Whether the data leaves rows out. */
  readonly isFiltered: boolean;
  /** Whether the data is of an earlier filter or time range. */
  readonly isOld: boolean;
  /** The target whose place the data has, if it matches; '' for none. */
  readonly followed: string;
  /** Rows `first` to `last`, which is exclusive, are on the screen. */
  readonly show: (first: number, last: number) => void;
  /** From the next answer on, where this target is. */
  readonly follow: (target: string) => void;
}

/** The shortest time between two requests while the user scrolls. */
const SCROLL_PAUSE_MS = 80;

interface Wanted {
  /** Of which filter and order. */
  readonly rows: string;
  readonly span: RowSpan;
  /** On the screen. */
  readonly first: number;
  readonly last: number;
  readonly target: string;
}

export function useFleet(hours: number, filter: FleetFilter, target: string): Fleet {
  const rows = rowsQuery(filter);
  const key = keyOf(hours, filter.by, rows);
  const wanted = useRef<Wanted>({ rows, span: FIRST_SPAN, first: 0, last: 0, target });
  const sent = useRef({ span: FIRST_SPAN, atMs: -Infinity });
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  // Other rows are looked at from the first on.
  if (wanted.current.rows !== rows) wanted.current = { ...wanted.current, rows, span: FIRST_SPAN };
  const api = useApi<FleetView>(
    key,
    () => {
      const { span, target: followed } = wanted.current;
      sent.current = { span, atMs: performance.now() };
      return pathOf(key, span, followed);
    },
    event => event.kind === 'fleet',
  );
  const { data, path } = api;
  const isOld = path?.endsWith(`&${key}`) !== true;
  const latest = useRef({ api, key });
  latest.current = { api, key };
  useEffect(() => () => clearTimeout(timer.current), []);

  const show = (first: number, last: number): void => {
    if (data === undefined || isOld) return;
    const { span } = wanted.current;
    const next = nextSpan(span, first, Math.min(last, data.matching), data.matching);
    wanted.current = { ...wanted.current, span: next, first, last };
    if (next === span || timer.current !== undefined) return;
    const request = (): void => {
      timer.current = undefined;
      // The filter may have changed meanwhile: then the answer to it is on its way.
      if (latest.current.key !== key) return;
      const isNeeded = overlaps(sent.current.span, wanted.current.first, wanted.current.last);
      if (isNeeded) latest.current.api.refresh();
      else latest.current.api.supersede();
    };
    timer.current = setTimeout(request, Math.max(0, sent.current.atMs + SCROLL_PAUSE_MS - performance.now()));
  };
  const asked = new URLSearchParams(path?.slice(path.indexOf('?')));
  return {
    ...api,
    rows: rowsAsked(asked),
    isFiltered: ['search', 'verdict', 'is'].some(name => asked.has(name)),
    isOld,
    followed: asked.get('find') ?? '',
    show,
    follow: name => void (wanted.current = { ...wanted.current, target: name }),
  };
}

function keyOf(hours: number, by: string, rows: string): string {
  return [`hours=${hours}`, by === '' ? '' : `by=${encodeURIComponent(by)}`, rows]
    .filter(part => part !== '')
    .join('&');
}

/** The key comes last, so that it shows what an answer is about. */
function pathOf(key: string, { offset, limit }: RowSpan, target: string): string {
  return `/fleet?offset=${offset}&limit=${limit}${target === '' ? '' : `&find=${encodeURIComponent(target)}`}&${key}`;
}

/** `rowsQuery` of the filter that was asked for. */
function rowsAsked(asked: URLSearchParams): string {
  const others = new Set(['hours', 'by', 'offset', 'limit', 'find']);
  return new URLSearchParams([...asked].filter(([name]) => !others.has(name))).toString();
}

/**
 * Which rows to ask the server for, so that those on the screen are there before they are scrolled to.
 *
 *     0 ............ offset [ ahead |  on the screen  | ahead ] offset + limit ............ matching
 */
export interface RowSpan {
  readonly offset: number;
  readonly limit: number;
}

/** The same span if it still does. `first` and `last` are on the screen, `last` exclusive. */
export function nextSpan(now: RowSpan, first: number, last: number, matching: number): RowSpan {
  const ahead = Math.max(MIN_AHEAD, last - first);
  const reserve = Math.ceil(ahead * RESERVE);
  const end = now.offset + now.limit;
  const isEnough =
    (now.offset === 0 || first - reserve >= now.offset) && (end >= matching || last + reserve <= end) && last <= end;
  if (isEnough && first >= now.offset) return now;
  const offset = Math.floor(Math.max(0, first - ahead) / STEP) * STEP;
  const limit = Math.min(MAX_LIMIT, Math.max(FIRST_SPAN.limit, Math.ceil((last + ahead - offset) / STEP) * STEP));
  return { offset, limit };
}

/** Whether the span has any of these rows. */
export function overlaps({ offset, limit }: RowSpan, first: number, last: number): boolean {
  return first < offset + limit && last > offset;
}

/**
 * Which rows of the fleet the address asks for, and in which order; the server finds them.
 *
 *     ?q=worker batch      every word occurs in the name, an attribute, the resource, the cause or the verdict
 *     &v=leak,watch        one of these verdicts
 *     &is=pool:batch       this attribute; may be repeated
 *     &by=pool             the attribute whose cohorts are compared
 *     &sort=slope          instead of worst first
 */
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
