/**
 * Which rows of the fleet the address asks for, and in which order:
 *
 *     ?q=worker batch      every word occurs in the name, an attribute, the resource, the cause or the verdict
 *     &v=leak,watch        one of these verdicts
 *     &is=pool:batch       this attribute; may be repeated
 *     &by=pool             the attribute whose cohorts are compared
 *     &sort=slope          instead of worst first
 */
import type { FleetRow } from '../../../src/model/watch.ts';
import type { Verdict } from '../../../src/model/verdict.ts';

export type SortBy = 'worst' | 'name' | 'level' | 'slope' | 'limit';

export interface FleetFilter {
  readonly words: readonly string[];
  readonly verdicts: readonly string[];
  readonly attributes: readonly (readonly [key: string, value: string])[];
  /** '' if none is asked for. */
  readonly by: string;
  readonly sort: SortBy;
}

const SORTS: readonly SortBy[] = ['worst', 'name', 'level', 'slope', 'limit'];

export function readFilter(query: URLSearchParams): FleetFilter {
  const split = (name: string, at: RegExp): string[] => (query.get(name) ?? '').split(at).filter(word => word !== '');
  return {
    words: split('q', /\s+/).map(word => word.toLowerCase()),
    verdicts: split('v', /,/),
    attributes: query.getAll('is').map(pair => {
      const colon = pair.indexOf(':');
      return colon < 0 ? [pair, ''] : [pair.slice(0, colon), pair.slice(colon + 1)];
    }),
    by: query.get('by') ?? '',
    sort: SORTS.find(sort => sort === query.get('sort')) ?? 'worst',
  };
}

export function shownRows(rows: readonly FleetRow[], filter: FleetFilter): readonly FleetRow[] {
  const { words, verdicts, attributes, sort } = filter;
  const isAll = words.length === 0 && verdicts.length === 0 && attributes.length === 0;
  const shown = isAll ? rows : rows.filter(row => matches(row, filter));
  if (sort === 'worst') return shown;
  if (sort === 'name') return shown.toSorted((a, b) => a.target.localeCompare(b.target, 'en', { numeric: true }));
  if (sort === 'limit') return shown.toSorted((a, b) => hoursToLimit(a) - hoursToLimit(b));
  const amount = sort === 'level' ? (row: FleetRow) => row.level : (row: FleetRow) => row.slopePerHour;
  return shown.toSorted((a, b) => (amount(b) ?? -Infinity) - (amount(a) ?? -Infinity) || 0);
}

/** Finite, so that the difference of two is a number. */
function hoursToLimit({ timeToLimitHours }: FleetRow): number {
  return timeToLimitHours?.[0] ?? Number.MAX_SAFE_INTEGER;
}

function matches(row: FleetRow, { words, verdicts, attributes }: FleetFilter): boolean {
  if (verdicts.length > 0 && !verdicts.includes(row.verdict)) return false;
  if (!attributes.every(([key, value]) => row.attributes[key] === value)) return false;
  if (words.length === 0) return true;
  const text = [row.target, row.verdict, row.resource ?? '', row.cause?.text ?? '', ...Object.values(row.attributes)]
    .join('\n')
    .toLowerCase();
  return words.every(word => text.includes(word));
}

export interface Cohort {
  readonly value: string;
  readonly total: number;
  readonly counts: Readonly<Record<Verdict, number>>;
}

/** Attributes that group rows, the most useful ones first. */
export function cohortKeys(rows: readonly FleetRow[]): string[] {
  const usual = ['version', 'cluster', 'pool', 'kernel', 'zone'];
  const values = new Map<string, Set<string>>();
  for (const { attributes } of rows) {
    for (const [key, value] of Object.entries(attributes)) {
      const seen = values.get(key) ?? new Set();
      values.set(key, seen.add(value));
    }
  }
  const rank = (key: string): number => (usual.includes(key) ? usual.indexOf(key) : usual.length);
  return [...values.keys()]
    .filter(key => usual.includes(key) || (values.get(key)?.size ?? 0) < rows.length)
    .sort((a, b) => rank(a) - rank(b) || a.localeCompare(b));
}

/** The attribute that was asked for, or one that separates what grows, or the most usual one. */
export function chosenAttribute(
  rows: readonly FleetRow[],
  asked: string,
  suspected: readonly string[],
): string | undefined {
  const keys = cohortKeys(rows);
  if (keys.includes(asked) || suspected.includes(asked)) return asked;
  return suspected[0] ?? keys[0];
}

/** The values of an attribute, the one with the most leaks first. */
export function cohortsBy(rows: readonly FleetRow[], key: string): Cohort[] {
  const found = new Map<string, { total: number; counts: Record<Verdict, number> }>();
  for (const { attributes, verdict } of rows) {
    const value = attributes[key];
    if (value === undefined) continue;
    const cohort = found.get(value) ?? { total: 0, counts: { leak: 0, watch: 0, healthy: 0, unknown: 0 } };
    cohort.total++;
    cohort.counts[verdict]++;
    found.set(value, cohort);
  }
  return [...found]
    .map(([value, cohort]) => ({ value, ...cohort }))
    .sort((a, b) => b.counts.leak - a.counts.leak || b.total - a.total || a.value.localeCompare(b.value));
}
