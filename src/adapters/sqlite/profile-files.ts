/**
 * Profiles as files named by their content: `blobs/ab/cdef...` holds the bytes whose SHA-256 is `abcdef...`. They are
 * written under another name, flushed and renamed: a file that has its name is complete.
 */
import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { StoreError } from '../../ports/store-error.ts';

const PIECE_BYTES = 1024 * 1024;

/** Flushed, but not under its name yet. */
export interface DraftFile {
  readonly sha256: string;
  readonly bytes: number;
  readonly path: string;
}

export class ProfileFiles {
  readonly #folder: string;
  readonly #drafts: string;

  constructor(folder: string) {
    this.#folder = folder;
    this.#drafts = join(folder, 'drafts');
  }

  /** Deletes what a killed process was writing. */
  async open(): Promise<void> {
    await rm(this.#drafts, { recursive: true, force: true });
    await mkdir(this.#drafts, { recursive: true, mode: 0o700 });
  }

  async draft(bytes: Uint8Array): Promise<DraftFile> {
    const path = join(this.#drafts, randomUUID());
    const hash = createHash('sha256');
    const file = await open(path, 'wx', 0o600);
    try {
      // In pieces, so that a large dump does not block the thread.
      for (let from = 0; from < bytes.length; from += PIECE_BYTES) {
        const piece = bytes.subarray(from, from + PIECE_BYTES);
        hash.update(piece);
        await file.writeFile(piece);
      }
      await file.sync();
    } finally {
      await file.close();
    }
    return { sha256: hash.digest('hex'), bytes: bytes.length, path };
  }

  /** Durable when it resolves. */
  async keep({ sha256, path }: DraftFile): Promise<void> {
    const final = this.#pathOf(sha256);
    const isNewFolder = (await mkdir(dirname(final), { recursive: true, mode: 0o700 })) !== undefined;
    await rename(path, final);
    await syncFolder(dirname(final));
    if (isNewFolder) await syncFolder(this.#folder);
  }

  async discard({ path }: DraftFile): Promise<void> {
    await rm(path, { force: true });
  }

  async read(sha256: string): Promise<Uint8Array | undefined> {
    if (!/^[0-9a-f]{64}$/.test(sha256)) return undefined;
    let bytes: Uint8Array;
    try {
      bytes = await readFile(this.#pathOf(sha256));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
    if (createHash('sha256').update(bytes).digest('hex') !== sha256)
      throw new StoreError('damaged', `profile ${sha256.slice(0, 12)} is not what was written: its file is damaged`);
    return bytes;
  }

  async remove(sha256: string): Promise<void> {
    await rm(this.#pathOf(sha256), { force: true });
  }

  #pathOf(sha256: string): string {
    return join(this.#folder, sha256.slice(0, 2), sha256.slice(2));
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
