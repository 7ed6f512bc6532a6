/**
 * Replicas as rows with heartbeats, and the leadership as one row that is compared and swapped. All times are the
 * database's.
 */
import type { Session } from '../../../store/io/postgres/database.ts';
import type { Membership } from '../ports.ts';
import type { Roster } from '../update.ts';
import { Failure } from '../../../base/errors.ts';

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
