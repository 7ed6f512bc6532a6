/**
 * The evidence that a watch holds about one target, as data: its captures with their manifests, and its samples as
 * columns.
 *
 *     captures   { manifest, files: heap-1794772310.pb.gz, goroutine-1794772311.pb.gz, ... }
 *     samples    go_goroutines  times t0 t1 t2 ...  values 310 311 309 ...
 */
import type { CaptureManifest } from './capture.ts';

export interface TargetEvidence {
  readonly target: string;
  readonly captures: readonly CapturedEvidence[];
  readonly samples: readonly SampleColumn[];
}

export interface CapturedEvidence {
  readonly manifest: CaptureManifest;
  /** As stored, under the names of the manifest. */
  readonly files: readonly { readonly name: string; readonly bytes: Uint8Array }[];
}

export interface SampleColumn {
  readonly metric: string;
  readonly times: Float64Array;
  readonly values: Float64Array;
}
