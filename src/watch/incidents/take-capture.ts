/** Takes a capture from a watched target into the store. */
import type { CaptureEntry, CaptureKind, CaptureManifest } from '../../evidence/capture.ts';
import type { ScratchFolder, TargetConnection } from '../../live/ports.ts';
import type { CaptureGate } from '../../live/capture/capture-gate.ts';
import { DEFAULT_CHOICES, KINDS } from '../../live/capture/capture-steps.ts';
import { runCapture } from '../../live/capture/run-capture.ts';
import type { Explanation } from '../../live/doctor/explanation.ts';
import type { WatchClock } from '../../base/clock.ts';
import type { NewCapture } from '../../store/records.ts';

export interface TakePorts {
  readonly clock: WatchClock;
  readonly gate: CaptureGate;
  /** Empty, because the store accepts only a whole capture. */
  readonly scratchFolder: () => ScratchFolder;
  readonly oakumVersion: string;
  /** Collect garbage before the heap profile. */
  readonly gc: boolean;
  /** Undefined for all that a capture takes. */
  readonly only: readonly CaptureKind[] | undefined;
  readonly signal: AbortSignal;
}

export type TakenEvidence =
  | { readonly kind: 'taken'; readonly files: NewCapture['files']; readonly processStartSeconds: number | undefined }
  | { readonly kind: 'nothing'; readonly why: string; readonly failure: Explanation | undefined };

/** One set: it is compared with the next capture. */
const CHOICES = { ...DEFAULT_CHOICES, gapSeconds: 0 };

export async function takeEvidence(connection: TargetConnection, ports: TakePorts): Promise<TakenEvidence> {
  const folder = ports.scratchFolder();
  const { clock } = ports;
  const outcome = await runCapture(
    {
      connection,
      folder,
      gate: ports.gate,
      oakumVersion: ports.oakumVersion,
      now: () => clock.now(),
      sleep: (seconds, signal) => clock.sleep(seconds, signal),
      signal: ports.signal,
      onEvent: () => {},
    },
    { ...CHOICES, gc: ports.gc, only: ports.only },
  );
  const files = (outcome.manifest?.entries ?? []).flatMap(({ kind, takenAtSeconds, truncated, file, request }) => {
    const bytes = file === undefined ? undefined : folder.content(file);
    return bytes === undefined ? [] : [{ kind, at: takenAtSeconds, truncated: truncated ?? null, request, bytes }];
  });
  // A capture that was stopped does not count; the next one starts from scratch. Metrics are in the samples anyway.
  if (outcome.end === 'stopped' || files.every(({ kind }) => kind === 'metrics'))
    return { kind: 'nothing', why: outcome.message ?? 'it returned no profile', failure: outcome.failure };
  return { kind: 'taken', files, processStartSeconds: outcome.manifest?.processStartSeconds[0] };
}

export interface StoredFileFacts {
  readonly kind: CaptureKind;
  readonly at: number;
  readonly truncated: string | null;
  readonly request?: string | undefined;
  readonly bytes: number;
  readonly sha256: string;
}

/** The manifest that a folder of these files would have had. */
export function manifestOf(
  target: string,
  files: readonly StoredFileFacts[],
  facts: { readonly version: string | undefined; readonly goVersion: string | undefined },
  processStartSeconds: number | undefined,
  oakumVersion: string,
): CaptureManifest {
  const entries = files.map(({ kind, at, truncated, request, bytes, sha256 }): CaptureEntry => ({
    kind,
    set: 1,
    file: fileName(kind, at),
    request: request ?? KINDS[kind].request,
    takenAtSeconds: at,
    tookSeconds: 0,
    skewSeconds: undefined,
    status: 200,
    bytes,
    sha256,
    truncated: truncated ?? undefined,
    error: undefined,
  }));
  const times = files.map(({ at }) => at);
  return {
    schema: 'oakum.capture/v1',
    target,
    oakumVersion,
    startedAtSeconds: Math.min(...times),
    endedAtSeconds: Math.max(...times),
    version: facts.version,
    goVersion: facts.goVersion,
    buildId: undefined,
    processStartSeconds: [processStartSeconds],
    entries,
    notes: [],
  };
}

export function fileName(kind: CaptureKind, at: number): string {
  return `${kind}-${Math.floor(at)}.${KINDS[kind].extension}`;
}
