/** Numbers of advisory locks, which are the same in all processes of a store. They end with their transaction. */
import { createHash } from 'node:crypto';

export type LockedWork = 'migrate' | 'seal' | 'retain' | 'partitions' | 'captures';

/** Two numbers for pg_advisory_xact_lock: of the work in this store, and of the part of it. */
export function lockOf(work: LockedWork, schema: string, part: number = 0): readonly [number, number] {
  const digest = createHash('sha256').update(`oakum ${work} ${schema}`).digest();
  return [digest.readInt32LE(0), part | 0];
}
