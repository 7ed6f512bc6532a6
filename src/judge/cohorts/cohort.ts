/**
 * Which targets have an attribute value, and which can be compared with them, at any time in the past two weeks.
 *
 *     version      node-1  v1.35.7 ------------------|v1.36.0 -------   has v1.36.0 since 6 h
 *                  node-2  v1.35.7 ---------------------------------   has not: a control
 *                  node-3  v1.36.0 ---------|v1.35.7 ---------------   went back: neither, while the window holds both
 */
import type { AttributeLog } from './attribute-log.ts';

/** Rows of the board. */
export interface Cohort {
  readonly attribute: string;
  readonly value: string;
  readonly members: readonly number[];
  /** Since when each member has it, in hours of the detector; -Infinity if since before the record. */
  readonly sinceBins: readonly number[];
}

export interface AttributeColumn {
  readonly attribute: string;
  /** By row; undefined if unknown. */
  readonly values: readonly (string | undefined)[];
  readonly sinceBins: Float64Array;
  /** The last hour in which a row had the value, for values that it has no more. */
  readonly left: ReadonlyMap<string, ReadonlyMap<number, number>>;
  readonly cohorts: readonly Cohort[];
}

/** An attribute whose every value is unique is a name. */
const MIN_SHARED = 2;

export function attributeColumns(log: AttributeLog, names: readonly string[], binSeconds: number): AttributeColumn[] {
  const columns: AttributeColumn[] = [];
  for (const attribute of log.names()) {
    const values = names.map(name => log.attributesOf(name)?.get(attribute)?.value || undefined);
    const sinceBins = Float64Array.from(names, name => {
      const since = log.attributesOf(name)?.get(attribute)?.sinceSeconds ?? NaN;
      return since === -Infinity ? -Infinity : Math.floor(since / binSeconds);
    });
    const cohorts = cohortsOf(attribute, values, sinceBins);
    if (cohorts.every(({ members }) => members.length < MIN_SHARED)) continue;
    columns.push({ attribute, values, sinceBins, left: leftOf(attribute, log, names, binSeconds), cohorts });
  }
  return columns;
}

function cohortsOf(attribute: string, values: readonly (string | undefined)[], since: Float64Array): Cohort[] {
  const rows = new Map<string, number[]>();
  values.forEach((value, row) => {
    if (value === undefined) return;
    const known = rows.get(value);
    if (known === undefined) rows.set(value, [row]);
    else known.push(row);
  });
  if (rows.size < 2) return [];
  return [...rows].map(([value, members]) => ({
    attribute,
    value,
    members,
    sinceBins: members.map(row => since[row]),
  }));
}

function leftOf(
  attribute: string,
  log: AttributeLog,
  names: readonly string[],
  binSeconds: number,
): Map<string, Map<number, number>> {
  const left = new Map<string, Map<number, number>>();
  names.forEach((name, row) => {
    for (const change of log.changesOf(name)) {
      if (change.attribute !== attribute || change.from === undefined) continue;
      const rows = left.get(change.from) ?? new Map<number, number>();
      rows.set(row, Math.floor(change.atSeconds / binSeconds));
      left.set(change.from, rows);
    }
  });
  return left;
}

/** Rows that do not have the value, and did not have it since `fromBin`. */
export function controlsOf(column: AttributeColumn, value: string, fromBin: number): number[] {
  const left = column.left.get(value);
  const rows: number[] = [];
  column.values.forEach((other, row) => {
    if (other === undefined || other === value) return;
    if (left !== undefined && (left.get(row) ?? -Infinity) >= fromBin) return;
    rows.push(row);
  });
  return rows;
}
