/**
 * Replicas as rows with heartbeats, and the leadership as one row that is compared and swapped. All times are the
 * database's.
 */
import { Failure } from '../../base/failure.ts';
import type { Roster } from '../../model/replica.ts';
import type { Membership } from '../../ports/membership.ts';
import type { Session } from './database.ts';

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

const BEAT = `
  WITH me AS (
    INSERT INTO replicas AS r (id, session, address, beat_at) VALUES ($2, $3, $4, clock_timestamp())
    ON CONFLICT (id) DO UPDATE SET session = $3, address = $4, beat_at = clock_timestamp()
      WHERE r.session = $3 OR NOT r.${FRESH}
    RETURNING id
  ), lead AS (
    INSERT INTO replica_leader AS l (id, session, term, beat_at) SELECT id, $3, 1, clock_timestamp() FROM me
    ON CONFLICT (only_row) DO UPDATE SET id = $2, session = $3, beat_at = clock_timestamp(),
        term = l.term + CASE WHEN l.session = $3 THEN 0 ELSE 1 END
      WHERE l.session = $3 OR NOT l.${FRESH}
  )
  SELECT id FROM me`;

const MEMBERS = `SELECT id, address FROM replicas WHERE ${FRESH} ORDER BY id COLLATE "C"`;
/** The row of an earlier process with this id is not this replica. */
const LEADER = `SELECT id, term FROM replica_leader WHERE ${FRESH} AND (id <> $2 OR session = $3)`;
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
      const renewed = await sql.all(BEAT, [leaseSeconds, id, session, address]);
      if (renewed.length === 0)
        throw new Failure(
          'usage',
          `another process is the replica ${id} of this watch; stop it, or give each its own --replica-id`,
        );
      if (!hasJoined) await sql.all(FORGET);
      hasJoined = true;
      const members = await sql.all(MEMBERS, [leaseSeconds]);
      const leaders = await sql.all(LEADER, [leaseSeconds, id, session]);
      const [leader] = leaders;
      return {
        members: members.map(row => ({ id: String(row['id']), address: row['address'] as string | null })),
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
