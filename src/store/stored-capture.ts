/** Captures as a store takes and returns them. */
import type { CaptureKind } from '../evidence/capture.ts';

/** How many of the heap profiles that are taken by routine are kept of each target: a day of them. */
export const ROUTINE_KEPT = 4;

/** What a continuous profiler had of the past, not taken by Oakum. */
export const PAST_TRIGGER = 'profiler';

export interface NewCapture {
  readonly id: string;
  readonly target: string;
  readonly at: number;
  readonly trigger: string;
  readonly reason: string;
  /** `process_start_time_seconds`, which tells one life of the process from the next; undefined if unknown. */
  readonly processStartSeconds: number | undefined;
  readonly files: readonly {
    readonly kind: CaptureKind;
    readonly at: number;
    readonly truncated: string | null;
    /** What was asked: `/debug/pprof/heap?gc=1`. */
    readonly request?: string | undefined;
    readonly bytes: Uint8Array;
  }[];
}

export interface StoredCapture extends Omit<NewCapture, 'files'> {
  readonly files: readonly StoredProfile[];
}

export interface StoredProfile {
  readonly kind: CaptureKind;
  readonly at: number;
  readonly truncated: string | null;
  /** Undefined of what an earlier version stored. */
  readonly request?: string | undefined;
  readonly sha256: string;
  readonly bytes: number;
}
