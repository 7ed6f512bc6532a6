/** Samples that are in the file as they came, and not in chunks yet. */
import { FormatError } from '../../base/errors.ts';
import type { Row } from './chunk.ts';
import type { Database, SqlValue } from './database.ts';
import { decodeScrapes, GROUP_SIZE } from './scrape-batch.ts';

export interface Unsealed {
  /** By the target's number; in order of arrival. */
  readonly rows: ReadonlyMap<number, readonly Row[]>;
  /** Of the last scrape that was read; 0 when there was none. */
  readonly lastId: SqlValue;
}

/** Of a group of targets. What cannot be read is told and left out. */
export function readUnsealed(db: Database, group: number, onDamage: () => void): Unsealed {
  const rows = new Map<number, Row[]>();
  const add = (seat: number, row: Row): void => {
    const id = group * GROUP_SIZE + seat;
    const known = rows.get(id);
    if (known === undefined) rows.set(id, [row]);
    else known.push(row);
  };
  const scrapes = db.all('SELECT id, body FROM scrapes WHERE target_group = ? ORDER BY id', [group]);
  for (const { body } of scrapes) whole(() => decodeScrapes(body as Uint8Array, add), onDamage);
  return { rows, lastId: scrapes.at(-1)?.id ?? 0 };
}

/** Undefined, and told, for what is damaged. */
export function whole<T>(read: () => T, onDamage: () => void): T | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    onDamage();
    return undefined;
  }
}
