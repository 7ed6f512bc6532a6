/**
 * Evidence as files named by their content: `blobs/ab/cdef...` holds the bytes whose SHA-256 is `abcdef...`. They are
 * written under another name, flushed and renamed: a file that has its name is complete.
 */
import { makeFolder } from '../../evidence/io/make-folder.ts';
import { createHash, randomUUID } from 'node:crypto';
import { open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  StoreError,
  ALL_IS_KEPT,
  type EvidenceFile,
  type EvidenceFiles,
  type EvidenceStatus,
  isSha256,
  OWN_FOLDER,
} from '../ports.ts';

const PIECE_BYTES = 1024 * 1024;

export class EvidenceFolder implements EvidenceFiles {
  readonly place: string = OWN_FOLDER;
  readonly #folder: string;
  readonly #drafts: string;

  constructor(folder: string) {
    this.#folder = folder;
    this.#drafts = join(folder, 'drafts');
  }

  /** Deletes what a killed process was writing. */
  async open(): Promise<void> {
    await rm(this.#drafts, { recursive: true, force: true });
    await makeFolder(this.#drafts, 0o700);
  }

  async put(sha256: string, bytes: Uint8Array): Promise<void> {
    const draft = join(this.#drafts, randomUUID());
    try {
      await writeFlushed(draft, bytes);
      const final = this.#pathOf(sha256);
      const isNewFolder = (await makeFolder(dirname(final), 0o700)) !== undefined;
      await rename(draft, final);
      await syncFolder(dirname(final));
      if (isNewFolder) await syncFolder(this.#folder);
    } catch (error) {
      await rm(draft, { force: true });
      throw error;
    }
  }

  async read(sha256: string): Promise<Uint8Array | undefined> {
    if (!isSha256(sha256)) return undefined;
    const bytes = await unlessAbsent(readFile(this.#pathOf(sha256)));
    if (bytes !== undefined && createHash('sha256').update(bytes).digest('hex') !== sha256)
      throw new StoreError('damaged', `profile ${sha256.slice(0, 12)} is not what was written: its file is damaged`);
    return bytes;
  }

  async size(sha256: string): Promise<number | undefined> {
    if (!isSha256(sha256)) return undefined;
    return (await unlessAbsent(stat(this.#pathOf(sha256))))?.size;
  }

  async remove(sha256: string): Promise<void> {
    await rm(this.#pathOf(sha256), { force: true });
  }

  async *list(): AsyncGenerator<EvidenceFile> {
    for (const start of (await unlessAbsent(readdir(this.#folder))) ?? []) {
      if (!/^[0-9a-f]{2}$/.test(start)) continue;
      for (const rest of await readdir(join(this.#folder, start))) {
        const bytes = await this.size(start + rest);
        if (bytes !== undefined) yield { sha256: start + rest, bytes };
      }
    }
  }

  status(): EvidenceStatus {
    return ALL_IS_KEPT;
  }

  async close(): Promise<void> {}

  #pathOf(sha256: string): string {
    return join(this.#folder, sha256.slice(0, 2), sha256.slice(2));
  }
}

async function writeFlushed(path: string, bytes: Uint8Array): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    // In pieces, so that a large dump does not block the thread.
    for (let from = 0; from < bytes.length; from += PIECE_BYTES)
      await file.writeFile(bytes.subarray(from, from + PIECE_BYTES));
    await file.sync();
  } finally {
    await file.close();
  }
}

async function unlessAbsent<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Where folders cannot be flushed (Windows), a rename is as durable as it gets. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r').catch(() => undefined);
  try {
    await folder?.sync();
  } catch {
    return;
  } finally {
    await folder?.close();
  }
}
