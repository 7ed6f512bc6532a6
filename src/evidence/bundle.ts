/**
 * A bundle: evidence in one archive that is safe to share, and its `MANIFEST.json` (schema `oakum.bundle/v1`).
 *
 *     BUNDLE.tar.gz
 *       MANIFEST.json
 *       redacted-kqzjxabcdef/heap-1794772585.pb.gz ...
 */

export interface BundleFile {
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

export interface BundleRedaction {
  /** Distinct originals of each kind, and how often they were replaced. */
  readonly originals: Readonly<Record<string, number>>;
  readonly replacements: Readonly<Record<string, number>>;
  /** Originals that were searched for in the whole archive, in every encoding. */
  readonly searched: number;
  /** Originals that cannot be searched for: too short, numbers, or words that code uses as well. */
  readonly notSearched: number;
}

export interface BundleFinding {
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
