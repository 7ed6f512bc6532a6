/** What is done after each commit: sealing, partitions for the days ahead, deleting what is old. */
import { SealSchedule, isDue, sealTarget, slotsTouched } from '../../codec/sealing.ts';
import {
  type StoreLimits,
  keptSeconds,
  type RetentionLimits,
  type ClockState,
  isSteady,
  lookAtClock,
  NEW_CLOCK,
  parseClockState,
} from '../../codec/store-limits.ts';
import type { Database, Session } from './database.ts';
import { databaseTrouble } from './database-trouble.ts';
import { readSetting, saveSetting, inPieces, packBodies } from './record-tables.ts';
import { HOURS, type Level, LEVELS, slotOf, chunkOfRows } from '../../codec/chunk.ts';
import zlib from 'node:zlib';
import { GROUP_SIZE, rowsByTarget } from '../../codec/scrape-batch.ts';
import { saveTimes } from './commits.ts';
import { lockOf } from './schema.ts';

/**
 * Turns the scrapes of a group into chunks of its targets, at every level; one process at a time.
 *
 * What waits so long is sealed, however little it is: nothing more may come.
 */
const IS_OLD = `coalesce(min(added_at) < now() - interval '1 day', false)`;

const NOTHING: LeftOver = { samples: 0, rows: 0 };

/**
 * Chunks of each resolution are in partitions by time: what is too old goes with its partition, in no time, whatever its
 * size. What is far from now (a clock that was wrong, a late sample) is in the partition for the rest.
 *
 *     chunks_0      chunks_0_p246720 = slots 246720 to 246731, a day      chunks_0_other
 *     chunks_300    chunks_300_p82240 = five days                         chunks_300_other
 *     chunks_3600   chunks_3600_p4110 = thirty days                       chunks_3600_other
 */
const PARTITION_DAYS: ReadonlyMap<number, number> = new Map([
  [0, 1],
  [300, 5],
  [3600, 30],
]);

const DAY_SECONDS = 86_400;

/** Partitions are there so long before they are needed. */
const AHEAD_SECONDS = 2 * DAY_SECONDS;

const BEHIND_SECONDS = DAY_SECONDS;

/** Others wait while a partition is added or dropped; if it does not get its turn soon, it is tried later. */
const LOCK_MS = 2_000;

const ROWS_AT_ONCE = 5_000;

/** Whatever their age: a cluster may produce very many. */
const MAX_EVENTS = 5_000_000;

const CLOCK_KEY = 'store.clock';
/** How often data is deleted and the clock is saved. */
const ROUND_SECONDS = 600;
/** How often groups are looked up that no process counts any more. */
const LOOK_UP_SECONDS = 3_600;
/** The leader does it after each commit: a process that was not asked for this long does not lead any more. */
const TRIED_MS = 30_000;

/** Deletes old data, a bounded piece at a time; one process at a time. */
export class Upkeep {
  readonly #db: Database;
  readonly #limits: StoreLimits;
  readonly #memberCount: (group: number) => number;
  readonly #onDamage: () => void;
  readonly #schedule = new SealSchedule();
  #clock: ClockState = NEW_CLOCK;
  #roundAt = -Infinity;
  #lookedUpAt = -Infinity;
  #running: Promise<void> | undefined;
  #trouble: string | undefined;
  #triedMs = -Infinity;
  readonly #nowMs: () => number;
  databaseBytes = 0;

  constructor(
    db: Database,
    limits: StoreLimits,
    memberCount: (group: number) => number,
    onDamage: () => void,
    nowMs: () => number = () => performance.now(),
  ) {
    this.#db = db;
    this.#nowMs = nowMs;
    this.#limits = limits;
    this.#memberCount = memberCount;
    this.#onDamage = onDamage;
  }

  async load(): Promise<void> {
    const clock = await readSetting(this.#db, CLOCK_KEY);
    if (clock !== undefined) this.#clock = parseClockState(clock);
    await this.#measure();
  }

  /** A scrape is in the database. */
  waits(group: number, sampleCount: number): void {
    this.#schedule.add(group, sampleCount);
  }

  run(now: number, also: () => Promise<void>): Promise<void> {
    this.#running ??= this.#tryAll(now, also).finally(() => (this.#running = undefined));
    return this.#running;
  }

  /** Why it failed last; undefined if it did not, or if another process does it now. */
  get trouble(): string | undefined {
    return this.#nowMs() - this.#triedMs < TRIED_MS ? this.#trouble : undefined;
  }

  async settled(): Promise<void> {
    await this.#running;
  }

  async #tryAll(now: number, also: () => Promise<void>): Promise<void> {
    try {
      await this.#all(now, also);
      this.#trouble = undefined;
    } catch (error) {
      this.#trouble = databaseTrouble(error);
    }
    this.#triedMs = this.#nowMs();
  }

