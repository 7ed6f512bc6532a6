/** Archives and digests, as the engine needs them to make and to check a bundle. */

export interface ArchiveMember {
  readonly path: string;
  /** As they lie in the archive. */
  readonly bytes: Uint8Array;
  /** 0 where time must not make two archives of the same content differ. */
  readonly mtimeSeconds: number;
}

export interface EvidenceArchive {
  /** A .tar.gz whose bytes depend on the members alone. */
  pack(members: Iterable<ArchiveMember>): Promise<Uint8Array>;
  /** Throws a FormatError when it is no such archive, or larger than the limits. */
  unpack(bytes: Uint8Array): AsyncIterable<ArchiveMember>;
  /** `fast` for what only waits in memory. */
  gzip(bytes: Uint8Array, effort?: 'fast' | 'best'): Uint8Array;
  /** The bytes themselves when they are not compressed. Throws a FormatError when they are broken or too large. */
  gunzip(bytes: Uint8Array): Uint8Array;
}

export interface Digests {
  /** In hexadecimal. */
  sha256(bytes: Uint8Array): string;
  /** HMAC-SHA256 under a key of this bundle. */
  keyedHash(text: string): Uint8Array;
}
