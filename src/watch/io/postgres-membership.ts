/**
 * Replicas as rows with heartbeats, and the leadership as one row that is compared and swapped. All times are the
 * database's.
 */
import { randomBytes } from 'node:crypto';
import { GROUP_SETTING, StoreError } from '../../store/ports.ts';
import { databaseTrouble } from '../../store/io/postgres/database-trouble.ts';
import { Database, type Patience, type Session } from '../../store/io/postgres/database.ts';
import { migrate } from '../../store/io/postgres/schema.ts';
import { parseStoreUrl, type StoreAddress } from '../../store/io/postgres/store-url.ts';
import type { Membership, Roster } from '../replicas/ports.ts';
import { Failure } from '../../base/errors.ts';

export interface PostgresMember {
  readonly id: string;
  /** Tells this process from an earlier one with the same id. */
  readonly session: string;
  readonly address: string | null;
  readonly leaseSeconds: number;
  /** `PostgreSQL at db:5432` */
  readonly authority: string;
}

const FRESH = "beat_at > clock_timestamp() - $1 * interval '1 second'";

/**
 * One statement, so that a beat takes one way to a slow server and back. It sees others as they were before it, and this
 * replica as it is after it. The row of an earlier process with this id is not this replica.
 */
const BEAT = `
  WITH me AS (
    INSERT INTO replicas AS r (id, session, address, beat_at) VALUES ($2, $3, $4, clock_timestamp())
    ON CONFLICT (id) DO UPDATE SET session = $3, address = $4, beat_at = clock_timestamp()
      WHERE r.session = $3 OR NOT r.${FRESH}
    RETURNING id, address
  ), lead AS (
    INSERT INTO replica_leader AS l (id, session, term, beat_at) SELECT id, $3, 1, clock_timestamp() FROM me
    ON CONFLICT (only_row) DO UPDATE SET id = $2, session = $3, beat_at = clock_timestamp(),
        term = l.term + CASE WHEN l.session = $3 THEN 0 ELSE 1 END
      WHERE l.session = $3 OR NOT l.${FRESH}
    RETURNING id, term
  )
  SELECT 'me' AS what, id, address, NULL::bigint AS term FROM me
  UNION ALL SELECT 'other', id, address, NULL FROM replicas WHERE ${FRESH} AND id <> $2
  UNION ALL SELECT 'leader', id, NULL, term FROM lead
  UNION ALL SELECT 'leader', id, NULL, term FROM replica_leader
    WHERE ${FRESH} AND (id <> $2 OR session = $3) AND NOT EXISTS (SELECT FROM lead)`;

const LEADS = `SELECT 1 FROM replica_leader WHERE ${FRESH} AND session = $2 AND term = $3`;
const LEAVE = `
  WITH gone AS (DELETE FROM replicas WHERE session = $1)
  UPDATE replica_leader SET session = '', beat_at = '-infinity' WHERE session = $1`;
const FORGET = "DELETE FROM replicas WHERE beat_at < clock_timestamp() - interval '1 day'";

export function postgresMembership(sql: Session, member: PostgresMember): Membership {
  const { id, session, address, leaseSeconds, authority } = member;
  let hasJoined = false;
  return {
    authority,
    async beat(): Promise<Roster> {
      const rows = await sql.all(BEAT, [leaseSeconds, id, session, address]);
      if (!rows.some(row => row['what'] === 'me'))
        throw new Failure(
          'usage',
          `another process is the replica ${id} of this watch; stop it, or give each its own --replica-id`,
        );
      if (!hasJoined) await sql.all(FORGET);
      hasJoined = true;
      const leader = rows.find(row => row['what'] === 'leader');
      const members = rows
        .filter(row => row['what'] !== 'leader')
        .map(row => ({ id: String(row['id']), address: row['address'] as string | null }));
      return {
        members: members.sort((a, b) => (a.id < b.id ? -1 : 1)),
        leader: leader === undefined ? null : { id: String(leader['id']), term: Number(leader['term']) },
      };
    },
    async leadsNow(term) {
      return (await sql.all(LEADS, [leaseSeconds, session, term])).length === 1;
    },
    async leave() {
      await sql.all(LEAVE, [session]);
    },
  };
}

/**
 * The connections of a replica beside those of its store, so that no long statement there delays a beat. A beat that
 * fails leaves time for another one before the replica has to give up.
 */
export const REPLICA_PATIENCE: Patience = { urgent: 3_000, others: 5_000 };

/** Throws a StoreError, or a Failure if the address makes no sense. */
export async function openReplicaTables(url: string): Promise<Database> {
  const address = parseStoreUrl(url);
  try {
    await prepare(address);
    return await Database.open(address, false, REPLICA_PATIENCE);
  } catch (error) {
    if (error instanceof StoreError) throw error;
    throw new StoreError('unreachable', `cannot open the store in ${address.shown}: ${databaseTrouble(error)}`, {
      cause: error,
    });
  }
}

/** With the usual patience: others may be at it. */
async function prepare(address: StoreAddress): Promise<void> {
  const db = await Database.open(address, false);
  try {
    await migrate(db);
  } finally {
    await db.close();
  }
}

/**
 * What replicas that know each other by Leases need of the store: the name of their group, and the latest term. Made
 * once for each store: watches with different stores may have their Leases in one namespace.
 */
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
