/** Where a pile of evidence is read from: folders and archives. */
import type { PileItem } from '../model/pile.ts';

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
  /** Members in the order of the paths, folders and archives in the order of their entries; one in memory at a time. */
  read(paths: readonly string[]): AsyncIterable<PileItem>;
}
