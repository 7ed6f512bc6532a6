/** A pile of evidence: files of any kind, decompressed, from folders, archives or memory. */

import { FormatError } from '../base/errors.ts';

export interface PileMember {
  readonly kind: 'member';
  /** As the user would name it; for a member of an archive, the archive's path and the name inside. */
  readonly path: string;
  /** Decompressed. */
  readonly bytes: Uint8Array;
  readonly mtimeSeconds: number | undefined;
  /** Which of the paths that the user gave it is in, from 0; 0 if there were none. */
  readonly argument?: number;
  /** Why bytes are missing, e.g. a gzip stream that ends early; undefined if none are. */
  readonly damage: string | undefined;
}

/** Something that could not be read: one line for the user. Reading goes on. */
export interface PileProblem {
  readonly kind: 'problem';
  readonly path: string;
  readonly message: string;
}

export type PileItem = PileMember | PileProblem;

/** Why a file could not be read, in one line. */
export interface UnreadFile {
  readonly path: string;
  readonly message: string;
}

/** Reads a pile of evidence: any mixture of files, folders and archives. */
export interface PileLimits {
  /** Decompressed bytes of one member. */
  readonly maxBytes: number;
  readonly maxMembers: number;
  /** Folders within folders. */
  readonly maxDepth: number;
  /** Layers of compression and archives around a member. */
  readonly maxNesting: number;
}

export interface PileSource {
  /**
   * Members in the order of the paths, one in memory at a time. A folder gives its files by name, then the folders in
   * it; an archive gives its members in their order. What cannot be read is an item that says why.
   */
  read(paths: readonly string[]): AsyncIterable<PileItem>;
}

/** Reads the members of a pile one by one. A member that cannot be read gets one line; the others are still read. */
export async function readMembers(
  items: AsyncIterable<PileItem>,
  read: (member: PileMember) => void,
): Promise<UnreadFile[]> {
  const unread: UnreadFile[] = [];
  for await (const item of items) {
    if (item.kind === 'problem') unread.push({ path: item.path, message: item.message });
    else readOne(item.path, unread, () => read(item), item.damage);
  }
  return unread;
}

/** `damage` is what is known to be wrong with the file before it is read. */
export function readOne(path: string, unread: UnreadFile[], read: () => void, damage?: string): void {
  try {
    read();
  } catch (error) {
    // A file that is too large for the engine ends in a RangeError; everything else is a bug.
    if (!(error instanceof FormatError) && !(error instanceof RangeError)) throw error;
    const message = error instanceof FormatError ? error.describe() : error.message;
    unread.push({ path, message: damage === undefined ? message : `${damage}; ${message}` });
  }
}
