/** Commits: everything that waits, in one transaction, and what to do if its end is not known. */
import { type Session, type Transaction, CommitInDoubt, type Database } from './database.ts';
import { inPieces, writeRecords } from './record-tables.ts';
import type { FrozenWrites, ScrapeRow, PendingWrites } from './pending-writes.ts';
import {
  type Attributes,
  type KnownTarget,
  parseAttributes,
  type TargetNames,
  type MetricNames,
} from './name-tables.ts';
import { storable } from '../../codec/store-limits.ts';
import { randomUUID } from 'node:crypto';
import { isPassing } from './database-trouble.ts';

/** More would make a statement that takes long. */
const TARGETS_AT_ONCE = 5_000;

interface CommitName {
  readonly writer: string;
  readonly number: number;
}

/** The row of a writer exists from when its store is opened, so that its lock tells whether a commit is under way. */
async function addWriter(session: Session, writer: string): Promise<void> {
  await session.all('INSERT INTO writers (id, commit_number) VALUES ($1, 0) ON CONFLICT DO NOTHING', [writer]);
}

/** Waits for a commit that is under way; then says whether the one of that number was the last. */
async function wasCommitted(session: Session, { writer, number }: CommitName): Promise<boolean> {
  const [row] = await session.all('SELECT commit_number FROM writers WHERE id = $1 FOR UPDATE', [writer]);
  return Number(row?.['commit_number']) === number;
}

/** Within a transaction. Returns the attributes that targets have now. */
async function writeCommit(
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

/** How often the times at which targets were seen are saved for others. */
const SAVE_TIMES_MS = 300_000;
const ATTEMPTS = 3;

/** A commit whose answer was lost. */
interface Doubt {
  readonly number: number;
  /** How much of what is frozen it has. */
  readonly count: number;
}

interface CommitEvents {
  lost(samples: number): void;
  refused(error: unknown): void;
  /** A scrape is in the database. */
  waits(group: number, samples: number): void;
}

/**
 * Commits of one process. Each has a number, which is written with it: if its answer is lost, the number in the database
 * tells whether it happened.
 *
 *     BEGIN; number 17; samples, records ...; COMMIT      no answer
 *     number in the database?      17: it happened      16: it did not, write all of it again
 */
export class Commits {
  readonly #db: Database;
  readonly #pending: PendingWrites;
  readonly #targets: TargetNames;
  readonly #metrics: MetricNames;
  readonly #tell: CommitEvents;
  readonly #writer = randomUUID();
  #number = 0;
  #doubt: Doubt | undefined;
  #timesSavedMs = performance.now();
  /** Samples that were committed. */
  sampleCount = 0;

  constructor(db: Database, pending: PendingWrites, targets: TargetNames, metrics: MetricNames, tell: CommitEvents) {
    this.#db = db;
    this.#pending = pending;
    this.#targets = targets;
    this.#metrics = metrics;
    this.#tell = tell;
  }

  async open(): Promise<void> {
    await addWriter(this.#db, this.#writer);
  }

  /** Everything that waits, or nothing. Throws if the database refuses; call it again. Not twice at the same time. */
  async commit(isLast: boolean): Promise<void> {
    await this.#settleDoubt();
    const waiting = this.#pending.freeze();
    if (waiting.length === 0 && !isLast) return;
    await this.#giveNumbers(waiting);
    await this.#write(waiting, isLast || performance.now() - this.#timesSavedMs > SAVE_TIMES_MS);
  }

  async #settleDoubt(): Promise<void> {
    if (this.#doubt === undefined) return;
    const { number, count } = this.#doubt;
    const name = { writer: this.#writer, number };
    const was = await this.#db.transaction(session => wasCommitted(session, name), { lane: 'urgent' });
    this.#doubt = undefined;
    if (was) this.#committed(count);
  }

  async #giveNumbers(waiting: readonly FrozenWrites[]): Promise<void> {
    const times = new Map<string, number>();
    const metrics = new Set<string>();
    for (const { unplaced, attributes } of waiting) {
      for (const sample of unplaced) {
        times.set(sample.target, Math.max(times.get(sample.target) ?? -Infinity, sample.at));
        for (const metric of sample.metrics) metrics.add(metric);
      }
      for (const target of attributes.keys())
        if (this.#targets.find(target) === undefined) times.set(target, times.get(target) ?? -Infinity);
    }
    const session = this.#db.session('urgent');
    await this.#targets.name(session, times);
    await this.#metrics.name(session, metrics);
    for (const frozen of waiting) this.#tell.lost(this.#pending.place(frozen));
  }

  async #write(waiting: readonly FrozenWrites[], savesTimes: boolean): Promise<void> {
    const seen = savesTimes ? this.#targets.seen() : [];
    if (waiting.length === 0 && seen.length === 0) return;
    const number = ++this.#number;
    const name = { writer: this.#writer, number };
    const changed = await this.#inTransaction({ number, count: waiting.length }, session =>
      writeCommit(session, name, waiting, this.#targets, seen, error => this.#tell.refused(error)),
    );
    for (const [known, attributes] of changed) known.attributes = attributes;
    this.#committed(waiting.length);
    if (!savesTimes) return;
    this.#targets.saved(seen);
    this.#timesSavedMs = performance.now();
  }

  async #inTransaction<T>(doubt: Doubt, work: (session: Transaction) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#db.transaction(work, { lane: 'urgent' });
      } catch (error) {
        if (error instanceof CommitInDoubt) this.#doubt = doubt;
        if (!isPassing(error) || attempt === ATTEMPTS) throw error;
      }
    }
  }

  #committed(count: number): void {
    for (const { scrapes, sampleCount } of this.#pending.committed(count)) {
      this.sampleCount += sampleCount;
      for (const scrape of scrapes) this.#tell.waits(scrape.group, scrape.sampleCount);
    }
  }
}
