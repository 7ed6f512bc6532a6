/** What `oakum labels` prints: goroutines by label, or the memory of a heap by owner. */
import {
  type LabelChange,
  labelChanges,
  labelKeys,
  orphans,
  type LabelCounts,
} from '../analysis/families/label-counts.ts';
import { heapByOwner } from '../analysis/families/heap-owners.ts';
import { table as tableLines } from '../base/text-layout.ts';
import type { FamilyTable } from '../model/family.ts';
import { unicodeEscaped } from '../base/visible-text.ts';

const SCHEMA = 'oakum.labels/v1';
const NO_LABELS = '  it has no labels at all; of Go up to 1.26 ask for debug=1 or debug=0, debug=2 shows none\n';
/** Whatever labels the goroutines had: only the path tells. */
const INFERRED =
  'Go heap profiles carry no pprof labels (only the object size); owners are inferred from allocation paths';

export interface LabelledFile {
  readonly path: string;
  readonly table: FamilyTable;
  readonly counts: LabelCounts;
}

export interface LabelsView {
  /** Labels counted by. */
  readonly keys: readonly string[];
  /** The one of them that names the tenant. */
  readonly tenant: string;
  /** The tenants that exist, where they are known. */
  readonly live: ReadonlySet<string> | undefined;
  /** Only those that do not exist. */
  readonly orphans: boolean;
  /** Rows; 0 for all. */
  readonly top: number;
}

export type LabelsFormat = 'text' | 'json';

export function renderLabels(files: readonly LabelledFile[], view: LabelsView, format: LabelsFormat): string {
  const all = rowsOf(files, view.tenant, view.orphans ? view.live : undefined);
  const rows = firstOf(all, view.top);
  const leftOut = all.length - rows.length;
  if (format === 'json') return json({ ...documentOf(files, rows, view), rowsLeftOut: leftOut });
  const table = rows.length > 0 ? `\n${rowsTable(files.length, rows, view)}` : '';
  return summary(files, view) + table + (leftOut > 0 ? `${leftOut} more; --top 0 shows all\n` : '');
}

export function renderHeapOwners(files: readonly LabelledFile[], top: number, format: LabelsFormat): string {
  const owners = files.map(({ path, table }) => ({ path, bytes: table.total, rows: firstOf(heapByOwner(table), top) }));
  if (format === 'json') return json({ schema: SCHEMA, by: [], inferred: true, note: INFERRED, files: owners });
  const tables = owners.map(({ path, rows }) => {
    const cells = rows.map(({ owner, bytes, objects, samples }) => [
      visible(owner),
      (bytes / 2 ** 20).toFixed(1),
      String(objects),
      String(samples),
    ]);
    return `\n${visible(path)}\n${tableText(['OWNER (INFERRED)', 'MIB', 'OBJECTS', 'SAMPLES'], cells)}`;
  });
  return `${INFERRED}\n${tables.join('')}`;
}

/** The rows of every file side by side; only those of tenants that are gone when `live` is given. */
function rowsOf(files: readonly LabelledFile[], tenant: string, live?: ReadonlySet<string>): LabelChange[] {
  return labelChanges(files.map(({ counts }) => (live === undefined ? counts.rows : orphans(counts, tenant, live))));
}

function documentOf(files: readonly LabelledFile[], rows: readonly LabelChange[], view: LabelsView): object {
  const { keys, live } = view;
  return {
    schema: SCHEMA,
    by: keys,
    files: files.map(({ path, counts, table }) => ({
      path,
      goroutines: counts.total,
      labelled: counts.labelled,
      coverage: counts.total === 0 ? 0 : counts.labelled / counts.total,
      keys: Object.fromEntries(labelKeys(table)),
    })),
    orphansOnly: view.orphans,
    tenant: view.tenant,
    liveTenants: live?.size ?? null,
    rows: rows.map(({ values, counts, change, family }) => ({
      labels: Object.fromEntries(keys.map((key, i) => [key, values[i]])),
      goroutines: counts,
      change,
      orphan: live === undefined ? null : isOrphan(values, view, live),
      family: { id: family.id, title: family.title },
    })),
  };
}

function summary(files: readonly LabelledFile[], { keys, tenant, live }: LabelsView): string {
  let text = '';
  for (const { path, counts, table } of files) {
    const share = counts.total === 0 ? 0 : (100 * counts.labelled) / counts.total;
    const labelled = `${counts.labelled} of ${counts.total} goroutines (${share.toFixed(1)}%)`;
    text += `${visible(path)}: ${labelled} carry ${keys.join(' or ')}\n`;
    if (counts.labelled > 0) continue;
    const others = [...labelKeys(table)].slice(0, 8).map(([key, count]) => `${visible(key)} (${count})`);
    text += others.length > 0 ? `  labels there are: ${others.join(', ')}\n` : NO_LABELS;
  }
  if (live === undefined) return text;
  const gone = rowsOf(files, tenant, live);
  const goroutines = gone.reduce((sum, { counts }) => sum + counts[counts.length - 1], 0);
  const tenants = new Set(gone.map(({ values }) => values[keys.indexOf(tenant)]));
  return `${text}${live.size} live tenants; ${tenants.size} that no longer exist are named by ${goroutines} goroutines\n`;
}

function rowsTable(files: number, rows: readonly LabelChange[], view: LabelsView): string {
  const { keys, live } = view;
  const several = files > 1;
  const header = [
    ...keys.map(key => key.toUpperCase()),
    ...(several ? [...Array.from({ length: files }, (_, i) => `FILE ${i + 1}`), 'CHANGE'] : ['GOROUTINES']),
    ...(live === undefined ? [] : ['TENANT']),
    'MOSTLY IN',
  ];
  const cells = rows.map(({ values, counts, change, family }) => [
    ...values.map(visible),
    ...counts.map(String),
    ...(several ? [change > 0 ? `+${change}` : String(change)] : []),
    ...(live === undefined ? [] : [isOrphan(values, view, live) ? 'gone' : 'live']),
    visible(family.title),
  ]);
  return tableText(header, cells);
}

function isOrphan(values: readonly string[], { keys, tenant }: LabelsView, live: ReadonlySet<string>): boolean {
  const name = values[keys.indexOf(tenant)];
  return name !== '' && !live.has(name);
}

function firstOf<T>(rows: readonly T[], top: number): readonly T[] {
  return top > 0 ? rows.slice(0, top) : rows;
}

function tableText(header: readonly string[], rows: readonly (readonly string[])[]): string {
  return `${tableLines(header, rows).join('\n')}\n`;
}

function json(document: object): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** Labels come from the program observed: escaped as Go and JSON do, so that they can be pasted back. */
function visible(text: string): string {
  return unicodeEscaped(text).replaceAll('\n', '\\n');
}
