/** Whether the content of a row can be read: samples have a checksum, documents have to be JSON. */
import { parseJson } from '../../base/json.ts';
import { decodeChunk } from '../codec/chunk-codec.ts';
import { rowsByTarget } from '../codec/scrape-batch.ts';
import { cellAt, type StoreRow, type StoreTable } from '../tables.ts';
import type { IsWhole } from './table-digest.ts';
import { ifWhole, type Zlib } from '../codec/store-limits.ts';

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
