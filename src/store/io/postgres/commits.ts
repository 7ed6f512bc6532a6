/**
 * Commits of one process. Each has a number, which is written with it: if its answer is lost, the number in the database
 * tells whether it happened.
 *
 *     BEGIN; number 17; samples, records ...; COMMIT      no answer
 *     number in the database?      17: it happened      16: it did not, write all of it again
 */
import { randomUUID } from 'node:crypto';
import { CommitInDoubt, type Database, type Transaction } from './database.ts';
import { isPassing } from './database-trouble.ts';
import type { MetricNames, TargetNames } from './name-tables.ts';
import type { FrozenWrites, PendingWrites } from './pending-writes.ts';
import { addWriter, wasCommitted, writeCommit } from './write-commit.ts';

/** How often the times at which targets were seen are saved for others. */
const SAVE_TIMES_MS = 300_000;
const ATTEMPTS = 3;

/** A commit whose answer was lost. */
interface Doubt {
  readonly number: number;
  /** How much of what is frozen it has. */
  readonly count: number;
}

export interface CommitEvents {
  lost(samples: number): void;
  refused(error: unknown): void;
  /** A scrape is in the database. */
  waits(group: number, samples: number): void;
}

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
