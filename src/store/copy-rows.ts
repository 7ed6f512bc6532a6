/**
 * Copies every table of a store, page by page. With each page, the target records how far it has come; so it continues
 * there after a kill at any moment, and a target that has something else is refused.
 */
import { listOf, parseJson, recordOf, textOf } from '../base/json.ts';
import { keyOf, STORE_TABLES, type StoreRow, type StoreTable } from './tables.ts';
import { COPY_KEY, type StoreRows } from './store-rows.ts';
import { digestOf, type IsWhole, pagesOf, type Sha256, type TableDigest } from './table-digest.ts';
import { Failure } from '../base/errors.ts';

export interface CopiedTable extends TableDigest {
  readonly table: string;
}

interface Marker {
  /** As it was shown, and which it was. */
  readonly from: string;
  readonly id: string;
  /** The table that is being copied; those before it are done. */
  readonly table: string;
  /** The key of the last row that was copied; undefined if none was. */
  readonly after: StoreRow | undefined;
}

/** The target keeps its marker: the caller calls `endCopy` when the rest of the copy is done. Throws a Failure. */
export async function copyRows(from: StoreRows, to: StoreRows, say: (line: string) => void): Promise<void> {
  if (from.id === to.id) throw new Failure('usage', `${from.shown} cannot be copied to itself`);
  const found = await to.setting(COPY_KEY);
  const marker = found === undefined ? undefined : parseMarker(found);
  if (marker === undefined) await requireEmpty(to);
  else if (marker.id !== from.id)
    throw new Failure(
      'store-refused',
      `${to.shown} is an unfinished copy of ${marker.from}, not of ${from.shown}; finish that one, or choose another place`,
    );
  else say(`continues at ${marker.table}`);
  const begin = Math.max(
    0,
    STORE_TABLES.findIndex(({ name }) => name === marker?.table),
  );
  for (const [i, table] of STORE_TABLES.entries()) {
    if (i < begin) continue;
    await copyTable(from, to, table, i === begin ? marker?.after : undefined, say);
  }
  await to.finish();
}

async function copyTable(
  from: StoreRows,
  to: StoreRows,
  table: StoreTable,
  after: StoreRow | undefined,
  say: (line: string) => void,
): Promise<void> {
  const mark = (last: StoreRow | undefined): Record<string, string> => ({
    [COPY_KEY]: JSON.stringify({ from: from.shown, id: from.id, table: table.name, after: last }),
  });
  if (after === undefined) await to.write(undefined, [], mark(undefined));
  let count = 0;
  for await (const page of pagesOf(from, table, after)) {
    await to.write(table, page, mark(keyOf(table, page.at(-1) ?? [])));
    count += page.length;
  }
  if (count > 0) say(`${table.name}: ${count} rows copied`);
}

async function requireEmpty(to: StoreRows): Promise<void> {
  for (const table of STORE_TABLES) {
    if ((await to.read(table, undefined, 1)).length === 0) continue;
    throw new Failure('store-refused', `${to.shown} has data already (${table.name}); choose an empty place`);
  }
}

/** Compares both sides, table by table. Throws a Failure that names those that differ. */
export async function compareRows(
  from: StoreRows,
  to: StoreRows,
  sha256: Sha256,
  isWhole: IsWhole,
): Promise<readonly CopiedTable[]> {
  const copied: CopiedTable[] = [];
  const different: string[] = [];
  for (const table of STORE_TABLES) {
    const [there, here] = [await digestOf(from, table, sha256), await digestOf(to, table, sha256, isWhole)];
    if (there.digest !== here.digest || there.rows !== here.rows) different.push(table.name);
    copied.push({ table: table.name, ...here });
  }
  if (different.length === 0) return copied;
  throw new Failure(
    'store-refused',
    `${to.shown} differs from ${from.shown} in ${different.join(', ')}: it was written to meanwhile; stop oakum watch, ` +
      'empty the target, and copy again',
  );
}

export async function endCopy(to: StoreRows): Promise<void> {
  await to.write(undefined, [], { [COPY_KEY]: undefined });
}

function parseMarker(text: string): Marker {
  const { from, id, table, after } = recordOf(parseJson(text));
  const key = listOf(after).filter(cell => typeof cell === 'string' || typeof cell === 'number');
  return { from: textOf(from), id: textOf(id), table: textOf(table), after: key.length === 0 ? undefined : key };
}