  async #all(now: number, also: () => Promise<void>): Promise<void> {
    const isRound = Number.isFinite(now) && Math.abs(now - this.#roundAt) >= ROUND_SECONDS;
    if (isRound) {
      this.#clock = lookAtClock(this.#clock, now);
      if (isSteady(this.#clock)) await preparePartitions(this.#db, now);
    }
    if (Number.isFinite(now) && Math.abs(now - this.#lookedUpAt) >= LOOK_UP_SECONDS) {
      for (const group of await this.#lookUp()) await this.#seal(group);
      this.#lookedUpAt = now;
    }
    for (const group of this.#schedule.due(one => Math.max(1, this.#memberCount(one)))) await this.#seal(group);
    if (!isRound) return;
    await forgetSome(this.#db, this.#limits, now, isSteady(this.#clock));
    await saveSetting(this.#db, CLOCK_KEY, JSON.stringify(this.#clock));
    await also();
    await this.#measure();
    this.#roundAt = now;
  }

  async #seal(group: number): Promise<void> {
    const { samples, rows } = await sealGroup(this.#db, group, this.#onDamage);
    if (rows === 0) this.#schedule.sealed(group);
    else this.#schedule.set(group, samples, rows);
  }

  /** Returns groups that have waited for too long. */
  async #lookUp(): Promise<number[]> {
    const rows = await this.#db.all(
      `SELECT target_group, sum(sample_count) AS samples, count(*) AS n, ${IS_OLD} AS is_old FROM scrapes GROUP BY 1`,
    );
    for (const row of rows) this.#schedule.set(Number(row['target_group']), Number(row['samples']), Number(row['n']));
    return rows.filter(row => row['is_old'] === true).map(row => Number(row['target_group']));
  }

  async #measure(): Promise<void> {
    const [row] = await this.#db.all(
      `SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0) AS bytes
       FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relkind = 'r'`,
      [this.#db.address.schema],
    );
    this.databaseBytes = Number(row?.['bytes']);
  }
}

/** Deletes for age only if the clock can be trusted. */
async function forgetSome(db: Database, limits: RetentionLimits, now: number, isClockSteady: boolean): Promise<void> {
  const firstKept = (level: Level): number => Math.floor((now - keptSeconds(limits, level)) / level.slotSeconds);
  const isMine = await db.transaction(async session => {
    const [lock] = await session.all('SELECT pg_try_advisory_xact_lock($1, $2) AS is_free', [
      ...lockOf('retain', db.address.schema),
    ]);
    if (lock?.['is_free'] !== true) return false;
    if (isClockSteady) await forgetAged(session, limits, now, firstKept);
    await session.all(
      `DELETE FROM events WHERE id IN (SELECT id FROM events WHERE id <= (SELECT max(id) FROM events) - ${MAX_EVENTS}
       ORDER BY id LIMIT ${ROWS_AT_ONCE})`,
    );
    await session.all(`DELETE FROM writers WHERE seen_at < now() - interval '30 days'`);
    return true;
  });
  if (isMine && isClockSteady) await dropPartitions(db, firstKept);
}

async function forgetAged(
  session: Session,
  limits: RetentionLimits,
  now: number,
  firstKept: (level: Level) => number,
): Promise<void> {
  for (const level of LEVELS) {
    const rest = `chunks_${level.stepSeconds}_other`;
    await session.all(
      `DELETE FROM ${rest} WHERE ctid = ANY(ARRAY(SELECT ctid FROM ${rest} WHERE slot < $1 LIMIT ${ROWS_AT_ONCE}))`,
      [firstKept(level)],
    );
  }
  const oldest = now - limits.recordDays * DAY_SECONDS;
  for (const table of ['events', 'verdict_changes'])
    await session.all(
      `DELETE FROM ${table} WHERE id IN (SELECT id FROM ${table} WHERE at < $1 ORDER BY at LIMIT ${ROWS_AT_ONCE})`,
      [oldest],
    );
  await session.all('DELETE FROM incidents WHERE closed_at < $1', [oldest]);
  await session.all('DELETE FROM plan_records WHERE plan IN (SELECT id FROM plans WHERE made_at < $1)', [oldest]);
  await session.all('DELETE FROM plans WHERE made_at < $1', [oldest]);
  // Targets that have no data left: scrapes wait for a day at most. Who asked for a number lately is about to write.
  await session.all(
    `DELETE FROM targets WHERE last_seen < $1 AND named_at < now() - interval '1 day'
       AND NOT EXISTS (SELECT 1 FROM chunks WHERE chunks.target = targets.id)
       AND NOT EXISTS (SELECT 1 FROM captures WHERE md5(captures.target) = md5(targets.name))`,
    [now - keptSeconds(limits, HOURS) - HOURS.slotSeconds],
  );
}

interface Partition {
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
async function partitionsIn(session: Session, schema: string): Promise<readonly Partition[]> {
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
async function preparePartitions(db: Database, now: number): Promise<void> {
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
async function dropPartitions(db: Database, firstKept: (level: Level) => number): Promise<void> {
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

/** What still waits in the group. */
interface LeftOver {
  readonly samples: number;
  readonly rows: number;
}

/** `onDamage` is called for each part that cannot be read, which is left out. */
function sealGroup(db: Database, group: number, onDamage: () => void): Promise<LeftOver> {
  return db.transaction(async session => {
    const [lock] = await session.all('SELECT pg_try_advisory_xact_lock($1, $2) AS is_free', [
      ...lockOf('seal', db.address.schema, group),
    ]);
    // The process that has it seals what is there.
    if (lock?.['is_free'] !== true) return NOTHING;
    const [first, last] = [group * GROUP_SIZE, (group + 1) * GROUP_SIZE - 1];
    const [waiting] = await session.all(
      `SELECT count(*) AS rows, coalesce(sum(sample_count), 0) AS samples, ${IS_OLD} AS is_old
       FROM scrapes WHERE target_group = $1`,
      [group],
    );
    const members = await session.all('SELECT id FROM targets WHERE id BETWEEN $1 AND $2', [first, last]);
    const leftOver = { samples: Number(waiting?.['samples']), rows: Number(waiting?.['rows']) };
    // Another process may have sealed it just now.
    const isSealed = waiting?.['is_old'] === true || isDue(group, leftOver.samples, leftOver.rows, members.length);
    if (!isSealed) return leftOver;
    await sealWaiting(session, group, new Set(members.map(row => Number(row['id']))), onDamage);
    return NOTHING;
  });
}

async function sealWaiting(
  session: Session,
  group: number,
  members: ReadonlySet<number>,
  onDamage: () => void,
): Promise<void> {
  // Those of commits that are under way stay.
  const scrapes = await session.all('DELETE FROM scrapes WHERE target_group = $1 RETURNING id, body', [group]);
  const bodies = [...scrapes].sort((a, b) => Number(a['id']) - Number(b['id'])).map(row => row['body'] as Uint8Array);
  const samples = Array.from(rowsByTarget(zlib, group, bodies, onDamage), ([id, rows]) => ({
    id,
    chunk: chunkOfRows(rows),
  })).filter(({ id, chunk }) => members.has(id) && chunk.times.length > 0);
  const times = Float64Array.from(new Set(samples.flatMap(({ chunk }) => [...chunk.times])));
  const known = await knownChunks(session, group, times);
  const sealed = samples.flatMap(({ id, chunk }) =>
    sealTarget(zlib, chunk, ({ stepSeconds }, slot) => known.get(`${id} ${stepSeconds} ${slot}`), onDamage).map(
      one => ({
        id,
        ...one,
      }),
    ),
  );
  for (const piece of inPieces(sealed, ({ body }) => body.length)) {
    const { bytes, begins, lengths } = packBodies(piece.map(({ body }) => body));
    await session.all(
      `INSERT INTO chunks (target, step, slot, body)
       SELECT target, step, slot, substring($6::bytea FROM begins FOR length)
       FROM unnest($1::bigint[], $2::int[], $3::bigint[], $4::int[], $5::int[])
         AS given (target, step, slot, begins, length)
       ON CONFLICT (target, step, slot) DO UPDATE SET body = excluded.body`,
      [
        piece.map(({ id }) => id),
        piece.map(({ level }) => level.stepSeconds),
        piece.map(({ slot }) => slot),
        begins,
        lengths,
        bytes,
      ],
    );
  }
  await saveTimes(
    session,
    new Map(samples.map(({ id, chunk }) => [id, [chunk.times[0] ?? NaN, chunk.times.at(-1) ?? NaN]])),
  );
}

/** By target, step and slot: those that samples of these times fall into. */
async function knownChunks(
  session: Session,
  group: number,
  times: Float64Array,
): Promise<ReadonlyMap<string, Uint8Array>> {
  const touched = slotsTouched(times);
  const ofLevel = ({ stepSeconds }: { readonly stepSeconds: number }, i: number): string =>
    `SELECT target, step, slot, body FROM chunks
     WHERE target BETWEEN $1 AND $2 AND step = ${stepSeconds} AND slot = ANY($${i + 3})`;
  const rows = await session.all(LEVELS.map(ofLevel).join(' UNION ALL '), [
    group * GROUP_SIZE,
    (group + 1) * GROUP_SIZE - 1,
    ...LEVELS.map(level => touched.filter(one => one.level === level).map(({ slot }) => slot)),
  ]);
  return new Map(
    rows.map(row => [
      `${Number(row['target'])} ${Number(row['step'])} ${Number(row['slot'])}`,
      row['body'] as Uint8Array,
    ]),
  );
}
