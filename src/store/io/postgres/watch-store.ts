/**
 * The store of `oakum watch` in a PostgreSQL database. Several processes may have it open: the database gives numbers to
 * targets and metrics, and upkeep is done by one of them at a time. The files of captures are elsewhere: in a folder, or
 * in a bucket.
 */
import { rowOf } from '../../tables.ts';
import { type StoreLimits, storable, DEFAULT_LIMITS } from '../../codec/store-limits.ts';
import {
  type NewCapture,
  type NewRecord,
  type RecordKind,
  type RecordKinds,
  type RecordQuery,
  type StoredCapture,
  finiteValues,
  isStorableSample,
  type ReplayPart,
  type ReplayQuery,
  type Sample,
  type SampleQuery,
  type SampleSeries,
  type StoredTarget,
  type CommitResult,
  type StoreStatus,
  type Values,
  withLosses,
} from '../../records.ts';
import { type ServedStore, StoreError, type EvidenceFiles, COPY_KEY, refuseHalfCopy } from '../../ports.ts';
import { CaptureRecords } from './capture-records.ts';
import { Commits } from './commits.ts';
import { Database, type Session, type Patience } from './database.ts';
import { databaseTrouble } from './database-trouble.ts';
import {
  MetricNames,
  checkAttributes,
  TargetNames,
  type KnownTarget,
  NAMED_TARGETS,
  parseAttributes,
} from './name-tables.ts';
import { PendingWrites } from './pending-writes.ts';
import { readRecords, readSetting } from './record-tables.ts';
import { SampleReader } from './sample-reader.ts';
import { Upkeep } from './upkeep.ts';
import { migrate, requireCurrent } from './schema.ts';
import { parseStoreUrl } from './store-url.ts';
import { Failure } from '../../../base/errors.ts';

interface StoreUse {
  /** For messages. */
  readonly shown: string;
  readonly toRead: boolean;
  readonly closed: () => Promise<void>;
}

class PostgresWatchStore implements ServedStore {
  readonly #db: Database;
  readonly #use: StoreUse;
  readonly #shown: string;
  readonly #targets = new TargetNames();
  readonly #metrics = new MetricNames();
  readonly #pending: PendingWrites;
  readonly #reader: SampleReader;
  readonly #captures: CaptureRecords;
  readonly #upkeep: Upkeep;
  readonly #commits: Commits;
  #committing: Promise<unknown> = Promise.resolve();
  /** Why the last write failed. */
  #trouble: string | undefined;
  /** The bound of the store that something ran into. */
  #refused: string | undefined;
  #lostSamples = 0;
  #damagedParts = 0;
  #closing: Promise<void> | undefined;
  #isClosed = false;

  constructor(db: Database, evidence: EvidenceFiles, limits: StoreLimits, use: StoreUse) {
    this.#db = db;
    this.#use = use;
    this.#shown = use.shown;
    this.#pending = new PendingWrites(limits.maxWaitingBytes, this.#targets, this.#metrics);
    this.#reader = new SampleReader(db, this.#metrics, target => this.#targets.find(target)?.id, this.#onDamage);
    this.#captures = new CaptureRecords(db, evidence, limits);
    this.#upkeep = new Upkeep(db, limits, group => this.#targets.memberCount(group), this.#onDamage);
    this.#commits = new Commits(db, this.#pending, this.#targets, this.#metrics, {
      lost: samples => (this.#lostSamples += samples),
      refused: error => (this.#refused = `the database never takes a record (${(error as Error).message})`),
      waits: (group, samples) => this.#upkeep.waits(group, samples),
    });
  }

