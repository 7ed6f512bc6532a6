/**
 * A capture's folder on disk. Files are written under another name, flushed and renamed: a kill at any moment leaves
 * complete files, and the manifest as it was before or after.
 */
import { makeFolder } from '../../evidence/io/make-folder.ts';
import { open, readFile, rename, rm, rmdir, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { FormatError } from '../../base/errors.ts';
import { readCaptureManifest } from '../../evidence/formats/capture-manifest.ts';
import { parseJson, recordOf } from '../../base/json.ts';
import { encodeText } from '../../base/text.ts';
import type { CaptureManifest } from '../../evidence/capture.ts';
import { type CaptureFolder, FolderError, type FolderLock, type ScratchFolder, type StoredFile } from '../ports.ts';
import { isGzip } from '../../base/sniff.ts';

const MANIFEST = 'MANIFEST.json';
const LOCK = '.oakum-capture.lock';
const MAX_MANIFEST_BYTES = 16 * 1024 * 1024;

/** `path` is absolute; `shown` is what the user typed. */
export function captureFolder(path: string, shown: string): CaptureFolder {
  const at = (name: string): string => join(path, name);
  return {
    path: shown,
    readManifest: () => readManifest(at(MANIFEST), shown),
    writeManifest: manifest =>
      withReasons(shown, () => replaceFile(at(MANIFEST), encodeText(`${JSON.stringify(manifest, null, 2)}\n`))),
    write: (name, content) =>
      withReasons(shown, async () => {
        const { bytes, facts } = await toStored(content);
        await replaceFile(at(name), bytes);
        return facts;
      }),
    has: async (name, bytes) => (await stat(at(name)).catch(() => undefined))?.size === bytes,
    inflate: inflateBody,
    lock: () =>
      withReasons(shown, async () => {
        const isOurs = (await makeFolder(path)) !== undefined;
        const lock = await takeLock(at(LOCK));
        if (lock.kind === 'busy' || !isOurs) return lock;
        // If nothing came of it, the folder need not stay.
        return { ...lock, release: () => lock.release().then(() => rmdir(path).catch(() => {})) };
      }),
  };
}

async function readManifest(path: string, shown: string): Promise<CaptureManifest | undefined> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) return undefined;
  const foreign = (why: string): FormatError =>
    new FormatError(`${shown} holds a ${MANIFEST} that is no capture's: ${why}; choose another folder`);
  if (found.size > MAX_MANIFEST_BYTES) throw foreign('it is too large');
  const manifest = readCaptureManifest(parseJson(await readFile(path, 'utf8')));
  if (manifest === undefined) throw foreign('it is not JSON, or has another schema');
  return manifest;
}

async function replaceFile(path: string, bytes: Uint8Array): Promise<void> {
  const draft = join(dirname(path), `.${basename(path)}.${process.pid}.tmp`);
  try {
    const file = await open(draft, 'w', 0o600);
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full; free some space, or choose another place',
  EDQUOT: 'the disk quota is used up; free some space, or choose another place',
  EROFS: 'the file system is read-only; choose another place',
  EACCES: 'writing there is not permitted; choose another place',
  EPERM: 'writing there is not permitted; choose another place',
  ENOTDIR: 'a part of that path is no folder; choose another place',
  EEXIST: 'there is a file of that name; choose another place',
};

async function withReasons<T>(shown: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    throw new FolderError(`cannot write to ${shown}: ${REASONS[code] ?? message}`, { cause: error });
  }
}

interface Holder {
  readonly pid: number;
  readonly host: string;
}

async function takeLock(path: string): Promise<FolderLock> {
  for (let attempt = 0; ; attempt++) {
    try {
      const file = await open(path, 'wx', 0o600);
      await file.writeFile(`${JSON.stringify({ pid: process.pid, host: hostname() })}\n`);
      await file.close();
      return { kind: 'locked', release: () => rm(path, { force: true }) };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const holder = await readHolder(path);
    if (holder !== undefined && (attempt === 1 || isAlive(holder))) {
      const where = holder.host === hostname() ? '' : ` on ${holder.host}`;
      return { kind: 'busy', by: `process ${holder.pid}${where} (if it is gone, delete ${basename(path)} there)` };
    }
    // Left behind by a process that was killed.
    await rm(path, { force: true });
  }
}

async function readHolder(path: string): Promise<Holder | undefined> {
  try {
    const { pid, host } = recordOf(parseJson(await readFile(path, 'utf8')));
    return typeof pid === 'number' && typeof host === 'string' ? { pid, host } : undefined;
  } catch {
    return undefined;
  }
}

/** A process on another machine is assumed to be alive. */
function isAlive({ pid, host }: Holder): boolean {
  if (host !== hostname()) return true;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** In memory. `shown` is what messages call it. */
export function scratchFolder(shown: string): ScratchFolder {
  const files = new Map<string, Uint8Array>();
  let manifestText: string | undefined;
  let isLocked = false;
  return {
    path: shown,
    readManifest: async () => (manifestText === undefined ? undefined : readCaptureManifest(parseJson(manifestText))),
    writeManifest: async manifest => void (manifestText = JSON.stringify(manifest)),
    write: async (name, content) => {
      const { bytes, facts } = await toStored(content);
      files.set(name, bytes);
      return facts;
    },
    has: async (name, bytes) => files.get(name)?.length === bytes,
    inflate: inflateBody,
    lock: async () => {
      if (isLocked) return { kind: 'busy', by: `process ${process.pid}` };
      isLocked = true;
      return { kind: 'locked', release: async () => void (isLocked = false) };
    },
    content: name => files.get(name),
  };
}

const compress = promisify(gzip);
const decompress = promisify(gunzip);

/** Compressed, off the event loop. */
async function toStored(content: Uint8Array): Promise<{ readonly bytes: Uint8Array; readonly facts: StoredFile }> {
  const bytes = isGzip(content) ? content : await compress(content);
  return { bytes, facts: { bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') } };
}

export async function inflateBody(bytes: Uint8Array, maxBytes: number): Promise<Uint8Array | undefined> {
  if (!isGzip(bytes)) return bytes;
  return decompress(bytes, { maxOutputLength: maxBytes }).catch(() => undefined);
}
