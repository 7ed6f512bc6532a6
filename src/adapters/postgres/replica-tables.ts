/** The tables that replicas share beside those of the store. Steps are never changed. */
import type { Sql } from './sql.ts';

/** Taken while tables are made: several replicas may start at once. */
const LOCK = 0x6f616b75;

const STATEMENTS: readonly string[] = [
  `CREATE TABLE IF NOT EXISTS replicas (
    id text PRIMARY KEY, session text NOT NULL, address text, beat_at timestamptz NOT NULL
  )`,
  // At most one row.
  `CREATE TABLE IF NOT EXISTS replica_leader (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    id text NOT NULL, session text NOT NULL, term bigint NOT NULL, beat_at timestamptz NOT NULL
  )`,
];

export async function makeReplicaTables(sql: Sql): Promise<void> {
  // One message is one transaction.
  await sql.query(`SELECT pg_advisory_xact_lock(${LOCK}); ${STATEMENTS.join('; ')}`);
}
