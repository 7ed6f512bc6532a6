/** The store over one open database; `open-watch-store.ts` makes it. */
import { setImmediate as letOthersRun } from 'node:timers/promises';
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
import { rowOf, settingRow } from '../../tables.ts';
import { CaptureRecords } from './capture-records.ts';
import { type Database, diskTrouble, type SqliteLimits } from './database.ts';
import { MetricTable, TargetTable, saveTarget } from './name-tables.ts';
import type { OwnerLock } from './owner-lock.ts';
import { PendingWrites } from './pending-writes.ts';
import { readRecords, readSetting, saveRecord } from './record-tables.ts';
import { readUnsealed, SampleReader } from './sample-reader.ts';
import { forgetSome, forgetTargets } from './sample-retention.ts';
import { GROUP_SIZE, groupOf, placeInGroup } from '../../codec/scrape-batch.ts';
import { SealSchedule, type FindChunk, sealTarget } from '../../codec/sealing.ts';
import zlib from 'node:zlib';
import { chunkOfRows } from '../../codec/chunk.ts';
import { type ClockState, isSteady, lookAtClock, NEW_CLOCK, parseClockState } from '../../codec/store-limits.ts';

const CLOCK_KEY = 'store.clock';
/** How often the clock is saved. */
const CLOCK_SAVE_SECONDS = 600;

export interface StorePlace {
  /** As the user named it. */
  readonly shown: string;
  readonly folder: string;
}

export class SqliteWatchStore implements ServedStore {
  readonly #db: Database;
  readonly #lock: OwnerLock;
  readonly #place: StorePlace;
  readonly #limits: SqliteLimits;
  readonly #targets = new TargetTable();
  readonly #metrics = new MetricTable();
  readonly #schedule = new SealSchedule();
  readonly #pending: PendingWrites;
  readonly #reader: SampleReader;
  readonly #captures: CaptureRecords;
  #clock: ClockState = NEW_CLOCK;
  #clockSavedAt = -Infinity;
  /** Why the last write failed. */
  #trouble: string | undefined;
  /** The bound of the store that something ran into. */
  #refused: string | undefined;
  #lostSamples = 0;
  #damagedParts = 0;
  #replayCount = 0;
  #maintaining: Promise<void> | undefined;
  #isClosed = false;

  constructor(db: Database, lock: OwnerLock, place: StorePlace, evidence: EvidenceFiles, limits: SqliteLimits) {
    this.#db = db;
    this.#lock = lock;
    this.#place = place;
    this.#limits = limits;
    this.#pending = new PendingWrites(limits.maxWaitingBytes);
    this.#reader = new SampleReader(db, this.#targets, this.#metrics, this.#onDamage);
    this.#captures = new CaptureRecords(db, evidence, limits);
  }

