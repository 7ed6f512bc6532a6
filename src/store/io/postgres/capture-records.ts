/**
 * Captures: rows that name evidence files. A file that no row names is listed in `loose_files`, from before it is
 * written until it is gone, for all processes that share the store:
 *
 *     loose, being written -> files put -> rows in, loose out -> older captures: rows out, loose -> removed
 *
 * A process that removes a file holds its row in `loose_files` meanwhile, and leaves alone what is being written. A writer that
 * took too long finds its row gone, and gives up.
 */
import { createHash } from 'node:crypto';
import {
  CAPTURE_SIZES,
  type CaptureLimits,
  capturesToDrop,
  FILE_BYTES,
  keptCaptureOf,
} from '../../codec/capture-retention.ts';
import { POSTGRES, valuesOf } from '../../codec/statements.ts';
import { type Cells, CAPTURE_FILES, profileCells, RECORD_TABLES, type StoreTable } from '../../tables.ts';
import type { Database, Session } from './database.ts';
import { hasCode } from './database-trouble.ts';
import { readRecords, readSetting, saveSetting, storableCell } from './record-tables.ts';
import { StoreError, type EvidenceFiles, PLACE_KEY, requirePlace } from '../../ports.ts';
import type { NewCapture, StoredCapture } from '../../records.ts';
import { lockOf } from './schema.ts';

const WRITE_LIMIT = '15 minutes';

export class CaptureRecords {
  readonly #db: Database;
  readonly #files: EvidenceFiles;
  readonly #limits: CaptureLimits;
  /** One at a time, so that a burst does not take all connections. */
  #queue: Promise<unknown> = Promise.resolve();
  #fileBytes = 0;

  constructor(db: Database, files: EvidenceFiles, limits: CaptureLimits) {
    this.#db = db;
    this.#files = files;
    this.#limits = limits;
  }

  /** Size of all evidence files. */
  get fileBytes(): number {
    return this.#fileBytes;
  }

  /** Why evidence is not where it belongs; null if it is. */
  get degraded(): string | null {
    return this.#files.status().degraded;
  }

  async open(toRead: boolean): Promise<void> {
    await this.#measure();
    if (toRead) return;
    await this.#files.open();
    const recorded = await readSetting(this.#db, PLACE_KEY);
    if (recorded === this.#files.place) return;
    const named = await this.#db.all('SELECT DISTINCT sha256, bytes FROM capture_files');
    await requirePlace(
      this.#files,
      recorded,
      named.map(row => ({ sha256: String(row['sha256']), bytes: Number(row['bytes']) })),
    );
    await saveSetting(this.#db, PLACE_KEY, this.#files.place);
  }

  add(capture: NewCapture): Promise<StoredCapture> {
    return this.#inTurn(async () => {
      try {
        return await this.#add(capture);
      } finally {
        await this.#removeLoose().catch(() => {});
        await this.#measure().catch(() => {});
      }
    });
  }

  /** Removes what could not be removed before, by this process or another. */
  async maintain(): Promise<void> {
    await this.#inTurn(() => this.#removeLoose());
    await this.#measure();
  }

  async close(): Promise<void> {
    await this.#queue;
    await this.#files.close();
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#queue.then(work);
    this.#queue = done.catch(() => {});
    return done;
  }

  async #add(capture: NewCapture): Promise<StoredCapture> {
    const [known] = await readRecords(this.#db, { kind: 'capture', id: capture.id });
    if (known !== undefined) throw taken(capture.id);
    const files = capture.files.map(({ kind, at, truncated, request, bytes }) => {
      const facts = { kind, at, truncated, ...(request === undefined ? {} : { request }) };
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      return { profile: { ...facts, sha256, bytes: bytes.length }, content: bytes };
    });
    const hashes = [...new Set(files.map(({ profile }) => profile.sha256))].sort();
    await this.#db.all(
      `INSERT INTO loose_files (sha256, written_until)
       SELECT sha256, now() + interval '${WRITE_LIMIT}' FROM unnest($1::text[]) AS sha256 ORDER BY sha256
       ON CONFLICT (sha256) DO UPDATE SET written_until = excluded.written_until`,
      [hashes],
    );
    try {
      for (const { profile, content } of files) await this.#files.put(profile.sha256, content);
      const stored = { ...capture, files: files.map(({ profile }) => profile) };
      await this.#db.transaction(session => insert(session, stored, hashes));
      await this.#makeRoom(capture.id);
      return stored;
    } catch (error) {
      // It is written no more, and may be removed, unless another capture has it.
      await this.#db
        .all('UPDATE loose_files SET written_until = now() WHERE sha256 = ANY($1)', [hashes])
        .catch(() => {});
      throw hasCode(error, '23505') ? taken(capture.id) : error;
    }
  }

