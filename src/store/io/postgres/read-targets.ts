/** Targets of the store, with what this process knows better. */
import type { StoredTarget } from '../../stored-samples.ts';
import { storable } from '../../codec/text-cells.ts';
import type { Session } from './database.ts';
import { type KnownTarget, NAMED_TARGETS, parseAttributes } from './target-names.ts';

/**
 * The times of targets that another process samples may be five minutes behind; those that nothing is committed of are
 * left out.
 */
export async function readTargets(
  session: Session,
  find: (target: string) => KnownTarget | undefined,
  only?: readonly string[],
): Promise<StoredTarget[]> {
  const asked = new Map(only?.map(target => [storable(target), target]));
  const rows = await session.all(
    `SELECT name, attributes, first_seen, last_seen FROM ${only === undefined ? 'targets' : NAMED_TARGETS}
     WHERE attributes IS NOT NULL ORDER BY id`,
    only === undefined ? [] : [[...asked.keys()]],
  );
  return rows.map(row => {
    const target = asked.get(String(row['name'])) ?? String(row['name']);
    const own = find(target);
    const firstSeenAt = Math.min(Number(row['first_seen'] ?? Infinity), own?.firstSeenAt ?? Infinity);
    const lastSeenAt = Math.max(Number(row['last_seen'] ?? -Infinity), own?.lastSeenAt ?? -Infinity);
    return {
      target,
      attributes: parseAttributes(row['attributes']),
      firstSeenAt: firstSeenAt === Infinity ? null : firstSeenAt,
      lastSeenAt: lastSeenAt === -Infinity ? null : lastSeenAt,
    };
  });
}
