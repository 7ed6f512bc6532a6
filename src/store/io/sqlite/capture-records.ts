/**
 * Captures: rows that name evidence files. A file that no row names is listed in `loose_files`, from before it is
 * written until it is gone: a kill at any moment leaves no file behind that the database does not know.
 *
 *     loose -> files put -> rows in, loose out (durable) -> older captures: rows out, loose -> removed
 */
import { createHash } from 'node:crypto';
import { setImmediate as letOthersRun } from 'node:timers/promises';
import {
  CAPTURE_SIZES,
  type CaptureLimits,
  capturesToDrop,
  FILE_BYTES,
  keptCaptureOf,
} from '../../codec/capture-retention.ts';
import { SQLITE, valuesOf } from '../../codec/statements.ts';
import { type Cells, CAPTURE_FILES, profileCells, RECORD_TABLES, settingRow, type StoreTable } from '../../tables.ts';
import type { Database } from './database.ts';
import { readSetting, saveRecord } from './record-tables.ts';
import { StoreError, type EvidenceFile, type EvidenceFiles, PLACE_KEY, requirePlace } from '../../ports.ts';
import type { NewCapture, StoredCapture, StoredProfile } from '../../records.ts';

const PIECE_BYTES = 1024 * 1024;

export class CaptureRecords {
  readonly #db: Database;
  readonly #files: EvidenceFiles;
  readonly #limits: CaptureLimits;
  /** One at a time: a file may go with one capture while another brings the same bytes. */
  #queue: Promise<unknown> = Promise.resolve();
  #fileBytes = 0;
  #hasLoose = false;

  constructor(db: Database, files: EvidenceFiles, limits: CaptureLimits) {
    this.#db = db;
    this.#files = files;
    this.#limits = limits;
  }

  /** Size of all profile files. */
  get fileBytes(): number {
    return this.#fileBytes;
  }

  /** Why evidence is not where it belongs; null if it is. */
  get degraded(): string | null {
    return this.#files.status().degraded;
  }

  /** Who only reads must not remove: the evidence may be elsewhere, where only the watch itself can remove it. */
  async open(toRead: boolean): Promise<void> {
    this.#measure();
    if (toRead) return;
    await this.#files.open();
    const recorded = readSetting(this.#db, PLACE_KEY);
    await requirePlace(this.#files, recorded, this.#named());
    if (recorded !== this.#files.place) saveRecord(this.#db, settingRow(PLACE_KEY, this.#files.place));
    await this.#tryToRemoveLoose();
  }

  add(capture: NewCapture): Promise<StoredCapture> {
    return this.#inTurn(() => this.#add(capture));
  }

  /** Removes what could not be removed before. */
  maintain(): void {
    if (!this.#hasLoose) return;
    this.#hasLoose = false;
    void this.#inTurn(() => this.#tryToRemoveLoose());
  }

  /** Resolves when nothing is being written any more; nobody waits for a bucket that does not answer. */
  async close(): Promise<void> {
    await Promise.all([this.#files.close(), this.#queue]);
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#queue.then(work);
    this.#queue = done.catch(() => {});
    return done;
  }

  async #add(capture: NewCapture): Promise<StoredCapture> {
    if (this.#db.get('SELECT id FROM captures WHERE id = ?', [capture.id]) !== undefined)
      throw new StoreError('refused', `there is a capture ${capture.id} already`);
    try {
      const files: { readonly profile: StoredProfile; readonly content: Uint8Array }[] = [];
      for (const { kind, at, truncated, request, bytes } of capture.files) {
        const facts = { kind, at, truncated, ...(request === undefined ? {} : { request }) };
        files.push({ profile: { ...facts, sha256: await hashOf(bytes), bytes: bytes.length }, content: bytes });
      }
      this.#db.transaction(() => {
        for (const { profile } of files) this.#markLoose(profile.sha256);
      });
      for (const { profile, content } of files) await this.#files.put(profile.sha256, content);
      const stored = { ...capture, files: files.map(({ profile }) => profile) };
      this.#db.transaction(() => this.#insert(stored));
      this.#makeRoom(capture.id);
      return stored;
    } finally {
      await this.#tryToRemoveLoose();
      this.#measure();
    }
  }

  #insert(capture: StoredCapture): void {
    const insert = ({ name, columns }: StoreTable, cells: Cells): void =>
      this.#db.run(
        `INSERT INTO ${name} ${valuesOf(columns, SQLITE)}`,
        columns.map(column => cells[column] ?? null),
      );
    insert(RECORD_TABLES.capture.table, RECORD_TABLES.capture.cells(capture));
    capture.files.forEach((file, position) => {
      insert(CAPTURE_FILES, profileCells(capture.id, position, file));
      this.#db.run('DELETE FROM loose_files WHERE sha256 = ?', [file.sha256]);
    });
  }

  /** Only after the new capture is safe. */
  #makeRoom(written: string): void {
    const kept = this.#db.all(CAPTURE_SIZES);
    const drop = capturesToDrop(kept.map(keptCaptureOf), this.#limits, written);
    if (drop.length === 0) return;
    this.#db.transaction(() => {
      for (const id of drop) {
        for (const { sha256 } of this.#db.all('SELECT sha256 FROM capture_files WHERE capture = ?', [id]))
          this.#markLoose(String(sha256));
        this.#db.run('DELETE FROM capture_files WHERE capture = ?', [id]);
        this.#db.run('DELETE FROM captures WHERE id = ?', [id]);
      }
    });
  }

  #markLoose(sha256: string): void {
    this.#db.run('INSERT OR IGNORE INTO loose_files (sha256) VALUES (?)', [sha256]);
  }

  /** What cannot be removed now stays listed as loose. */
  async #tryToRemoveLoose(): Promise<void> {
    try {
      for (const row of this.#db.all('SELECT sha256 FROM loose_files')) {
        const sha256 = String(row.sha256);
        const isNamed = this.#db.get('SELECT 1 FROM capture_files WHERE sha256 = ?', [sha256]) !== undefined;
        if (!isNamed) await this.#files.remove(sha256);
        this.#db.run('DELETE FROM loose_files WHERE sha256 = ?', [sha256]);
      }
      this.#hasLoose = false;
    } catch {
      this.#hasLoose = true;
    }
  }

  #named(): readonly EvidenceFile[] {
    const rows = this.#db.all('SELECT DISTINCT sha256, bytes FROM capture_files');
    return rows.map(({ sha256, bytes }) => ({ sha256: String(sha256), bytes: Number(bytes) }));
  }

  #measure(): void {
    this.#fileBytes = this.#db.number(FILE_BYTES);
  }

  read(sha256: string): Promise<Uint8Array | undefined> {
    return this.#files.read(sha256);
  }
}

/** In pieces, so that a large dump does not block the thread. */
async function hashOf(bytes: Uint8Array): Promise<string> {
  const hash = createHash('sha256');
  for (let from = 0; from < bytes.length; from += PIECE_BYTES) {
    hash.update(bytes.subarray(from, from + PIECE_BYTES));
    await letOthersRun();
  }
  return hash.digest('hex');
}
