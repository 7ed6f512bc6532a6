/**
 * Where the bytes of captures are kept, by their SHA-256. The rows that name them are in a store.
 *
 *     add       the hash is listed as loose -> put -> rows in, loose out
 *     retain    rows out, the hash is listed as loose -> remove -> loose out
 *
 * So a kill at any moment leaves no bytes behind that the store does not know. `put` and `remove` of one hash never run
 * at the same time: the store sees to that, for all processes that share it.
 */
export interface EvidenceFile {
  readonly sha256: string;
  readonly bytes: number;
}

export interface EvidenceStatus {
  /** A sentence while something cannot be kept where it belongs; null if all is well. */
  readonly degraded: string | null;
  /** Durable on this machine only, and to be moved to where they belong. */
  readonly waitingFiles: number;
  readonly waitingBytes: number;
}

export interface EvidenceFiles {
  /** As the store records it: it stays the same if the store's own folder is moved. `s3://bucket/prefix`. */
  readonly place: string;
  /** Call it before anything else, and only while no other process uses what is local. */
  open(): Promise<void>;
  /** Durable when it resolves. Bytes that are there already are fine. Throws a StoreError, or the error of the disk. */
  put(sha256: string, bytes: Uint8Array): Promise<void>;
  /** Undefined if there is none; throws a StoreError if it is not what was written. */
  read(sha256: string): Promise<Uint8Array | undefined>;
  /** The size of what is there; undefined if there is none. */
  size(sha256: string): Promise<number | undefined>;
  /** Fine if there is none. */
  remove(sha256: string): Promise<void>;
  /** May lag behind: what it leaves out can be there, and what it names can be gone. */
  list(): AsyncIterable<EvidenceFile>;
  status(): EvidenceStatus;
  /** Also if it was never opened. Ends requests to other machines. A `put` that is under way still succeeds if there is a spool. */
  close(): Promise<void>;
}

export const ALL_IS_KEPT: EvidenceStatus = { degraded: null, waitingFiles: 0, waitingBytes: 0 };

/** Names from outside become paths and keys: nothing else passes. */
export function isSha256(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text);
}
