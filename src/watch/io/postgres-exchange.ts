/** What replicas send each other, through tables of the store that they share. */
import {
  type SentVerdict,
  EMPTY_UPDATE,
  type ReplicaUpdate,
  type NewSample,
  type Exchange,
  type UpdatesRead,
} from '../replicas/ports.ts';
import type { Database } from '../../store/io/postgres/database.ts';
import { bytesOf, type RecordRow, rowOf } from '../../store/tables.ts';
import { writeRecords } from '../../store/io/postgres/record-tables.ts';
import zlib from 'node:zlib';
import { promisify } from 'node:util';
import { decodeText, encodeText } from '../../base/text.ts';
import type { LeaderCommit, LeaderStore } from '../../store/ports.ts';
import type { LeaderRecord } from '../../store/records.ts';
import { storable } from '../../store/codec/store-limits.ts';

/**
 * An update as compressed JSON. Samples with the same metrics share one list of names, and numbers that JSON does not have
 * are written as { "#": "Infinity" }.
 */
const gzip = promisify(zlib.gzip);

const gunzip = promisify(zlib.gunzip);

/** Far beyond what a replica publishes at once. */
const MAX_BYTES = 512 * 2 ** 20;

/** The leader's writes: each transaction begins by raising the fence to its term, which fails if a later one leads. */
const RAISE = `
  INSERT INTO replica_fence AS f (authority, term) VALUES ($1, $2)
  ON CONFLICT (authority) DO UPDATE SET term = excluded.term WHERE f.term <= excluded.term RETURNING term`;

const MAX_WAITING_BYTES = 16 * 2 ** 20;

export interface PostgresWriter {
  /** Of this process. */
  readonly session: string;
  /** Who decides about the leadership: terms of different authorities cannot be compared. */
  readonly authority: string;
}

/** A replica that did not read for longer looks at the store itself. */
const KEEP_MINUTES = 10;
/** Of targets that are gone: a verdict that is judged again changes its numbers within hours. */
const KEEP_VERDICT_DAYS = 30;
/** A new replica reads this far back, so that it knows when each target was sampled last. */
const RECENT_MINUTES = 2;
const TIDY_EVERY = 30;
const MAX_AT_ONCE = 200;
const VERDICTS_AT_ONCE = 500;

const TIDY = `
  DELETE FROM replica_news WHERE written_at < now() - interval '${KEEP_MINUTES} minutes';
  DELETE FROM replica_verdicts WHERE at < extract(epoch FROM now() - interval '${KEEP_VERDICT_DAYS} days');
  DELETE FROM capture_claims WHERE until < now() - interval '1 day'`;
const OLD = `
  SELECT writer, max(number) AS number FROM replica_news
  WHERE written_at < now() - interval '${RECENT_MINUTES} minutes' GROUP BY writer`;
const READ = `
  SELECT n.writer, n.number, n.body FROM replica_news n
  LEFT JOIN unnest($2::text[], $3::bigint[]) AS known (writer, number) ON known.writer = n.writer
  WHERE n.writer <> $1 AND n.number > coalesce(known.number, 0)
  ORDER BY n.writer, n.number LIMIT ${MAX_AT_ONCE}`;
const NEXT_VERDICTS = `
  SELECT md5(target) AS key, document FROM replica_verdicts WHERE at > $1 AND md5(target) > $2
  ORDER BY md5(target) LIMIT ${VERDICTS_AT_ONCE}`;
const CLAIM = `
  INSERT INTO capture_claims AS c (target, writer, until)
  VALUES ($1, $2, clock_timestamp() + $3 * interval '1 second')
  ON CONFLICT (target) DO UPDATE SET writer = excluded.writer, until = excluded.until
    WHERE c.writer = excluded.writer OR c.until < clock_timestamp()
  RETURNING target`;

