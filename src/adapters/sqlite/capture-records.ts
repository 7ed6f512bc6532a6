/**
 * Captures: rows that name profile files. A file that no row names is listed in `loose_files`, from before it gets its
 * name until it is gone: a kill at any moment leaves no file behind that the database does not know.
 *
 *     drafts flushed -> loose -> named -> rows in, loose out (durable) -> older captures: rows out, loose -> removed
 */
import type { CaptureKind } from '../../model/capture.ts';
import type { NewCapture, StoredCapture, StoredProfile } from '../../model/stored-capture.ts';
import { StoreError } from '../../ports/store-error.ts';
import { type CaptureLimits, capturesToDrop, type KeptCapture } from '../../formats/watch-store/capture-retention.ts';
import type { Database, SqlRow } from './database.ts';
import type { DraftFile, ProfileFiles } from './profile-files.ts';

export class CaptureRecords {
  readonly #db: Database;
  readonly #files: ProfileFiles;
  readonly #limits: CaptureLimits;
  /** One at a time: a file may go with one capture while another brings the same bytes. */
  #queue: Promise<unknown> = Promise.resolve();
  #fileBytes = 0;

  constructor(db: Database, files: ProfileFiles, limits: CaptureLimits) {
    this.#db = db;
    this.#files = files;
    this.#limits = limits;
  }

  /** Size of all profile files. */
  get fileBytes(): number {
    return this.#fileBytes;
  }

  async open(): Promise<void> {
    await this.#files.open();
    await this.#removeLoose();
    this.#measure();
  }

  add(capture: NewCapture): Promise<StoredCapture> {
    const added = this.#queue.then(() => this.#add(capture));
    this.#queue = added.catch(() => {});
    return added;
  }

  /** Resolves when nothing is being written any more. */
  async settled(): Promise<void> {
    await this.#queue;
  }

  async #add(capture: NewCapture): Promise<StoredCapture> {
    if (this.#db.get('SELECT id FROM captures WHERE id = ?', [capture.id]) !== undefined)
      throw new StoreError('refused', `there is a capture ${capture.id} already`);
    const drafts: DraftFile[] = [];
    const files: StoredProfile[] = [];
    try {
      for (const { kind, at, truncated, request, bytes } of capture.files) {
        const draft = await this.#files.draft(bytes);
        drafts.push(draft);
        const withRequest = request === undefined ? {} : { request };
        files.push({ kind, at, truncated, ...withRequest, sha256: draft.sha256, bytes: draft.bytes });
      }
      this.#db.transaction(() => {
        for (const { sha256 } of drafts) this.#markLoose(sha256);
      });
      for (const draft of drafts) await this.#files.keep(draft);
      const stored = { ...capture, files };
      this.#db.transaction(() => this.#insert(stored));
      await this.#makeRoom(capture.id);
      return stored;
    } catch (error) {
      for (const draft of drafts) await this.#files.discard(draft);
      // A file that cannot be removed now stays listed as loose.
      await this.#removeLoose().catch(() => {});
      throw error;
    } finally {
      this.#measure();
    }
  }

  #insert({ id, target, at, trigger, reason, processStartSeconds, files }: StoredCapture): void {
    this.#db.run(
      'INSERT INTO captures (id, target, at, trigger_name, reason, process_start) VALUES (?, ?, ?, ?, ?, ?)',
      [id, target, at, trigger, reason, processStartSeconds ?? null],
    );
    files.forEach((file, position) => {
      this.#db.run(
        `INSERT INTO capture_files (capture, position, kind, at, sha256, bytes, truncated, request)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
        [id, position, file.kind, file.at, file.sha256, file.bytes, file.truncated, file.request ?? null],
      );
      this.#db.run('DELETE FROM loose_files WHERE sha256 = ?', [file.sha256]);
    });
  }

  /** Only after the new capture is safe. */
  async #makeRoom(written: string): Promise<void> {
    const kept = this.#db.all(
      `SELECT id, target, captures.at, process_start, trigger_name, coalesce(sum(bytes), 0) AS bytes
       FROM captures LEFT JOIN capture_files ON capture = id GROUP BY id`,
    );
    const drop = capturesToDrop(kept.map(keptCapture), this.#limits, written);
    if (drop.length === 0) return;
    this.#db.transaction(() => {
      for (const id of drop) {
        for (const { sha256 } of this.#db.all('SELECT sha256 FROM capture_files WHERE capture = ?', [id]))
          this.#markLoose(String(sha256));
        this.#db.run('DELETE FROM capture_files WHERE capture = ?', [id]);
        this.#db.run('DELETE FROM captures WHERE id = ?', [id]);
      }
    });
    await this.#removeLoose();
  }

  #markLoose(sha256: string): void {
    this.#db.run('INSERT OR IGNORE INTO loose_files (sha256) VALUES (?)', [sha256]);
  }

  async #removeLoose(): Promise<void> {
    for (const row of this.#db.all('SELECT sha256 FROM loose_files')) {
      const sha256 = String(row.sha256);
      const isNamed = this.#db.get('SELECT 1 FROM capture_files WHERE sha256 = ?', [sha256]) !== undefined;
      if (!isNamed) await this.#files.remove(sha256);
      this.#db.run('DELETE FROM loose_files WHERE sha256 = ?', [sha256]);
    }
  }

  #measure(): void {
    this.#fileBytes = this.#db.number(
      'SELECT coalesce(sum(bytes), 0) FROM (SELECT DISTINCT sha256, bytes FROM capture_files)',
    );
  }

  /** Newest first. */
  all(target: string | undefined): StoredCapture[] {
    const ofTarget = target === undefined ? '' : 'WHERE target = ?';
    const rows = this.#db.all(
      `SELECT * FROM captures ${ofTarget} ORDER BY at DESC, id`,
      target === undefined ? [] : [target],
    );
    return rows.map(row => this.#stored(row));
  }

  find(id: string): StoredCapture | undefined {
    const row = this.#db.get('SELECT * FROM captures WHERE id = ?', [id]);
    return row && this.#stored(row);
  }

  read(sha256: string): Promise<Uint8Array | undefined> {
    return this.#files.read(sha256);
  }

  #stored(row: SqlRow): StoredCapture {
    const id = String(row.id);
    const files = this.#db.all('SELECT * FROM capture_files WHERE capture = ? ORDER BY position', [id]);
    return {
      id,
      target: String(row.target),
      at: Number(row.at),
      trigger: String(row.trigger_name),
      reason: String(row.reason),
      processStartSeconds: row.process_start === null ? undefined : Number(row.process_start),
      files: files.map(file => ({
        kind: file.kind as CaptureKind,
        at: Number(file.at),
        truncated: file.truncated === null ? null : String(file.truncated),
        ...(file.request === null ? {} : { request: String(file.request) }),
        sha256: String(file.sha256),
        bytes: Number(file.bytes),
      })),
    };
  }
}

function keptCapture(row: SqlRow): KeptCapture {
  return {
    id: String(row.id),
    target: String(row.target),
    at: Number(row.at),
    processStartSeconds: row.process_start === null ? undefined : Number(row.process_start),
    bytes: Number(row.bytes),
    isRoutine: row.trigger_name === 'routine',
  };
}
