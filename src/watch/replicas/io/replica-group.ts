/** What replicas that know each other by Leases need of the store: the name of their group, and the latest term. */
import { randomBytes } from 'node:crypto';
import { GROUP_SETTING } from '../../../store/copy/store-rows.ts';
import type { Session } from '../../../store/io/postgres/database.ts';

/** Made once for each store: watches with different stores may have their Leases in one namespace. */
export async function replicaGroup(sql: Session): Promise<string> {
  await sql.all('INSERT INTO meta (key, value) VALUES ($1, $2) ON CONFLICT (key) DO NOTHING', [
    GROUP_SETTING,
    randomBytes(4).toString('hex'),
  ]);
  const [row] = await sql.all('SELECT value FROM meta WHERE key = $1', [GROUP_SETTING]);
  return String(row?.['value']);
}

/** The latest term under which a leader wrote. */
export async function fencedTerm(sql: Session, authority: string): Promise<number> {
  const [row] = await sql.all('SELECT term FROM replica_fence WHERE authority = $1', [authority]);
  return Number(row?.['term'] ?? 0);
}
