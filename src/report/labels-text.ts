/** Goroutines by label, or a heap by owner, as text. */
import { table } from '../base/text-layout.ts';
import { unicodeEscaped } from '../base/visible-text.ts';
import type { GoneTenants, HeapOwnerReport, LabelledFile, LabelReport } from '../profile/families/label-report.ts';

const NO_LABELS = '  it has no labels at all; up to Go 1.26, debug=2 shows none: take debug=1 or debug=0\n';
const OTHER_LABELS = 8;

export function renderLabels(report: LabelReport, gone: GoneTenants | undefined): string {
  const { files, rows, rowsLeftOut } = report;
  const summary = files.map(file => fileText(file, report.by)).join('') + goneText(report, gone);
  const body = rows.length > 0 ? `\n${rowsTable(report)}` : '';
  return summary + body + (rowsLeftOut > 0 ? `${rowsLeftOut} more; --top 0 shows all\n` : '');
}

function fileText({ path, goroutines, labelled, coverage, keys }: LabelledFile, by: readonly string[]): string {
  const share = `${labelled} of ${goroutines} goroutines (${(100 * coverage).toFixed(1)}%)`;
  const text = `${visible(path)}: ${share} carry ${by.join(' or ')}\n`;
  if (labelled > 0) return text;
  const others = Object.entries(keys)
    .slice(0, OTHER_LABELS)
    .map(([key, count]) => `${visible(key)} (${count})`);
  return text + (others.length > 0 ? `  its labels are: ${others.join(', ')}\n` : NO_LABELS);
}

function goneText({ liveTenants }: LabelReport, gone: GoneTenants | undefined): string {
  if (gone === undefined) return '';
  const { tenants, goroutines } = gone;
  return `${liveTenants} live tenants; ${goroutines} goroutines name ${tenants} that no longer exist\n`;
}

function rowsTable({ by, files, rows, liveTenants }: LabelReport): string {
  const several = files.length > 1;
  const knowsTenants = liveTenants !== null;
  const header = [
    ...by.map(key => key.toUpperCase()),
    ...(several ? [...files.map((_, i) => `FILE ${i + 1}`), 'CHANGE'] : ['GOROUTINES']),
    ...(knowsTenants ? ['TENANT'] : []),
    'MOSTLY IN',
  ];
  const cells = rows.map(({ labels, goroutines, change, orphan, family }) => [
    ...by.map(key => visible(labels[key] ?? '')),
    ...goroutines.map(String),
    ...(several ? [change > 0 ? `+${change}` : String(change)] : []),
    ...(knowsTenants ? [orphan === true ? 'gone' : 'live'] : []),
    visible(family.title),
  ]);
  return tableText(header, cells);
}

export function renderHeapOwners({ note, files }: HeapOwnerReport): string {
  const tables = files.map(({ path, rows }) => {
    const cells = rows.map(({ owner, bytes, objects, samples }) => [
      visible(owner),
      (bytes / 2 ** 20).toFixed(1),
      String(objects),
      String(samples),
    ]);
    return `\n${visible(path)}\n${tableText(['OWNER (INFERRED)', 'MIB', 'OBJECTS', 'SAMPLES'], cells)}`;
  });
  return `${note}\n${tables.join('')}`;
}

function tableText(header: readonly string[], rows: readonly (readonly string[])[]): string {
  return `${table(header, rows).join('\n')}\n`;
}

/** Labels come from the observed program. They are escaped as in Go and JSON, so that they can be pasted back. */
function visible(text: string): string {
  return unicodeEscaped(text).replaceAll('\n', '\\n');
}
