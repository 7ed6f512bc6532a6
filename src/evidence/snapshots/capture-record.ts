/** What the manifest of a capture says about the files beside it. */
import type { CaptureManifest } from '../../model/capture.ts';

export interface CaptureRecord {
  /** `node/worker-17` */
  readonly target: string;
  readonly version: string;
  readonly goVersion: string;
  /** By file name. */
  readonly files: ReadonlyMap<string, CapturedFile>;
}

export interface CapturedFile {
  /** By the target's own clock, like the times in the profiles that it made. */
  readonly takenAtSeconds: number;
  readonly truncated: string | undefined;
  /** When the process began, from the metrics of the same set. */
  readonly startTimeSeconds: number | undefined;
}

export function captureRecordOf({
  target,
  version,
  goVersion,
  processStartSeconds,
  entries,
}: CaptureManifest): CaptureRecord {
  const files = new Map<string, CapturedFile>();
  for (const { file, set, takenAtSeconds, skewSeconds, truncated } of entries) {
    if (file === undefined) continue;
    files.set(file, {
      takenAtSeconds: takenAtSeconds + (skewSeconds ?? 0),
      truncated,
      startTimeSeconds: processStartSeconds[set - 1],
    });
  }
  return { target, version: version ?? '', goVersion: goVersion ?? '', files };
}
