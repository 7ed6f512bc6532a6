/**
 * A bundle: evidence in one archive that is safe to share, and its `MANIFEST.json` (schema `oakum.bundle/v1`).
 *
 *     BUNDLE.tar.gz
 *       MANIFEST.json
 *       redacted-kqzjxabcdef/heap-1794772585.pb.gz ...
 */
import { recordOf, textOf } from '../base/json.ts';

interface BundleFile {
  readonly path: string;
  readonly format: string;
  /** Size and digest of the file in the archive. */
  readonly bytes: number;
  readonly sha256: string;
}

export interface LeftOut {
  readonly path: string;
  readonly reason: string;
}

interface BundleRedaction {
  /** Distinct originals of each kind, and how often they were replaced. */
  readonly originals: Readonly<Record<string, number>>;
  readonly replacements: Readonly<Record<string, number>>;
  /** Originals that were searched for in the whole archive, in every encoding. */
  readonly searched: number;
  /** Originals that cannot be searched for: too short, numbers, or words that code uses as well. */
  readonly notSearched: number;
}

interface BundleFinding {
  readonly target: string;
  readonly resource: string;
  readonly verdict: string;
  readonly family: string;
  readonly delta: number | null;
  /** `kubernetes#139823 confirmed` */
  readonly matches: readonly string[];
}

export interface BundleManifest {
  readonly schema: 'oakum.bundle/v1';
  readonly oakumVersion: string;
  /** The known leaks at the time. */
  readonly catalogue: { readonly entries: number; readonly sha256: string };
  /** null when the bundle was made with --no-redact. */
  readonly redaction: BundleRedaction | null;
  /** The findings of an analysis of this bundle, made before it was written. */
  readonly analysis: {
    readonly verdict: string;
    readonly sentence: string;
    readonly findings: readonly BundleFinding[];
    /** Whether an analysis of the originals gave the same findings. */
    readonly sameAsOriginals: boolean;
  };
  readonly files: readonly BundleFile[];
  readonly leftOut: readonly LeftOut[];
}

/** Used to verify a bundle. */
export interface BundleIndex {
  readonly oakumVersion: string;
  readonly isRedacted: boolean;
  readonly files: readonly BundleFile[];
}

export const BUNDLE_MANIFEST = 'MANIFEST.json';

/**
 * The MANIFEST.json of a bundle: which files are in it. The rest of it is for people.
 *
 *     {"schema":"oakum.bundle/v1", ... ,"redaction":{...},"files":[{"path":"a/heap.pb.gz","format":"pprof", ...}]}
 *
 * Undefined when the JSON is something else, or says too little to check a bundle by.
 */
export function readBundleManifest(value: unknown): BundleIndex | undefined {
  const { schema, redaction, files, oakumVersion } = recordOf(value);
  if (schema !== 'oakum.bundle/v1' || redaction === undefined || !Array.isArray(files)) return undefined;
  const read = files.map(readFile).filter(file => file !== undefined);
  if (read.length < files.length) return undefined;
  return { oakumVersion: textOf(oakumVersion), isRedacted: redaction !== null, files: read };
}

function readFile(value: unknown): BundleFile | undefined {
  const { path, format, bytes, sha256 } = recordOf(value);
  if (typeof path !== 'string' || typeof bytes !== 'number' || typeof sha256 !== 'string') return undefined;
  return { path, format: textOf(format), bytes, sha256 };
}

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
  /** One stream of gzip as `gzip` writes it: without a name, a comment or a time, and nothing after it. */
  isPlain(bytes: Uint8Array): boolean;
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
