/** Combines the labels of several captures for `oakum labels`. */
import type { Family, FamilyTable } from './family.ts';
import type { GoneTenants, HeapOwner, HeapOwnerReport, LabelReport } from './label-tables.ts';
import { countLabels, type LabelChange, labelChanges, labelKeys, type LabelRow, orphans } from './label-counts.ts';

export interface FileTable {
  readonly path: string;
  readonly table: FamilyTable;
}

export interface LabelQuery {
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

export interface CountedLabels {
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
