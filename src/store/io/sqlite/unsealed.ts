/** Samples that are in the file as they came, not in chunks yet. */
import zlib from 'node:zlib';
import type { Row } from '../../codec/chunk.ts';
import { rowsByTarget } from '../../codec/scrape-batch.ts';
import type { Database, SqlValue } from './database.ts';

export interface Unsealed {
  /** By the target's number; in order of arrival. */
  readonly rows: ReadonlyMap<number, readonly Row[]>;
  /** The id of the last scrape; 0 if there is none. */
  readonly lastId: SqlValue;
}

/** For a group of targets. Calls `onDamage` for each scrape that cannot be read, and leaves it out. */
export function readUnsealed(db: Database, group: number, onDamage: () => void): Unsealed {
  const scrapes = db.all('SELECT id, body FROM scrapes WHERE target_group = ? ORDER BY id', [group]);
  const bodies = scrapes.map(({ body }) => body as Uint8Array);
  return { rows: rowsByTarget(zlib, group, bodies, onDamage), lastId: scrapes.at(-1)?.id ?? 0 };
}