  async load(): Promise<void> {
    refuseHalfCopy(await readSetting(this.#db, COPY_KEY), this.#shown);
    await this.#metrics.load(this.#db);
    await this.#upkeep.load();
    await this.#captures.open(this.#use.toRead);
    if (!this.#use.toRead) await this.#commits.open();
  }

  putTarget(target: string, attributes: Readonly<Record<string, string>>): void {
    const known = this.#targets.find(target);
    const current = { ...known?.attributes, ...this.#pending.attributesOf(target) };
    const isSame = Object.entries(attributes).every(([key, value]) => current[key] === value);
    if (isSame && known?.attributes !== undefined) return;
    this.#withinBounds(() => {
      checkAttributes(target, { ...current, ...attributes });
      if (known === undefined) this.#targets.willName(target);
      this.#pending.putAttributes(target, attributes);
    });
  }

  addSample(target: string, at: number, values: Readonly<Record<string, number>>): boolean {
    if (isStorableSample(target, { at, values }))
      return this.addValues(target, at, Object.keys(values), Object.values(values));
    this.#lostSamples++;
    return false;
  }

  addValues(target: string, at: number, metrics: readonly string[], values: Values): boolean {
    const [names, kept] = finiteValues(metrics, values);
    // Milliseconds are enough, and take less space.
    const sample = { target, at: Math.round(at * 1000) / 1000, metrics: names, values: kept };
    const isTaken = this.#withinBounds(() => this.#pending.addSample(sample)) ?? false;
    if (!isTaken) this.#lostSamples++;
    return isTaken;
  }

  /** Undefined, with the reason kept for the status, if a bound of the store does not allow it. */
  #withinBounds<T>(work: () => T): T | undefined {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      this.#refused = error.message;
      return undefined;
    }
  }

  put(record: NewRecord): boolean {
    return this.#pending.addRecord(rowOf(record));
  }

  records<K extends RecordKind>(query: RecordQuery<K>): Promise<readonly RecordKinds[K][]> {
    return this.#read(() => readRecords(this.#db, query));
  }

  /** One after the other. */
  commit(): Promise<CommitResult> {
    const done = this.#committing.then(() => this.#commit());
    this.#committing = done;
    return done;
  }