  async load(toRead: boolean): Promise<void> {
    refuseHalfCopy(readSetting(this.#db, COPY_KEY), this.#place.shown);
    this.#targets.load(this.#db);
    this.#metrics.load(this.#db);
    const waiting = this.#db.all(
      'SELECT target_group, sum(sample_count) AS samples, count(*) AS n FROM scrapes GROUP BY 1',
    );
    for (const row of waiting) this.#schedule.set(Number(row.target_group), Number(row.samples), Number(row.n));
    const clock = readSetting(this.#db, CLOCK_KEY);
    if (clock !== undefined) this.#clock = parseClockState(clock);
    await this.#captures.open(toRead);
    for (const group of this.#schedule.groups()) {
      this.#loadTimes(group);
      await letOthersRun();
    }
    this.#targets.committed();
  }

  /** The times at which targets were seen are only saved with sealed samples. */
  #loadTimes(group: number): void {
    for (const [id, rows] of readUnsealed(this.#db, group, this.#onDamage).rows) {
      const target = this.#targets.byId(id);
      if (target !== undefined) for (const row of rows) this.#targets.sawAt(target, row.at);
    }
  }

  putTarget(target: string, attributes: Readonly<Record<string, string>>): void {
    this.#withinBounds(() => this.#targets.putAttributes(target, attributes));
  }

  addSample(target: string, at: number, values: Readonly<Record<string, number>>): boolean {
    if (isStorableSample(target, { at, values }))
      return this.addValues(target, at, Object.keys(values), Object.values(values));
    this.#lostSamples++;
    return false;
  }

  addValues(target: string, at: number, metrics: readonly string[], values: Values): boolean {
    const [names, kept] = finiteValues(metrics, values);
    const isTaken = this.#takeSample(target, at, names, kept);
    if (!isTaken) this.#lostSamples++;
    return isTaken;
  }

  #takeSample(target: string, at: number, metrics: readonly string[], values: Values): boolean {
    const names = this.#withinBounds(() => ({
      entry: this.#targets.findOrAdd(target),
      numbers: this.#metrics.numbersOf(metrics),
    }));
    if (names === undefined) return false;
    const { entry, numbers } = names;
    // Milliseconds are enough, and take less space.
    const time = Math.round(at * 1000) / 1000;
    if (!this.#pending.addSample(groupOf(entry.id), placeInGroup(entry.id), time, numbers, values)) return false;
    this.#targets.sawAt(entry, time);
    return true;
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

  async records<K extends RecordKind>(query: RecordQuery<K>): Promise<readonly RecordKinds[K][]> {
    return readRecords(this.#db, query);
  }

  async commit(): Promise<CommitResult> {
    const samples = this.#pending.sampleCount;
    const committed = this.#write(() => {
      const scrapes = this.#db.transaction(() => {
        this.#targets.saveChanged(this.#db);
        this.#metrics.saveChanged(this.#db);
        return this.#pending.save(this.#db);
      });
      for (const { group, sampleCount } of scrapes) this.#schedule.add(group, sampleCount);
      this.#targets.committed();
      this.#metrics.committed();
      this.#pending.committed();
      this.#trouble = undefined;
    });
    return { committed, samples: committed ? samples : 0 };
  }

  /** False, with the reason kept for the status, if the disk refuses. */
  #write(work: () => void): boolean {
    if (this.#isClosed || !this.#lock.isHeld()) return false;
    try {
      work();
      return true;
    } catch (error) {
      this.#trouble = diskTrouble(error, this.#place.folder);
      return false;
    }
  }

  async addCapture(capture: NewCapture): Promise<StoredCapture> {
    if (!this.#lock.isHeld()) throw new StoreError('lost', this.#lostSentence());
    try {
      return await this.#captures.add(capture);
    } catch (error) {
      if (error instanceof StoreError) throw error;
      const why = diskTrouble(error, this.#place.folder);
      throw new StoreError('disk', `cannot keep a capture in ${this.#place.shown}: ${why}`, { cause: error });
    }
  }

  async targets(only?: readonly string[]): Promise<readonly StoredTarget[]> {
    return this.#targets.stored(only);
  }

  async latest(target: string): Promise<Sample | undefined> {
    return this.#reader.latest(target);
  }

  async query(query: SampleQuery): Promise<readonly SampleSeries[]> {
    return this.#reader.query(query);
  }

  async *replay(query: ReplayQuery): AsyncIterable<ReplayPart> {
    this.#replayCount++;
    try {
      yield* this.#reader.replay(query);
    } finally {
      this.#replayCount--;
    }
  }

  readProfile(sha256: string): Promise<Uint8Array | undefined> {
    return this.#captures.read(sha256);
  }

  maintain(now: number): Promise<void> {
    this.#maintaining ??= this.#maintain(now).finally(() => (this.#maintaining = undefined));
    return this.#maintaining;
  }

  async #maintain(now: number): Promise<void> {
    this.#captures.maintain();
    for (const group of this.#schedule.due(group => this.#memberCount(group))) {
      if (this.#replayCount > 0 || !this.#write(() => this.#seal(group))) break;
      await letOthersRun();
    }
    if (!Number.isFinite(now)) return;
    this.#clock = lookAtClock(this.#clock, now);
    this.#write(() => {
      const steady = isSteady(this.#clock);
      forgetSome(this.#db, this.#limits, now, steady);
      if (Math.abs(now - this.#clockSavedAt) < CLOCK_SAVE_SECONDS) return;
      if (steady) forgetTargets(this.#db, this.#targets, this.#limits, now);
      saveRecord(this.#db, settingRow(CLOCK_KEY, JSON.stringify(this.#clock)));
      this.#clockSavedAt = now;
    });
  }

  #seal(group: number): void {
    this.#db.transaction(() => sealGroup(this.#db, this.#targets, group, this.#onDamage));
    this.#schedule.sealed(group);
  }

  #memberCount(group: number): number {
    let count = 0;
    for (let place = 0; place < GROUP_SIZE; place++)
      if (this.#targets.byId(group * GROUP_SIZE + place) !== undefined) count++;
    return count;
  }

  readonly #onDamage = (): void => {
    this.#damagedParts++;
  };

  status(): StoreStatus {
    return {
      bytes: this.#db.fileBytes() + this.#captures.fileBytes,
      degraded: this.#degraded(),
      waitingSamples: this.#pending.sampleCount,
      waitingBytes: this.#pending.bytes,
      lostSamples: this.#lostSamples,
    };
  }

  #degraded(): string | null {
    if (!this.#lock.isHeld()) return this.#lostSentence();
    const { shown } = this.#place;
    const { sampleCount, isFull } = this.#pending;
    if (this.#trouble !== undefined) {
      const waiting = `Nothing can be written to ${shown}: ${this.#trouble}. ${sampleCount} samples wait in memory.`;
      return isFull ? withLosses(waiting, this.#lostSamples) : waiting;
    }
    if (this.#refused !== undefined) return `Not everything is kept in ${shown}: ${this.#refused}.`;
    if (this.#damagedParts > 0)
      return `Parts of the history in ${shown} are damaged and are left out (met ${this.#damagedParts} times).`;
    return this.#captures.degraded;
  }

  #lostSentence(): string {
    return `Another process took over ${this.#place.shown}; this one writes nothing more: stop it.`;
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    await this.#maintaining;
    await this.#captures.close();
    await this.commit();
    this.#isClosed = true;
    this.#db.close();
    await this.#lock.release();
  }
}

/**
 * Turns the scrapes of a group into chunks of its targets, at every level.
 *
 * Within a transaction. `onDamage` is called for each part that cannot be read, which is left out.
 */
function sealGroup(db: Database, targets: TargetTable, group: number, onDamage: () => void): void {
  const { rows, lastId } = readUnsealed(db, group, onDamage);
  for (const [id, samples] of rows) {
    const target = targets.byId(id);
    if (target === undefined) continue;
    const find: FindChunk = ({ stepSeconds }, slot) =>
      db.get('SELECT body FROM chunks WHERE target = ? AND step = ? AND slot = ?', [id, stepSeconds, slot])?.body as
        Uint8Array | undefined;
    for (const { level, slot, body } of sealTarget(zlib, chunkOfRows(samples), find, onDamage))
      db.run(
        `INSERT INTO chunks (target, step, slot, body) VALUES (?, ?, ?, ?)
         ON CONFLICT (target, step, slot) DO UPDATE SET body = excluded.body`,
        [id, level.stepSeconds, slot, body],
      );
    saveTarget(db, target);
  }
  db.run('DELETE FROM scrapes WHERE target_group = ? AND id <= ?', [group, lastId]);
}
