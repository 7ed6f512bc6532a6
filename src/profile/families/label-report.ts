/** Combines the labels of several captures for `oakum labels`. */
import type { Family, FamilyTable } from './family.ts';

/** The report of `oakum labels` (schema `oakum.labels/v1`). */
export interface LabelReport {
  readonly schema: 'oakum.labels/v1';
  /** The labels to count by. */
  readonly by: readonly string[];
  readonly files: readonly LabelledFile[];
  /** Only tenants that no longer exist. */
  readonly orphansOnly: boolean;
  /** The label that names the tenant. */
  readonly tenant: string;
  /** How many tenants exist; null if unknown. */
  readonly liveTenants: number | null;
  readonly rows: readonly LabelReportRow[];
  readonly rowsLeftOut: number;
}

export interface LabelledFile {
  readonly path: string;
  readonly goroutines: number;
  readonly labelled: number;
  /** Share of the goroutines that are labelled. */
  readonly coverage: number;
  /** Goroutines by label, whatever the label. */
  readonly keys: Readonly<Record<string, number>>;
}

interface LabelReportRow {
  readonly labels: Readonly<Record<string, string>>;
  /** One per file. */
  readonly goroutines: readonly number[];
  /** The last file minus the first. */
  readonly change: number;
  /** Whether the tenant no longer exists; null if unknown. */
  readonly orphan: boolean | null;
  /** The family that holds most of them. */
  readonly family: Pick<Family, 'id' | 'title'>;
}

/** Tenants that no longer exist, and the goroutines that still name them. */
export interface GoneTenants {
  readonly tenants: number;
  readonly goroutines: number;
}

/** A heap by owner. Go heap profiles have no pprof labels, so owners are inferred from allocation paths. */
export interface HeapOwnerReport {
  readonly schema: 'oakum.labels/v1';
  readonly by: readonly [];
  readonly inferred: true;
  readonly note: string;
  readonly files: readonly {
    readonly path: string;
    readonly bytes: number;
    readonly rows: readonly HeapOwner[];
  }[];
}

interface HeapOwner {
  /** Always inferred from the allocation path. */
  readonly owner: string;
  readonly bytes: number;
  readonly objects: number;
  readonly samples: number;
}

export interface FileTable {
  readonly path: string;
  readonly table: FamilyTable;
}

interface LabelQuery {
  /** Labels to count by. */
  readonly keys: readonly string[];
  /** The one of them that names the tenant. */
  readonly tenant: string;
  /** The tenants that exist, if known. */
  readonly live: ReadonlySet<string> | undefined;
  /** Only those that no longer exist. */
  readonly orphans: boolean;
  /** Rows; 0 for all. */
  readonly top: number;
}

interface CountedLabels {
  readonly report: LabelReport;
  /** Undefined if it is unknown which tenants exist. */
  readonly gone: GoneTenants | undefined;
}

export function labelReport(files: readonly FileTable[], query: LabelQuery): CountedLabels {
  const { keys, tenant, live } = query;
  const at = keys.indexOf(tenant);
  const counted = files.map(({ path, table }) => ({ path, table, counts: countLabels(table, keys) }));
  const changesOf = (rowsOf: (file: (typeof counted)[number]) => readonly LabelRow[]): LabelChange[] =>
    labelChanges(counted.map(rowsOf));
  const orphaned = live === undefined ? undefined : changesOf(({ counts }) => orphans(counts, tenant, live));
  const all = query.orphans && orphaned !== undefined ? orphaned : changesOf(({ counts }) => counts.rows);
  const rows = firstOf(all, query.top);
  const isGone = (name = ''): boolean => name !== '' && live?.has(name) === false;
  return {
    report: {
      schema: 'oakum.labels/v1',
      by: keys,
      files: counted.map(({ path, counts, table }) => ({
        path,
        goroutines: counts.total,
        labelled: counts.labelled,
        coverage: counts.total === 0 ? 0 : counts.labelled / counts.total,
        keys: Object.fromEntries(labelKeys(table)),
      })),
      orphansOnly: query.orphans,
      tenant,
      liveTenants: live?.size ?? null,
      rows: rows.map(({ values, counts, change, family }) => ({
        labels: Object.fromEntries(keys.map((key, i) => [key, values[i] ?? ''])),
        goroutines: counts,
        change,
        orphan: live === undefined ? null : isGone(values[at]),
        family: { id: family.id, title: family.title },
      })),
      rowsLeftOut: all.length - rows.length,
    },
    gone:
      orphaned === undefined
        ? undefined
        : {
            tenants: new Set(orphaned.map(({ values }) => values[at])).size,
            goroutines: orphaned.reduce((sum, { counts }) => sum + (counts.at(-1) ?? 0), 0),
          },
  };
}

