/**
 * Chunks of each resolution are in partitions by time: what is too old goes with its partition, in no time, whatever its
 * size. What is far from now (a clock that was wrong, a late sample) is in the partition for the rest.
 *
 *     chunks_0      chunks_0_p246720 = slots 246720 to 246731, a day      chunks_0_other
 *     chunks_300    chunks_300_p82240 = five days                         chunks_300_other
 *     chunks_3600   chunks_3600_p4110 = thirty days                       chunks_3600_other
 */
import { type Level, LEVELS, slotOf } from '../../codec/rollup.ts';
import type { Database, Session } from './database.ts';
import { lockOf } from './locks.ts';

const DAY_SECONDS = 86_400;
const PARTITION_DAYS: ReadonlyMap<number, number> = new Map([
  [0, 1],
  [300, 5],
  [3600, 30],
]);
/** Partitions are there so long before they are needed. */
const AHEAD_SECONDS = 2 * DAY_SECONDS;
const BEHIND_SECONDS = DAY_SECONDS;
/** Others wait while a partition is added or dropped; if it does not get its turn soon, it is tried later. */
const LOCK_MS = 2_000;

export interface Partition {
  readonly name: string;
  readonly stepSeconds: number;
  readonly firstSlot: number;
  /** The one after the last. */
  readonly endSlot: number;
}

function slotsPerPartition({ stepSeconds, slotSeconds }: Level): number {
  return ((PARTITION_DAYS.get(stepSeconds) ?? 1) * DAY_SECONDS) / slotSeconds;
}

/** Without the one for the rest. */
export async function partitionsIn(session: Session, schema: string): Promise<readonly Partition[]> {
  const rows = await session.all(
    `SELECT c.relname AS name, pg_get_expr(c.relpartbound, c.oid) AS bounds
     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = $1 AND c.relispartition AND c.relkind = 'r' AND c.relname LIKE 'chunks\\_%\\_p%'`,
    [schema],
  );
  return rows.flatMap(row => {
    const name = String(row['name']);
    const step = /^chunks_(\d+)_p/.exec(name)?.[1];
    const [, first, end] = /FROM \('?(-?\d+)'?\) TO \('?(-?\d+)'?\)/.exec(String(row['bounds'])) ?? [];
    if (step === undefined || first === undefined || end === undefined) return [];
    return [{ name, stepSeconds: Number(step), firstSlot: Number(first), endSlot: Number(end) }];
  });
}

/** Makes the partitions around now that are not there yet. */
export async function preparePartitions(db: Database, now: number): Promise<void> {
  const wanted = LEVELS.flatMap(level => {
    const perPartition = slotsPerPartition(level);
    const place = (at: number): number => Math.floor(slotOf(level, at) / perPartition);
    const [from, to] = [place(now - BEHIND_SECONDS), place(now + AHEAD_SECONDS)];
    return Array.from({ length: to - from + 1 }, (_, i) => ({
      name: `chunks_${level.stepSeconds}_p${(from + i) * perPartition}`.replace('-', 'm'),
      stepSeconds: level.stepSeconds,
      firstSlot: (from + i) * perPartition,
      endSlot: (from + i + 1) * perPartition,
    }));
  });
  const { schema } = db.address;
  const known = new Set((await partitionsIn(db, schema)).map(({ name }) => name));
  for (const partition of wanted) if (!known.has(partition.name)) await addPartition(db, partition);
}

/** What is there already for its time moves into it. */
async function addPartition(db: Database, { name, stepSeconds, firstSlot, endSlot }: Partition): Promise<void> {
  const parent = `chunks_${stepSeconds}`;
  await db.transaction(async session => {
    await session.all(`SET LOCAL lock_timeout = ${LOCK_MS}`);
    await session.all('SELECT pg_advisory_xact_lock($1, $2)', [...lockOf('partitions', db.address.schema)]);
    const known = await partitionsIn(session, db.address.schema);
    if (known.some(other => other.name === name)) return;
    await session.all(
      `CREATE TABLE ${name} (LIKE ${parent} INCLUDING ALL) WITH (toast_tuple_target = 8160);
       LOCK TABLE ${parent}_other IN ACCESS EXCLUSIVE MODE;
       WITH moved AS (DELETE FROM ${parent}_other WHERE slot >= ${firstSlot} AND slot < ${endSlot} RETURNING *)
       INSERT INTO ${name} SELECT * FROM moved;
       ALTER TABLE ${parent} ATTACH PARTITION ${name} FOR VALUES FROM (${firstSlot}) TO (${endSlot})`,
    );
  });
}

/** Drops partitions whose slots are all before the first one that is kept. */
export async function dropPartitions(db: Database, firstKept: (level: Level) => number): Promise<void> {
  const { schema } = db.address;
  for (const { name, stepSeconds, endSlot } of await partitionsIn(db, schema)) {
    const level = LEVELS.find(one => one.stepSeconds === stepSeconds);
    if (level === undefined || endSlot > firstKept(level)) continue;
    await db.transaction(async session => {
      await session.all(`SET LOCAL lock_timeout = ${LOCK_MS}`);
      await session.all(`DROP TABLE IF EXISTS ${name}`);
    });
  }
}
