/** Why the disk refused, in words. SQLite only says "disk I/O error", so the disk itself is examined. */
import { statfsSync } from 'node:fs';

const NO_SPACE_BYTES = 1024 * 1024;

const FULL = 'the disk is full; free some space';
const READ_ONLY = 'the file system is read-only; choose another folder';
const REASONS: Readonly<Record<string, string>> = {
  ENOSPC: FULL,
  EDQUOT: 'the disk quota is used up; free some space',
  EROFS: READ_ONLY,
  EACCES: 'writing there is not permitted; choose another folder',
  EPERM: 'writing there is not permitted; choose another folder',
  ENOTDIR: 'a part of that path is no folder; choose another',
  EEXIST: 'there is a file of that name; choose another folder',
};

export function diskTrouble(error: unknown, folder: string): string {
  const { code = '', message } = error as NodeJS.ErrnoException;
  const known = REASONS[code];
  if (known !== undefined) return known;
  if (isSqliteError(error) && (/is full/.test(message) || isFull(folder))) return FULL;
  if (/readonly/.test(message)) return READ_ONLY;
  return message;
}

/** The file is not a database, or only parts of it are. */
export function isDamage(error: unknown): boolean {
  return isSqliteError(error) && /malformed|not a database/.test(error.message);
}

export function isSqliteError(error: unknown): error is Error {
  return error instanceof Error && error.name === 'SQLite3Error';
}

function isFull(folder: string): boolean {
  try {
    const { bavail, bsize, ffree } = statfsSync(folder);
    return bavail * bsize < NO_SPACE_BYTES || ffree === 0;
  } catch {
    return false;
  }
}
