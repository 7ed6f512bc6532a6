/** A digest of a table that does not depend on the order of its rows: databases sort text differently. */
import { parseJson } from '../base/json.ts';
import { encodeText } from '../base/text.ts';
import { cellAt, type Cell, keyOf, type StoreRow, type StoreTable } from './tables.ts';
import type { StoreRows } from './ports.ts';
import { decodeChunk } from './codec/chunk-codec.ts';
import { rowsByTarget } from './codec/scrape-batch.ts';
import { ifWhole, storable, type Zlib } from './codec/store-limits.ts';

export type Sha256 = (bytes: Uint8Array) => string;

export interface TableDigest {
  readonly rows: number;
  readonly digest: string;
  /** Rows whose content cannot be read, such as `target 17 step 300 slot 83087`; the first of many. */
  readonly damaged: readonly string[];
  readonly damagedRows: number;
}

export type IsWhole = (table: StoreTable, row: StoreRow) => boolean;

const MAX_NAMED = 5;

const PAGE_ROWS = 500;
const MODULUS = 2n ** 256n;

export async function* pagesOf(
  rows: StoreRows,
  table: StoreTable,
  from?: StoreRow,
): AsyncGenerator<readonly StoreRow[]> {
  for (let after = from; ;) {
    const page = await rows.read(table, after, PAGE_ROWS);
    const last = page.at(-1);
    if (last === undefined) return;
    yield page;
    after = keyOf(table, last);
  }
}

export async function digestOf(
  rows: StoreRows,
  table: StoreTable,
  sha256: Sha256,
  isWhole: IsWhole = () => true,
): Promise<TableDigest> {
  let [count, damagedRows, sum] = [0, 0, 0n];
  const damaged: string[] = [];
  for await (const page of pagesOf(rows, table)) {
    count += page.length;
    for (const row of page) {
      sum = (sum + BigInt(`0x${sha256(encodeText(rowText(row, sha256)))}`)) % MODULUS;
      if (isWhole(table, row)) continue;
      if (++damagedRows <= MAX_NAMED) damaged.push(table.keys.map((key, i) => `${key} ${String(row[i])}`).join(' '));
    }
  }
  return { rows: count, digest: sum.toString(16).padStart(64, '0'), damaged, damagedRows };
}

/** Text as PostgreSQL stores it, which does not have every character. */
function rowText(row: StoreRow, sha256: Sha256): string {
  const cellText = (cell: Cell): unknown =>
    cell instanceof Uint8Array ? { bytes: sha256(cell) } : typeof cell === 'string' ? storable(cell) : cell;
  return JSON.stringify(row.map(cellText));
}

/** Whether the content of a row can be read: samples have a checksum, documents have to be JSON. */
export function wholeRows(zlib: Zlib): IsWhole {
  return (table, row) => {
    if (table.document !== undefined) return parseJson(String(cellAt(table, row, table.document))) !== undefined;
    return table.name === 'chunks' || table.name === 'scrapes' ? isReadable(zlib, table, row) : true;
  };
}

function isReadable(zlib: Zlib, table: StoreTable, row: StoreRow): boolean {
  const body = cellAt(table, row, 'body');
  if (!(body instanceof Uint8Array)) return false;
  let isWhole = true;
  const onDamage = (): void => void (isWhole = false);
  if (table.name === 'chunks') ifWhole(() => decodeChunk(zlib, body), onDamage);
  else rowsByTarget(zlib, 0, [body], onDamage);
  return isWhole;
}
