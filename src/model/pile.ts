/** A pile of evidence: files of any kind, decompressed, from folders, archives or memory. */

export interface PileMember {
  readonly kind: 'member';
  /** As the user would name it; of an archive's member, the archive's path and the name inside. */
  readonly path: string;
  /** Decompressed. */
  readonly bytes: Uint8Array;
  readonly mtimeSeconds: number | undefined;
  /** Why the bytes are not all there are, e.g. a gzip stream that ends early; undefined when they are. */
  readonly damage: string | undefined;
}

/** Something that could not be read: one line for the user, and the rest goes on. */
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
