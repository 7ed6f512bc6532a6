/**
 * The manifest that `oakum capture` writes beside the files it took: `MANIFEST.json` (schema `oakum.capture/v1`).
 *
 *     DIR/MANIFEST.json
 *     DIR/metrics-1794772000.prom.gz   DIR/goroutine-1794772001.pb.gz   DIR/heap-1794772003.pb.gz ...
 */

export const CAPTURE_KINDS = [
  'metrics', // /metrics
  'metrics-probes',
  'metrics-resource',
  'stats-summary',
  'configz',
  'goroutine', // debug=0
  'goroutine-d1',
  'goroutine-d2',
  'goroutineleak',
  'heap',
  'heap-d1', // with MemStats, where the metrics do not tell the live heap
  'allocs',
  'cpu',
  'block',
  'mutex',
  'threadcreate',
] as const;

export type CaptureKind = (typeof CAPTURE_KINDS)[number];

export interface CaptureEntry {
  readonly kind: CaptureKind;
  /** 1 for the first set, 2 for the one after the gap. */
  readonly set: number;
  /** Name of the file in the folder; undefined if nothing could be taken. */
  readonly file: string | undefined;
  /** The request, without the host: `/debug/pprof/heap`. */
  readonly request: string;
  readonly takenAtSeconds: number;
  readonly tookSeconds: number;
  /** The target's clock minus ours, from its Date header. */
  readonly skewSeconds: number | undefined;
  /** 0 if there was no answer. */
  readonly status: number;
  /** Size and digest of the file as written. */
  readonly bytes: number;
  readonly sha256: string | undefined;
  /** Why the body is incomplete; undefined if it is complete. */
  readonly truncated: string | undefined;
  /** Why there is no file, and what to do; undefined if there is one. */
  readonly error: string | undefined;
  /** The last garbage collection before it, where it or its request tells; of a heap profile with gc=1, the forced one. */
  readonly collection?: Collection | undefined;
}

/** Whether a request for a heap profile collects garbage first: `/debug/pprof/heap?gc=1`. */
export function isForcingCollection(request: string): boolean {
  return /[?&]gc=1(?:&|$)/.test(request);
}

export interface CaptureManifest {
  readonly schema: 'oakum.capture/v1';
  /** As the user named it: `node/worker-17`. */
  readonly target: string;
  readonly oakumVersion: string;
  readonly startedAtSeconds: number;
  /** Undefined while it runs, or if it was interrupted. */
  readonly endedAtSeconds: number | undefined;
  /** Version of the component, from its metrics: `v1.36.0`. */
  readonly version: string | undefined;
  readonly goVersion: string | undefined;
  readonly buildId: string | undefined;
  /** `process_start_time_seconds` at each set: a change means a restart between them. */
  readonly processStartSeconds: readonly (number | undefined)[];
  /** `go_goroutines` at each set. */
  readonly goroutines?: readonly (number | undefined)[];
  readonly entries: readonly CaptureEntry[];
  /** What changed on the target since two weeks before, as a watch saw it. */
  readonly changes?: readonly CapturedChange[];
  readonly notes: readonly string[];
}

/** An attribute of the target got another value. */
export interface CapturedChange {
  readonly atSeconds: number;
  readonly attribute: string;
  readonly from: string;
  readonly to: string;
}

/**
 * Garbage collections: a heap profile shows what was live at the end of one, not when it was taken.
 *
 *     collections   ...  N-1 ------------- N ---- profile
 *     heap          shows N-1: the runtime publishes a collection when the next one ends
 *     heap?gc=1     collects first, and shows that one
 */
export interface Collection {
  /** Counted from the start of the process; undefined when nothing tells. */
  readonly number: number | undefined;
  /** When it ended, in unix seconds; undefined when nothing tells. */
  readonly atSeconds: number | undefined;
}

/** The last collection that had ended when a profile was taken. */
export interface LastCollection extends Collection {
  /** Whether the request for the profile forced it. */
  readonly isForced: boolean;
}

/**
 * The evidence that a watch holds about one target, as data: its captures with their manifests, and its samples as
 * columns.
 *
 *     captures   { manifest, files: heap-1794772310.pb.gz, goroutine-1794772311.pb.gz, ... }
 *     samples    go_goroutines  times t0 t1 t2 ...  values 310 311 309 ...
 */
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