  /** Only after the new capture is safe. */
  async #makeRoom(written: string): Promise<void> {
    await this.#db.transaction(async session => {
      const [lock] = await session.all('SELECT pg_try_advisory_xact_lock($1, $2) AS is_free', [
        ...lockOf('captures', this.#db.address.schema),
      ]);
      if (lock?.['is_free'] !== true) return;
      const kept = (await session.all(CAPTURE_SIZES)).map(keptCaptureOf);
      const drop = capturesToDrop(kept, this.#limits, written);
      if (drop.length === 0) return;
      await session.all(
        `WITH gone AS (DELETE FROM capture_files WHERE capture = ANY($1) RETURNING sha256)
         INSERT INTO loose_files (sha256) SELECT DISTINCT sha256 FROM gone ORDER BY sha256 ON CONFLICT DO NOTHING`,
        [drop],
      );
      await session.all('DELETE FROM captures WHERE id = ANY($1)', [drop]);
    });
  }

  /** What cannot be removed now stays listed as loose. */
  async #removeLoose(): Promise<void> {
    const loose = await this.#db.all('SELECT sha256 FROM loose_files WHERE written_until < now() ORDER BY sha256');
    for (const row of loose) {
      await this.#db.transaction(async session => {
        const [own] = await session.all(
          'SELECT sha256 FROM loose_files WHERE sha256 = $1 AND written_until < now() FOR UPDATE SKIP LOCKED',
          [row['sha256']],
        );
        if (own === undefined) return;
        const sha256 = String(own['sha256']);
        const [named] = await session.all('SELECT 1 FROM capture_files WHERE sha256 = $1 LIMIT 1', [sha256]);
        if (named === undefined) await this.#files.remove(sha256);
        await session.all('DELETE FROM loose_files WHERE sha256 = $1', [sha256]);
      });
    }
  }

  async #measure(): Promise<void> {
    const [row] = await this.#db.all(FILE_BYTES);
    this.#fileBytes = Number(row?.['bytes']);
  }

  read(sha256: string): Promise<Uint8Array | undefined> {
    return this.#files.read(sha256);
  }
}

/** Within a transaction. Throws if a file may have been removed since it was put. */
async function insert(session: Session, capture: StoredCapture, hashes: readonly string[]): Promise<void> {
  const loose = await session.all('DELETE FROM loose_files WHERE sha256 = ANY($1) RETURNING sha256', [hashes]);
  // Another capture may have come first with the same bytes: its row keeps the file, and must stay until ours is there.
  const named = await session.all('SELECT sha256 FROM capture_files WHERE sha256 = ANY($1) FOR SHARE', [hashes]);
  const safe = new Set([...loose, ...named].map(row => row['sha256']));
  if (hashes.some(sha256 => !safe.has(sha256)))
    throw new StoreError('unreachable', `capture ${capture.id} took too long to be written; take it again`);
  const insertRow = ({ name, columns }: StoreTable, cells: Cells): Promise<unknown> =>
    session.all(
      `INSERT INTO ${name} ${valuesOf(columns, POSTGRES)}`,
      columns.map(column => storableCell(cells[column] ?? null)),
    );
  await insertRow(RECORD_TABLES.capture.table, RECORD_TABLES.capture.cells(capture));
  for (const [position, file] of capture.files.entries())
    await insertRow(CAPTURE_FILES, profileCells(capture.id, position, file));
}

function taken(id: string): StoreError {
  return new StoreError('refused', `there is a capture ${id} already`);
}