const INFERRED =
  'Go heap profiles carry no pprof labels (only the object size); owners are inferred from allocation paths';

export function heapOwnerReport(
  files: readonly FileTable[],
  ownerOf: (family: Family) => string,
  top: number,
): HeapOwnerReport {
  return {
    schema: 'oakum.labels/v1',
    by: [],
    inferred: true,
    note: INFERRED,
    files: files.map(({ path, table }) => ({
      path,
      bytes: table.total,
      rows: firstOf(heapByOwner(table, ownerOf), top),
    })),
  };
}

/** Largest first. */
function heapByOwner(table: FamilyTable, ownerOf: (family: Family) => string): HeapOwner[] {
  const byOwner = new Map<string, { owner: string; bytes: number; objects: number; samples: number }>();
  for (const { family, bytes, count, samples } of table.counts) {
    const owner = ownerOf(family);
    let row = byOwner.get(owner);
    if (row === undefined) byOwner.set(owner, (row = { owner, bytes: 0, objects: 0, samples: 0 }));
    row.bytes += bytes;
    row.objects += count;
    row.samples += samples;
  }
  return [...byOwner.values()].sort((a, b) => b.bytes - a.bytes || (a.owner < b.owner ? -1 : 1));
}

function firstOf<T>(rows: readonly T[], top: number): readonly T[] {
  return top > 0 ? rows.slice(0, top) : rows;
}

/**
 * Goroutines by the values of their pprof labels. Counts goroutines, not stacks: a stack of a thousand counts a
 * thousand.
 */
interface LabelRow {
  /** One per requested key; '' if a goroutine does not have it. */
  readonly values: readonly string[];
  readonly count: number;
  /** The family that holds most of them. */
  readonly family: Family;
}

interface LabelCounts {
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
function labelKeys(table: FamilyTable): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { labelSets } of table.counts) {
    for (const { labels, count } of labelSets) {
      for (const [key] of labels) counts.set(key, (counts.get(key) ?? 0) + count);
    }
  }
  return new Map([...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)));
}

/** Rows whose tenant (the value of `key`) no longer exists. */
function orphans(counts: LabelCounts, key: string, live: ReadonlySet<string>): LabelRow[] {
  const at = counts.keys.indexOf(key);
  return at < 0 ? [] : counts.rows.filter(({ values }) => values[at] !== '' && !live.has(values[at]));
}

function largest(byFamily: ReadonlyMap<Family, number>): Family {
  return [...byFamily].reduce((best, next) => (next[1] > best[1] ? next : best))[0];
}

interface LabelChange {
  readonly values: readonly string[];
  /** One per capture, in the order given. */
  readonly counts: readonly number[];
  /** The last minus the first. */
  readonly change: number;
  readonly family: Family;
}

/** Rows of several captures side by side, those with most goroutines in the last one first. */
function labelChanges(captures: readonly (readonly LabelRow[])[]): LabelChange[] {
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

/**
 * Parses the list of existing tenants, in the forms that users have. One name per line, lines of `kubectl -o name`, a
 * kubectl table, or names separated by blanks.
 */
export function liveTenants(text: string): ReadonlySet<string> {
  const lines = text.split(/\r?\n/).filter(line => line.trim() !== '' && !line.startsWith('#'));
  const isTable = /^NAME(\s|$)/.test(lines[0] ?? '');
  const names = isTable
    ? lines.slice(1).map(line => line.trim().split(/\s+/, 1)[0])
    : lines.flatMap(line => line.trim().split(/\s+/));
  return new Set(names.map(name => name.slice(name.lastIndexOf('/') + 1)));
}
