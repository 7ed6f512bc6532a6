/** A pile of evidence: files of any kind, decompressed, from folders, archives or memory. */

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
