/**
 * Goroutines by the values of their pprof labels. Counts goroutines, not stacks: a stack of a thousand counts a
 * thousand.
 */
import type { Family, FamilyTable } from './family.ts';

export interface LabelRow {
  /** One per requested key; '' if a goroutine does not have it. */
  readonly values: readonly string[];
  readonly count: number;
  /** The family that holds most of them. */
  readonly family: Family;
}

export interface LabelCounts {
  readonly keys: readonly string[];
  /** All goroutines, with labels or without. */
  readonly total: number;
  /** Goroutines with at least one of the keys. */
  readonly labelled: number;
  /** Largest first. */
  readonly rows: readonly LabelRow[];
}

export function countLabels(table: FamilyTable, keys: readonly string[]): LabelCounts {
  const rows = new Map<string, { values: string[]; count: number; byFamily: Map<Family, number> }>();
  let labelled = 0;
  for (const { family, labelSets } of table.counts) {
    for (const { labels, count } of labelSets) {
      const values = keys.map(key => labels.find(([name]) => name === key)?.[1] ?? '');
      if (values.every(value => value === '')) continue;
      labelled += count;
      const text = JSON.stringify(values);
      let row = rows.get(text);
      if (row === undefined) rows.set(text, (row = { values, count: 0, byFamily: new Map() }));
      row.count += count;
      row.byFamily.set(family, (row.byFamily.get(family) ?? 0) + count);
    }
  }
  return {
    keys,
    total: table.total,
    labelled,
    rows: [...rows.values()]
      .map(({ values, count, byFamily }) => ({ values, count, family: largest(byFamily) }))
      .sort((a, b) => b.count - a.count || (a.values.join('\0') < b.values.join('\0') ? -1 : 1)),
  };
}

/** How many goroutines have each key, most frequent first. */
export function labelKeys(table: FamilyTable): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { labelSets } of table.counts) {
    for (const { labels, count } of labelSets) {
      for (const [key] of labels) counts.set(key, (counts.get(key) ?? 0) + count);
    }
  }
  return new Map([...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)));
}

/** Rows whose tenant (the value of `key`) no longer exists. */
export function orphans(counts: LabelCounts, key: string, live: ReadonlySet<string>): LabelRow[] {
  const at = counts.keys.indexOf(key);
  return at < 0 ? [] : counts.rows.filter(({ values }) => values[at] !== '' && !live.has(values[at]));
}

function largest(byFamily: ReadonlyMap<Family, number>): Family {
  return [...byFamily].reduce((best, next) => (next[1] > best[1] ? next : best))[0];
}

export interface LabelChange {
  readonly values: readonly string[];
  /** One per capture, in the order given. */
  readonly counts: readonly number[];
  /** The last minus the first. */
  readonly change: number;
  readonly family: Family;
}

/** Rows of several captures side by side, those with most goroutines in the last one first. */
export function labelChanges(captures: readonly (readonly LabelRow[])[]): LabelChange[] {
  const rows = new Map<string, { values: readonly string[]; counts: number[]; family: Family }>();
  for (const [i, capture] of captures.entries()) {
    for (const { values, count, family } of capture) {
      const key = JSON.stringify(values);
      let row = rows.get(key);
      if (row === undefined) rows.set(key, (row = { values, counts: captures.map(() => 0), family }));
      row.counts[i] = count;
      row.family = family;
    }
  }
  const last = captures.length - 1;
  return [...rows.values()]
    .map(row => ({ ...row, change: row.counts[last] - row.counts[0] }))
    .sort((a, b) => b.counts[last] - a.counts[last] || (a.values.join('\0') < b.values.join('\0') ? -1 : 1));
}
