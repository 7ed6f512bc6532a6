import { lstat, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { Failure, systemReason } from '../../base/errors.ts';

/** For what names people, machines or secrets: nobody else on this machine reads it. */
export const OWNER_ONLY = 0o600;

/**
 * Writes a draft beside the file and renames it, so that readers see either the old or the new content. Without a
 * mode, an existing file keeps its own.
 */
export async function writeFileAtomically(path: string, bytes: Uint8Array, cwd: string, mode?: number): Promise<void> {
  try {
    await replace(path, bytes, cwd, mode);
  } catch (error) {
    // The message names the file, not the draft.
    throw new Failure('cannot-write', `open ${path}: ${systemReason(error as Error)}`, { cause: error });
  }
}

async function replace(path: string, bytes: Uint8Array, cwd: string, mode: number | undefined): Promise<void> {
  const target = await followLink(resolve(cwd, path));
  const found = await stat(target).catch(() => undefined);
  // A device or a pipe is written to, never replaced.
  if (found !== undefined && !found.isFile()) return writeFile(target, bytes);
  const draft = join(dirname(target), `.${basename(target)}.${process.pid}.${Date.now().toString(36)}.tmp`);
  try {
    const modeOfDraft = mode ?? (found === undefined ? 0o666 : found.mode & 0o777);
    await writeFile(draft, bytes, { flag: 'wx', mode: modeOfDraft });
    await rename(draft, target);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

async function followLink(path: string): Promise<string> {
  const found = await lstat(path).catch(() => undefined);
  return found?.isSymbolicLink() === true ? realpath(path).catch(() => path) : path;
}
