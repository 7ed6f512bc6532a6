/**
 * Copies a store: every table, page by page, and the files that the rows name. With each page, the target records how far it has come; so it continues
 * there after a kill at any moment, and a target that has something else is refused.
 */
import { listOf, parseJson, recordOf, textOf } from '../base/json.ts';
import { keyOf, STORE_TABLES, type StoreRow, type StoreTable, CAPTURE_FILES, cellAt } from './tables.ts';
import { COPY_KEY, type StoreRows, StoreError, type EvidenceFile, type EvidenceFiles } from './ports.ts';
import { digestOf, type IsWhole, pagesOf, type Sha256, type TableDigest } from './table-digest.ts';
import { Failure } from '../base/errors.ts';
import { BoundedWork } from '../base/bounded-work.ts';
import { formatBytes } from '../base/say.ts';
import { table } from '../base/text-layout.ts';

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

/** Copies the files that the rows of a store name. No listing decides what there is: each is asked for by its name. */

const AT_ONCE = 4;
/** Files are in memory as a whole while they are copied or checked: no more of them at once. */
const MAX_BYTES_AT_ONCE = 128 * 1024 * 1024;
const SAY_EVERY = 100;

export interface CheckedEvidence {
  readonly files: number;
  readonly bytes: number;
  /** Hashes of those that are not there. */
  readonly missing: readonly string[];
  /** Hashes of those that are not what was written. */
  readonly damaged: readonly string[];
}

/** Each once, however many captures name it. */
export async function namedFiles(rows: StoreRows): Promise<readonly EvidenceFile[]> {
  const found = new Map<string, number>();
  for await (const page of pagesOf(rows, CAPTURE_FILES))
    for (const row of page)
      found.set(String(cellAt(CAPTURE_FILES, row, 'sha256')), Number(cellAt(CAPTURE_FILES, row, 'bytes')));
  return Array.from(found, ([sha256, bytes]) => ({ sha256, bytes }));
}

/** Leaves alone what is there in its size; what the source does not have is found by the check that follows. */
export async function copyEvidence(
  named: readonly EvidenceFile[],
  from: Pick<EvidenceFiles, 'read'>,
  to: EvidenceFiles,
  say: (line: string) => void,
): Promise<void> {
  let done = 0;
  await each(named, async ({ sha256, bytes }) => {
    if ((await to.size(sha256)) !== bytes) {
      const content = await from.read(sha256).catch(unlessDamaged);
      if (content !== undefined) await to.put(sha256, content);
    }
    if (++done % SAY_EVERY === 0) say(`profiles: ${done} of ${named.length} copied`);
  });
}

/** Writes those again whose bytes there are not what they should be, and here are. */
export async function repairEvidence(
  damaged: readonly EvidenceFile[],
  from: Pick<EvidenceFiles, 'read'>,
  to: EvidenceFiles,
): Promise<void> {
  await each(damaged, async ({ sha256 }) => {
    const content = await from.read(sha256).catch(unlessDamaged);
    if (content === undefined) return;
    await to.remove(sha256);
    await to.put(sha256, content);
  });
}

/** Reads every file. */
export async function checkEvidence(
  named: readonly EvidenceFile[],
  files: Pick<EvidenceFiles, 'read'>,
  say: (line: string) => void,
): Promise<CheckedEvidence> {
  const [missing, damaged]: [string[], string[]] = [[], []];
  let [done, total] = [0, 0];
  await each(named, async ({ sha256, bytes }) => {
    try {
      const content = await files.read(sha256);
      if (content === undefined) missing.push(sha256);
      else if (content.length !== bytes) damaged.push(sha256);
      total += content?.length ?? 0;
    } catch (error) {
      unlessDamaged(error);
      damaged.push(sha256);
    }
    if (++done % SAY_EVERY === 0) say(`profiles: ${done} of ${named.length} checked`);
  });
  return { files: named.length, bytes: total, missing: missing.sort(), damaged: damaged.sort() };
}

function unlessDamaged(error: unknown): undefined {
  if (!(error instanceof StoreError) || error.kind !== 'damaged') throw error;
  return undefined;
}

async function each(files: readonly EvidenceFile[], work: (file: EvidenceFile) => Promise<void>): Promise<void> {
  const queue = files.values();
  const memory = new BoundedWork(MAX_BYTES_AT_ONCE);
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (const file of queue) await memory.do(file.bytes, () => work(file));
    }),
  );
}

interface StoreCopyResult {
  readonly tables: readonly { readonly table: string; readonly rows: number; readonly digest: string }[];
  readonly evidence: {
    readonly files: number;
    readonly bytes: number;
    readonly missing: readonly string[];
    readonly damaged: readonly string[];
  };
  /** Profiles that the rows name, and that were not copied. */
  readonly left: number;
}

const SHOWN_DIGITS = 16;

/** What `oakum store copy` copied, or `oakum store verify` found. */
export function storeCopyText({ tables, evidence, left }: StoreCopyResult): string {
  const lines: string[] = [];
  if (tables.length > 0) {
    const rows = tables.map(one => [one.table, String(one.rows), one.digest.slice(0, SHOWN_DIGITS)]);
    lines.push(...table(['TABLE', 'ROWS', 'DIGEST'], rows), '');
  }
  const { files, bytes, missing, damaged } = evidence;
  if (left > 0) lines.push(`profiles: ${left} stay where they are; --evidence-to copies them`);
  else lines.push(`profiles: ${files} (${formatBytes(bytes)}), ${missing.length} missing, ${damaged.length} damaged`);
  for (const sha256 of missing) lines.push(`  missing ${sha256}`);
  for (const sha256 of damaged) lines.push(`  damaged ${sha256}`);
  return `${lines.join('\n')}\n`;
}
