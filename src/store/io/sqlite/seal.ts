/** Turns the scrapes of a group into chunks of its targets, at every level. */
import zlib from 'node:zlib';
import { chunkOfRows } from '../../codec/chunk.ts';
import { type FindChunk, sealTarget } from '../../codec/seal-target.ts';
import type { Database } from './database.ts';
import { saveTarget, type TargetTable } from './name-tables.ts';
import { readUnsealed } from './unsealed.ts';

/** Within a transaction. `onDamage` is called for each part that cannot be read, which is left out. */
export function sealGroup(db: Database, targets: TargetTable, group: number, onDamage: () => void): void {
  const { rows, lastId } = readUnsealed(db, group, onDamage);
  for (const [id, samples] of rows) {
    const target = targets.byId(id);
    if (target === undefined) continue;
    const find: FindChunk = ({ stepSeconds }, slot) =>
      db.get('SELECT body FROM chunks WHERE target = ? AND step = ? AND slot = ?', [id, stepSeconds, slot])?.body as
        Uint8Array | undefined;
    for (const { level, slot, body } of sealTarget(zlib, chunkOfRows(samples), find, onDamage))
      db.run(
        `INSERT INTO chunks (target, step, slot, body) VALUES (?, ?, ?, ?)
         ON CONFLICT (target, step, slot) DO UPDATE SET body = excluded.body`,
        [id, level.stepSeconds, slot, body],
      );
    saveTarget(db, target);
  }
  db.run('DELETE FROM scrapes WHERE target_group = ? AND id <= ?', [group, lastId]);
}
