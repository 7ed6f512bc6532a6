/**
 * What targets are, from a file of the user.
 *
 *     target,version,pool                                        { "node-1": { "version": "v1.36.0", "pool": "a" } }
 *     node-1,v1.36.0,a                                           [{ "target": "node-1", "at": "2026-08-04T06:00:00Z",
 *     node-2,v1.35.7,b                                              "version": "v1.36.0" }]
 *
 * A column `at` says since when a row holds, so that several rows of one target are its history.
 */
import { clusterOf, withoutCluster, type Attributes } from './target.ts';
import { parseJson } from '../base/json.ts';
import type { Description } from './attribute-runs.ts';
import { Failure } from '../base/errors.ts';

export type DescribedTargets = ReadonlyMap<string, readonly Description[]>;

const MAX_ATTRIBUTES = 200;
const MAX_VALUE = 200;

/** `name` is that of the file, for messages. */
export function readAttributeFile(text: string, name: string): DescribedTargets {
  const trimmed = text.replace(/^\uFEFF/, '').trim();
  if (trimmed === '') throw new Failure('no-evidence', `${name} is empty`);
  const rows = /^[[{]/.test(trimmed) ? rowsOfJson(trimmed, name) : rowsOfCsv(trimmed, name);
  const targets = new Map<string, Description[]>();
  for (const { target, at, attributes } of rows) {
    if (Object.keys(attributes).length > MAX_ATTRIBUTES) {
      throw new Failure('usage', `${name}: ${target} has more than ${MAX_ATTRIBUTES} attributes`);
    }
    const known = targets.get(target) ?? [];
    known.push({ atSeconds: at, attributes });
    targets.set(target, known);
  }
  for (const descriptions of targets.values()) descriptions.sort((a, b) => a.atSeconds - b.atSeconds);
  return targets;
}

/** A node may be named with or without `node/`; one of several clusters as `prod-eu/worker-17` too. */
export function descriptionsFor(targets: DescribedTargets, name: string): readonly Description[] {
  const bare = withoutCluster(name).replace(/^node\//, '');
  const cluster = clusterOf(name);
  return targets.get(name) ?? targets.get(cluster === undefined ? bare : `${cluster}/${bare}`) ?? [];
}

/** What a file says about a target now. */
export function givenAttributes(targets: DescribedTargets, name: string): Attributes {
  return Object.assign({}, ...descriptionsFor(targets, name).map(({ attributes }) => attributes)) as Attributes;
}

interface Row {
  readonly target: string;
  /** -Infinity without a time. */
  readonly at: number;
  readonly attributes: Readonly<Record<string, string>>;
}

const TARGET_COLUMNS = ['target', 'node', 'instance', 'name'];

function rowsOfCsv(text: string, name: string): Row[] {
  const [header = [], ...lines] = csvRecords(text, name);
  const columns = header.map(column => column.trim());
  const target = columns.findIndex(column => TARGET_COLUMNS.includes(column.toLowerCase()));
  if (target < 0 || columns.length < 2) {
    throw new Failure(
      'usage',
      `${name}: the first line must name the columns, one of them target: target,version,pool`,
    );
  }
  const at = columns.findIndex(column => column === 'at' || column === 'time');
  return lines.map((cells, i) => {
    if (cells.length !== columns.length) {
      throw new Failure('usage', `${name}: row ${i + 2} has ${cells.length} cells and the header ${columns.length}`);
    }
    const attributes = columns.flatMap((column, c) => (c === target || c === at ? [] : [[column, cells[c] ?? '']]));
    return rowOf(name, cells[target] ?? '', at < 0 ? undefined : cells[at], Object.fromEntries(attributes));
  });
}

/** RFC 4180: quotes may hold commas, line breaks and doubled quotes. */
function csvRecords(text: string, name: string): string[][] {
  const records: string[][] = [];
  let record: string[] = [];
  const pattern = /(?:"((?:[^"]|"")*)"|([^,\r\n"]*))(,|\r?\n|$)/gy;
  for (;;) {
    const found = pattern.exec(text);
    if (found === null) throw new Failure('usage', `${name}: row ${records.length + 1} has a quote that does not end`);
    record.push((found[1] ?? '').replaceAll('""', '"') || (found[2] ?? ''));
    if (found[3] === ',') continue;
    if (record.some(cell => cell !== '')) records.push(record);
    record = [];
    if (found[3] === '' || pattern.lastIndex >= text.length) return records;
  }
}

function rowsOfJson(text: string, name: string): Row[] {
  const read = parseJson(text);
  if (read === undefined) throw new Failure('usage', `${name} is not valid JSON`);
  const entries: [string | undefined, unknown][] = Array.isArray(read)
    ? read.map(one => [undefined, one])
    : Object.entries(read as object);
  return entries.map(([target, value], i) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw new Failure('usage', `${name}: ${target ?? `entry ${i + 1}`} is not an object of attributes`);
    }
    const { target: named, node, at, ...attributes } = value as Record<string, unknown>;
    return rowOf(name, target ?? textOf(named ?? node), at === undefined ? undefined : textOf(at), attributes);
  });
}

function rowOf(
  name: string,
  target: string,
  at: string | undefined,
  attributes: Readonly<Record<string, unknown>>,
): Row {
  if (target.trim() === '') throw new Failure('usage', `${name}: a row has no target`);
  const kept = Object.entries(attributes).flatMap(([attribute, value]): [string, string][] => {
    const text = textOf(value).trim();
    return text === '' ? [] : [[attribute, text.slice(0, MAX_VALUE)]];
  });
  return { target: target.trim(), at: timeOf(at, name), attributes: Object.fromEntries(kept) };
}

function timeOf(text: string | undefined, name: string): number {
  if (text === undefined || text.trim() === '') return -Infinity;
  const seconds = /^\d{9,11}(?:\.\d+)?$/.test(text.trim()) ? Number(text) : Date.parse(text.trim()) / 1000;
  if (Number.isNaN(seconds)) throw new Failure('usage', `${name}: ${text} is no time; write 2026-08-04T06:00:00Z`);
  return seconds;
}

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}