  async #commit(): Promise<CommitResult> {
    if (this.#isClosed) return { committed: false, samples: 0 };
    const before = this.#commits.sampleCount;
    try {
      await this.#commits.commit(this.#closing !== undefined);
      this.#trouble = undefined;
      return { committed: true, samples: this.#commits.sampleCount - before };
    } catch (error) {
      this.#trouble = databaseTrouble(error);
      return { committed: false, samples: 0 };
    }
  }

  async addCapture(capture: NewCapture): Promise<StoredCapture> {
    try {
      return await this.#captures.add(capture);
    } catch (error) {
      if (error instanceof StoreError) throw error;
      const why = databaseTrouble(error);
      throw new StoreError('unreachable', `cannot keep a capture in ${this.#shown}: ${why}`, { cause: error });
    }
  }

  /** Reads throw a StoreError that says why. */
  async #read<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw this.#readError(error);
    }
  }

  #readError(error: unknown): StoreError {
    if (error instanceof StoreError) return error;
    return new StoreError('unreachable', `cannot read from ${this.#shown}: ${databaseTrouble(error)}`, {
      cause: error,
    });
  }

  targets(only?: readonly string[]): Promise<readonly StoredTarget[]> {
    return this.#read(() => readTargets(this.#db, target => this.#targets.find(target), only));
  }

  latest(target: string): Promise<Sample | undefined> {
    return this.#read(() => this.#reader.latest(target));
  }

  query(query: SampleQuery): Promise<readonly SampleSeries[]> {
    return this.#read(() => this.#reader.query(query));
  }

  async *replay(query: ReplayQuery): AsyncIterable<ReplayPart> {
    try {
      yield* this.#reader.replay(query);
    } catch (error) {
      throw this.#readError(error);
    }
  }

  readProfile(sha256: string): Promise<Uint8Array | undefined> {
    return this.#captures.read(sha256);
  }

  /** What fails is tried again with the next call. */
  async maintain(now: number): Promise<void> {
    if (this.#isClosed || this.#trouble !== undefined) return;
    await this.#upkeep.run(now, () => this.#captures.maintain());
  }

  readonly #onDamage = (): void => {
    this.#damagedParts++;
  };

  status(): StoreStatus {
    return {
      bytes: this.#upkeep.databaseBytes + this.#captures.fileBytes,
      degraded: this.#degraded(),
      waitingSamples: this.#pending.sampleCount,
      waitingBytes: this.#pending.bytes,
      lostSamples: this.#lostSamples,
    };
  }

  #degraded(): string | null {
    const { sampleCount, isFull } = this.#pending;
    if (this.#trouble !== undefined) {
      const waiting = `Nothing can be written to ${this.#shown}: ${this.#trouble}. ${sampleCount} samples wait in memory.`;
      return isFull ? withLosses(waiting, this.#lostSamples) : waiting;
    }
    if (this.#refused !== undefined) return `Not everything is kept in ${this.#shown}: ${this.#refused}.`;
    if (this.#damagedParts > 0)
      return `Parts of the history in ${this.#shown} are damaged and are left out (met ${this.#damagedParts} times).`;
    return this.#upkeep.trouble === undefined
      ? this.#captures.degraded
      : `Old data in ${this.#shown} is not tidied up: ${this.#upkeep.trouble}.`;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await this.#upkeep.settled();
    await this.#captures.close();
    await this.commit();
    this.#isClosed = true;
    await this.#db.close();
    await this.#use.closed();
  }
}

/**
 * Targets of the store, with what this process knows better.
 *
 * The times of targets that another process samples may be five minutes behind; those that nothing is committed of are
 * left out.
 */
async function readTargets(
  session: Session,
  find: (target: string) => KnownTarget | undefined,
  only?: readonly string[],
): Promise<StoredTarget[]> {
  const asked = new Map(only?.map(target => [storable(target), target]));
  const rows = await session.all(
    `SELECT name, attributes, first_seen, last_seen FROM ${only === undefined ? 'targets' : NAMED_TARGETS}
     WHERE attributes IS NOT NULL ORDER BY id`,
    only === undefined ? [] : [[...asked.keys()]],
  );
  return rows.map(row => {
    const target = asked.get(String(row['name'])) ?? String(row['name']);
    const own = find(target);
    const firstSeenAt = Math.min(Number(row['first_seen'] ?? Infinity), own?.firstSeenAt ?? Infinity);
    const lastSeenAt = Math.max(Number(row['last_seen'] ?? -Infinity), own?.lastSeenAt ?? -Infinity);
    return {
      target,
      attributes: parseAttributes(row['attributes']),
      firstSeenAt: firstSeenAt === Infinity ? null : firstSeenAt,
      lastSeenAt: lastSeenAt === -Infinity ? null : lastSeenAt,
    };
  });
}

export interface OpenPostgresOptions {
  readonly limits?: Partial<StoreLimits>;
  /** For messages, in place of the address without its password. */
  readonly shown?: string;
  /** Only a store that is there and was written by this version: nothing is made, migrated or written. */
  readonly toRead?: boolean;
  readonly patience?: Patience;
  /** Called once the store is closed, or could not be opened. */
  readonly closed?: () => Promise<void>;
}

/** The store opens the evidence, and closes it. Throws a StoreError, or a Failure if the address makes no sense. */
export async function openPostgresStore(
  url: string,
  evidence: EvidenceFiles,
  options: OpenPostgresOptions = {},
): Promise<ServedStore> {
  const address = parseStoreUrl(url);
  const { limits, shown = address.shown, toRead = false, patience, closed = async () => {} } = options;
  let db: Database | undefined;
  try {
    db = await Database.open(address, toRead, patience);
    if (toRead) await requireCurrent(db);
    else await migrate(db);
    const store = new PostgresWatchStore(db, evidence, { ...DEFAULT_LIMITS, ...limits }, { shown, toRead, closed });
    await store.load();
    return store;
  } catch (error) {
    await evidence.close();
    await db?.close();
    await closed();
    if (error instanceof Failure) throw error;
    throw new StoreError('unreachable', `cannot open the store in ${shown}: ${databaseTrouble(error)}`, {
      cause: error,
    });
  }
}
