/** Samples that are in the file as they came, not in chunks yet. */
import { FormatError } from '../../base/errors.ts';
import type { Row } from './chunk.ts';
import type { Database, SqlValue } from './database.ts';
import { decodeScrapes, GROUP_SIZE } from './scrape-batch.ts';

export interface Unsealed {
  /** By the target's number; in order of arrival. */
  readonly rows: ReadonlyMap<number, readonly Row[]>;
  /** The id of the last scrape; 0 if there is none. */
  readonly lastId: SqlValue;
}

/** For a group of targets. Calls `onDamage` for each scrape that cannot be read, and leaves it out. */
export function readUnsealed(db: Database, group: number, onDamage: () => void): Unsealed {
  const rows = new Map<number, Row[]>();
  const add = (seat: number, row: Row): void => {
    const id = group * GROUP_SIZE + seat;
    const known = rows.get(id);
    if (known === undefined) rows.set(id, [row]);
    else known.push(row);
  };
  const scrapes = db.all('SELECT id, body FROM scrapes WHERE target_group = ? ORDER BY id', [group]);
  for (const { body } of scrapes) ifWhole(() => decodeScrapes(body as Uint8Array, add), onDamage);
  return { rows, lastId: scrapes.at(-1)?.id ?? 0 };
}

/** Undefined, after calling `onDamage`, if it is damaged. */
export function ifWhole<T>(read: () => T, onDamage: () => void): T | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    onDamage();
    return undefined;
  }
}
