/** Turns the scrapes of a group into chunks of its targets, at every level; one process at a time. */
import zlib from 'node:zlib';
import { chunkOfRows } from '../../codec/chunk.ts';
import { LEVELS } from '../../codec/rollup.ts';
import { GROUP_SIZE, rowsByTarget } from '../../codec/scrape-batch.ts';
import { isDue } from '../../codec/seal-schedule.ts';
import { sealTarget, slotsTouched } from '../../codec/seal-target.ts';
import type { Database, Session } from './database.ts';
import { lockOf } from './locks.ts';
import { inPieces, packBodies } from './packed-bodies.ts';
import { saveTimes } from './write-commit.ts';

/** What waits so long is sealed, however little it is: nothing more may come. */
export const IS_OLD = `coalesce(min(added_at) < now() - interval '1 day', false)`;

/** What still waits in the group. */
export interface LeftOver {
  readonly samples: number;
  readonly rows: number;
}

const NOTHING: LeftOver = { samples: 0, rows: 0 };

/** `onDamage` is called for each part that cannot be read, which is left out. */
export function sealGroup(db: Database, group: number, onDamage: () => void): Promise<LeftOver> {
  return db.transaction(async session => {
    const [lock] = await session.all('SELECT pg_try_advisory_xact_lock($1, $2) AS is_free', [
      ...lockOf('seal', db.address.schema, group),
    ]);
    // Whoever has it seals what is there.
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