export function postgresExchange(db: Database, { session, authority }: PostgresWriter): Exchange {
  let number = 0;
  /** The last number that was read of each writer. */
  let read: Map<string, number> | undefined;
  return {
    async publish(update) {
      const body = await encodeUpdate(update);
      // Again under the same number if the answer got lost.
      await db.all('INSERT INTO replica_news (writer, number, body) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING', [
        session,
        number + 1,
        body,
      ]);
      number++;
      if (number % TIDY_EVERY === 0) await db.all(TIDY);
    },
    async read(): Promise<UpdatesRead> {
      read ??= new Map((await db.all(OLD)).map(row => [String(row['writer']), Number(row['number'])]));
      const rows = await db.all(READ, [session, [...read.keys()], [...read.values()]]);
      const updates: UpdatesRead['updates'][number][] = [];
      let isComplete = true;
      for (const row of rows) {
        const writer = String(row['writer']);
        const found = Number(row['number']);
        if (found !== (read.get(writer) ?? 0) + 1) isComplete = false;
        updates.push({ from: writer, update: await decodeUpdate(row['body'] as Uint8Array) });
        read.set(writer, found);
      }
      return { updates, isComplete };
    },
    async putVerdicts(verdicts) {
      for (let from = 0; from < verdicts.length; from += VERDICTS_AT_ONCE) {
        const piece = verdicts.slice(from, from + VERDICTS_AT_ONCE);
        await db.all(
          `INSERT INTO replica_verdicts AS v (target, at, document)
           SELECT * FROM unnest($1::text[], $2::double precision[], $3::bytea[])
           ON CONFLICT (md5(target)) DO UPDATE SET at = excluded.at, document = excluded.document WHERE v.at <= excluded.at`,
          [
            piece.map(({ target }) => storable(target)),
            piece.map(({ at }) => at),
            // Each is small, and the database compresses it.
            piece.map(one => Buffer.from(jsonText(one))),
          ],
        );
      }
    },
    async *verdicts(since) {
      for (let after = ''; ;) {
        const rows = await db.all(NEXT_VERDICTS, [since, after]);
        const last = rows.at(-1);
        if (last === undefined) return;
        after = String(last['key']);
        yield await Promise.all(
          rows.map(async row => (await unpackJson(row['document'] as Uint8Array)) as SentVerdict),
        );
      }
    },
    lead: term => leaderStore(db, authority, term),
    async claimCapture(target, seconds) {
      return (await db.all(CLAIM, [storable(target), session, seconds])).length === 1;
    },
    async releaseCapture(target) {
      await db.all('DELETE FROM capture_claims WHERE target = $1 AND writer = $2', [storable(target), session]);
    },
  };
}

class StaleTerm extends Error {}

function leaderStore(db: Database, authority: string, term: number): LeaderStore {
  let waiting: RecordRow[] = [];
  let waitingBytes = 0;
  let isStale = false;
  let committing: Promise<LeaderCommit> = Promise.resolve('committed');
  const put = (record: LeaderRecord): boolean => {
    if (isStale || waitingBytes > MAX_WAITING_BYTES) return false;
    const row = rowOf(record);
    waiting.push(row);
    waitingBytes += bytesOf(row);
    return true;
  };

  async function commit(): Promise<LeaderCommit> {
    if (isStale) return 'stale';
    const rows = waiting;
    waiting = [];
    try {
      // Rows are replaced or kept by their key: one that is written twice, since an answer got lost, does no harm.
      await db.transaction(async session => {
        if ((await session.all(RAISE, [authority, term])).length === 0) throw new StaleTerm();
        await writeRecords(session, rows, () => {});
      });
      waitingBytes = waiting.reduce((sum, row) => sum + bytesOf(row), 0);
      return 'committed';
    } catch (error) {
      waiting = [...rows, ...waiting];
      if (!(error instanceof StaleTerm)) return 'failed';
      isStale = true;
      waiting = [];
      return 'stale';
    }
  }

  return {
    put,
    commit: () => (committing = committing.then(commit)),
  };
}

interface Shape {
  readonly metrics: readonly string[];
  readonly rows: (readonly [target: string, at: number, ...values: number[]])[];
}

async function encodeUpdate({ samples, ...others }: ReplicaUpdate): Promise<Uint8Array> {
  const shapes = new Map<string, Shape>();
  for (const { target, at, values } of samples) {
    const entries = Object.entries(values).filter(([, value]) => Number.isFinite(value));
    const metrics = entries.map(([metric]) => metric);
    const key = metrics.join('\n');
    let shape = shapes.get(key);
    if (shape === undefined) shapes.set(key, (shape = { metrics, rows: [] }));
    shape.rows.push([target, at, ...entries.map(([, value]) => value)]);
  }
  return packJson({ ...others, shapes: [...shapes.values()] });
}

async function decodeUpdate(body: Uint8Array): Promise<ReplicaUpdate> {
  const { shapes = [], ...others } = (await unpackJson(body)) as Partial<Omit<ReplicaUpdate, 'samples'>> & {
    shapes?: Shape[];
  };
  const samples: NewSample[] = shapes.flatMap(({ metrics, rows }) =>
    rows.map(([target, at, ...values]) => ({
      target,
      at,
      values: Object.fromEntries(metrics.map((metric, i) => [metric, values[i] ?? NaN])),
    })),
  );
  // Each target's are in order of time, whatever their shapes.
  samples.sort((a, b) => a.at - b.at);
  return { ...EMPTY_UPDATE, ...others, samples };
}

async function packJson(value: unknown): Promise<Uint8Array> {
  return gzip(encodeText(jsonText(value)), { level: 1 });
}

function jsonText(value: unknown): string {
  return JSON.stringify(value, (_, one: unknown) =>
    typeof one === 'number' && !Number.isFinite(one) ? { '#': String(one) } : one,
  );
}

/** Compressed or not. */
async function unpackJson(body: Uint8Array): Promise<unknown> {
  const isGzip = body[0] === 0x1f && body[1] === 0x8b;
  const text = decodeText(isGzip ? await gunzip(body, { maxOutputLength: MAX_BYTES }) : body);
  return JSON.parse(text, (_, one: unknown) =>
    typeof one === 'object' && one !== null && '#' in one && Object.keys(one).length === 1
      ? Number((one as { '#': string })['#'])
      : one,
  ) as unknown;
}
