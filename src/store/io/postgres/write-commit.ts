/** Everything that waits, in one transaction. */
import type { Session, Transaction } from './database.ts';
import { inPieces } from './many-rows.ts';
import type { FrozenWrites, ScrapeRow } from './pending-writes.ts';
import { type Attributes, type KnownTarget, parseAttributes, type TargetNames } from './name-tables.ts';
import { writeRecords } from './record-tables.ts';
import { storable } from '../../codec/store-limits.ts';

/** More would make a statement that takes long. */
const TARGETS_AT_ONCE = 5_000;

export interface CommitName {
  readonly writer: string;
  readonly number: number;
}

/** The row of a writer exists from when its store is opened, so that its lock tells whether a commit is under way. */
export async function addWriter(session: Session, writer: string): Promise<void> {
  await session.all('INSERT INTO writers (id, commit_number) VALUES ($1, 0) ON CONFLICT DO NOTHING', [writer]);
}

/** Waits for a commit that is under way; then says whether the one of that number was the last. */
export async function wasCommitted(session: Session, { writer, number }: CommitName): Promise<boolean> {
  const [row] = await session.all('SELECT commit_number FROM writers WHERE id = $1 FOR UPDATE', [writer]);
  return Number(row?.['commit_number']) === number;
}

/** Within a transaction. Returns the attributes that targets have now. */
export async function writeCommit(
  session: Transaction,
  name: CommitName,
  waiting: readonly FrozenWrites[],
  targets: TargetNames,
  seen: readonly KnownTarget[],
  onRefused: (error: unknown) => void,
): Promise<ReadonlyMap<KnownTarget, Attributes>> {
  await session.all(
    `INSERT INTO writers (id, commit_number) VALUES ($1, $2)
     ON CONFLICT (id) DO UPDATE SET commit_number = excluded.commit_number, seen_at = now()`,
    [name.writer, name.number],
  );
  const changed = await saveAttributes(session, waiting, targets);
  await saveTimes(session, timesOf(waiting, targets, changed, seen));
  await saveScrapes(
    session,
    waiting.flatMap(({ scrapes }) => scrapes),
  );
  await writeRecords(
    session,
    waiting.flatMap(({ records }) => records),
    onRefused,
  );
  return changed;
}

/** Merged into what the row has: another process may have changed it. */
async function saveAttributes(
  session: Session,
  waiting: readonly FrozenWrites[],
  targets: TargetNames,
): Promise<ReadonlyMap<KnownTarget, Attributes>> {
  const given = new Map<KnownTarget, Attributes>();
  for (const { attributes, seen } of waiting) {
    for (const [target, added] of attributes) {
      const known = targets.find(target);
      if (known !== undefined) given.set(known, { ...given.get(known), ...added });
    }
    for (const target of seen.keys()) {
      const known = targets.find(target);
      if (known !== undefined && known.attributes === undefined && !given.has(known)) given.set(known, {});
    }
  }
  if (given.size === 0) return given;
  const byId = new Map(Array.from(given, ([known, added]) => [known.id, { known, added }]));
  const ids = [...byId.keys()].sort((a, b) => a - b);
  const merged = new Map<KnownTarget, Attributes>();
  for (const piece of inPieces(ids, () => 1, TARGETS_AT_ONCE)) {
    const rows = await session.all('SELECT id, attributes FROM targets WHERE id = ANY($1) ORDER BY id FOR UPDATE', [
      piece,
    ]);
    const texts: string[] = [];
    for (const row of rows) {
      const { known, added } = byId.get(Number(row['id'])) ?? {};
      const whole = { ...parseAttributes(row['attributes'] ?? '{}'), ...added };
      texts.push(storable(JSON.stringify(whole)));
      if (known !== undefined) merged.set(known, whole);
    }
    await session.all(
      `UPDATE targets SET attributes = given.attributes
       FROM unnest($1::bigint[], $2::text[]) AS given (id, attributes) WHERE targets.id = given.id`,
      [rows.map(row => row['id']), texts],
    );
  }
  return merged;
}

type Times = ReadonlyMap<number, readonly [first: number, last: number]>;

/** Of targets that are new, and now and then of all. */
function timesOf(
  waiting: readonly FrozenWrites[],
  targets: TargetNames,
  changed: ReadonlyMap<KnownTarget, Attributes>,
  seen: readonly KnownTarget[],
): Times {
  const times = new Map<number, readonly [number, number]>();
  const add = (id: number, first: number, last: number): void => {
    const [oldFirst, oldLast] = times.get(id) ?? [first, last];
    times.set(id, [Math.min(oldFirst, first), Math.max(oldLast, last)]);
  };
  for (const { id, firstSeenAt, lastSeenAt } of seen) add(id, firstSeenAt, lastSeenAt);
  for (const frozen of waiting)
    for (const [target, [first, last]] of frozen.seen) {
      const known = targets.find(target);
      if (known !== undefined && (times.has(known.id) || changed.has(known))) add(known.id, first, last);
    }
  return times;
}

/** Within a transaction. */
export async function saveTimes(session: Session, times: Times): Promise<void> {
  const sorted = [...times].sort(([a], [b]) => a - b);
  for (const piece of inPieces(sorted, () => 1, TARGETS_AT_ONCE))
    await session.all(
      `UPDATE targets SET first_seen = least(first_seen, given.first), last_seen = greatest(last_seen, given.last)
       FROM unnest($1::bigint[], $2::double precision[], $3::double precision[]) AS given (id, first, last)
       WHERE targets.id = given.id`,
      [piece.map(([id]) => id), piece.map(([, [first]]) => first), piece.map(([, [, last]]) => last)],
    );
}

/** Within a transaction. */
export async function saveScrapes(session: Transaction, scrapes: readonly ScrapeRow[]): Promise<void> {
  for (const piece of inPieces(scrapes, ({ body }) => body.length))
    await session.copyIn(
      'scrapes (target_group, sample_count, body)',
      piece.map(({ group, sampleCount, body }) => [group, sampleCount, body] as const),
    );
}
