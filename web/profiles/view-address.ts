/**
 * The view of a profile as the query of its address. Default values are left out:
 *
 *     ?si=alloc_space&tab=sandwich&table=top&f=kubelet&l=state=select,controller=quota&root=state
 *      &focus=sync&hide=^runtime&granularity=lines&relative=1&unit=MB
 *      &zoom=0.25~0.5&node=17&flip=1&sort=-cum&family=g-0123456789&width=larger&ops=100
 */
import { parseWindow, type ViewWindow, WHOLE, windowText } from './view-window.ts';
import type { WidthOf } from './lay-out.ts';
import type { Sort } from '../widgets/virtual-table.tsx';
import { FILTER_WORDS, type Filters, type FilterWord, GRANULARITIES } from '../reader/filters.ts';
import type { LabelPair } from '../reader/sample-labels.ts';
import { useEffect, useRef, useState } from 'preact/hooks';
import { currentUrl, setQuery } from '../state/router.ts';

export const GRAPH_TABS = ['flame', 'sandwich', 'graph', 'peek', 'source'] as const;
export type GraphTab = (typeof GRAPH_TABS)[number];
export const TABLE_TABS = ['families', 'top', 'tree', 'labels'] as const;
export type TableTab = (typeof TABLE_TABS)[number];

export interface ViewAddress {
  /** '' for the profile's default. */
  readonly sampleType: string;
  readonly tab: GraphTab;
  readonly table: TableTab | undefined;
  /** A Go regular expression: functions to highlight. */
  readonly search: string;
  readonly filters: Filters;
  /** `MB`, `s` ...; '' lets each value have its own. */
  readonly unit: string;
  readonly labels: readonly LabelPair[];
  readonly roots: readonly string[];
  readonly window: ViewWindow;
  /** The selected node of the tree; -1 for none. */
  readonly node: number;
  readonly flipped: boolean;
  readonly sort: Sort | undefined;
  readonly family: string;
  readonly widthOf: WidthOf;
  readonly operations: number | undefined;
}

/** For a change that builds a new tree: a position in the old one means nothing there. */
export const NEW_TREE = { window: WHOLE, node: -1 } as const;

export function parseAddress(query: URLSearchParams): ViewAddress {
  const text = (name: string): string => query.get(name) ?? '';
  const node = /^\d{1,9}$/.test(text('node')) ? Number(text('node')) : -1;
  const operations = Number(text('ops'));
  return {
    sampleType: text('si'),
    tab: GRAPH_TABS.find(name => name === text('tab')) ?? 'flame',
    table: TABLE_TABS.find(name => name === text('table')),
    search: text('f'),
    filters: parseFilters(text),
    unit: /^[A-Za-zµ*]{1,8}$/.test(text('unit')) ? text('unit') : '',
    labels: parseList(text('l')).flatMap(parsePair),
    roots: parseList(text('root')).map(unescaped),
    window: parseWindow(text('zoom')) ?? WHOLE,
    node,
    flipped: text('flip') === '1',
    sort: parseSort(text('sort')),
    family: text('family'),
    widthOf: text('width') === 'larger' ? 'larger' : 'after',
    operations: operations > 0 && Number.isFinite(operations) ? operations : undefined,
  };
}

/** The parameters for `setQuery`; null removes one. */
export function addressQuery(address: ViewAddress): Record<string, string | null> {
  const { window, sort } = address;
  const isWhole = window.left <= 0 && window.right >= 1;
  return {
    si: orNull(address.sampleType),
    tab: address.tab === 'flame' ? null : address.tab,
    table: address.table ?? null,
    f: orNull(address.search),
    ...filtersQuery(address.filters),
    unit: orNull(address.unit),
    l: orNull(address.labels.map(({ key, value }) => `${escaped(key)}=${escaped(value)}`).join(',')),
    root: orNull(address.roots.map(escaped).join(',')),
    zoom: isWhole ? null : windowText(window),
    node: address.node < 0 ? null : String(address.node),
    flip: address.flipped ? '1' : null,
    sort: sort === undefined ? null : `${sort.descending ? '-' : ''}${sort.key}`,
    family: orNull(address.family),
    width: address.widthOf === 'after' ? null : address.widthOf,
    ops: address.operations === undefined ? null : String(address.operations),
  };
}

function parseFilters(text: (name: string) => string): Filters {
  const words = Object.fromEntries(FILTER_WORDS.map(word => [word, text(word)])) as Record<FilterWord, string>;
  return {
    ...words,
    granularity: GRANULARITIES.find(name => name === text('granularity')) ?? '',
    relative: text('relative') === '1',
  };
}

function filtersQuery(filters: Filters): Record<string, string | null> {
  return {
    ...Object.fromEntries(FILTER_WORDS.map(word => [word, orNull(filters[word])])),
    granularity: orNull(filters.granularity),
    relative: filters.relative ? '1' : null,
  };
}

function orNull(text: string): string | null {
  return text === '' ? null : text;
}

function parseList(text: string): string[] {
  return text === '' ? [] : text.split(',');
}

function parsePair(text: string): LabelPair[] {
  const at = text.indexOf('=');
  return at < 0 ? [] : [{ key: unescaped(text.slice(0, at)), value: unescaped(text.slice(at + 1)) }];
}

/** Escapes only the separators; the address escapes the rest. */
function escaped(text: string): string {
  return text.replace(/[%,=]/g, char => `%${char.charCodeAt(0).toString(16)}`);
}

function unescaped(text: string): string {
  return text.replace(/%(25|2c|3d)/gi, (_, code: string) => String.fromCharCode(parseInt(code, 16)));
}

function parseSort(text: string): Sort | undefined {
  const match = /^(-?)([a-z-]{1,20})$/.exec(text);
  const [, sign, key] = match ?? [];
  return key === undefined ? undefined : { key, descending: sign === '-' };
}

/** The labels that are chosen as filters or roots. */
export function samePair(a: LabelPair, b: LabelPair): boolean {
  return a.key === b.key && a.value === b.value;
}

/** Without the item if the list has it, otherwise with it at the end. */
export function toggled<Item>(
  list: readonly Item[],
  item: Item,
  isSame: (a: Item, b: Item) => boolean = (a, b) => a === b,
): readonly Item[] {
  const others = list.filter(other => !isSame(other, item));
  return others.length < list.length ? others : [...list, item];
}

export type ChangeAddress = (changes: Partial<ViewAddress>) => void;

/** Panning changes the view many times a second; the address bar follows after a pause. */
const PAUSE_MS = 200;

/** The view in the address, and a function that changes it. */
export function useViewAddress(query: URLSearchParams): readonly [ViewAddress, ChangeAddress] {
  const [address, setAddress] = useState(() => parseAddress(query));
  const written = useRef(query.toString());
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const latest = useRef(address);
  latest.current = address;

  useEffect(() => {
    if (query.toString() === written.current) return;
    // A link or the back button changed the address.
    written.current = query.toString();
    setAddress(parseAddress(query));
  }, [query.toString()]);
  useEffect(() => () => clearTimeout(timer.current), []);

  const change: ChangeAddress = changes => {
    latest.current = { ...latest.current, ...changes };
    setAddress(latest.current);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      setQuery(addressQuery(latest.current));
      written.current = currentUrl.peek().searchParams.toString();
    }, PAUSE_MS);
  };
  return [address, change];
}
