/** Archives and digests, to make and to verify a bundle. */

export interface ArchiveMember {
  readonly path: string;
  /** As stored in the archive. */
  readonly bytes: Uint8Array;
  /** 0 if the time must not make two archives of the same content differ. */
  readonly mtimeSeconds: number;
}

export interface EvidenceArchive {
  /** A .tar.gz whose bytes depend on the members alone. */
  pack(members: Iterable<ArchiveMember>): Promise<Uint8Array>;
  /** Rejects with a FormatError if it is not such an archive, or larger than the limits. */
  unpack(bytes: Uint8Array): AsyncIterable<ArchiveMember>;
  /** `fast` for what only stays in memory. */
  gzip(bytes: Uint8Array, effort?: 'fast' | 'best'): Uint8Array;
  /** The bytes themselves if they are not compressed. Throws a FormatError if they are broken or too large. */
  gunzip(bytes: Uint8Array): Uint8Array;
}

export interface Digests {
  /** In hexadecimal. */
  sha256(bytes: Uint8Array): string;
  /** HMAC-SHA256 under a key of this bundle. */
  keyedHash(text: string): Uint8Array;
}

export interface BundlePorts {
  readonly archive: EvidenceArchive;
  readonly digests: Digests;
}
