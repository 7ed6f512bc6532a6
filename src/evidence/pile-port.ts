/** Reads a pile of evidence: any mixture of files, folders and archives. */
import type { PileItem } from './pile.ts';

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
