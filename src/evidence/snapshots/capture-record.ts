/** What the manifest of a capture says of the files beside it. */

export interface CaptureRecord {
  /** `node/worker-17` */
  readonly target: string;
  readonly version: string;
  readonly goVersion: string;
  /** File name -> what is known of it. */
  readonly files: ReadonlyMap<string, CapturedFile>;
}

export interface CapturedFile {
  /** By the target's own clock, as the profiles it made tell the time. */
  readonly takenAtSeconds: number;
  readonly truncated: string | undefined;
  /** When the process began, as the metrics of the same set tell. */
  readonly startTimeSeconds: number | undefined;
}

type Fields = Readonly<Record<string, unknown>>;

/** Undefined when it is no manifest. */
export function readCaptureRecord(root: Fields): CaptureRecord | undefined {
  if (root['schema'] !== 'oakum.capture/v1' || typeof root['target'] !== 'string') return undefined;
  const files = new Map<string, CapturedFile>();
  const starts = Array.isArray(root['processStartSeconds']) ? (root['processStartSeconds'] as unknown[]) : [];
  for (const entry of Array.isArray(root['entries']) ? root['entries'] : []) {
    const { file, set, takenAtSeconds, skewSeconds, truncated } = (entry ?? {}) as Fields;
    if (typeof file !== 'string' || typeof takenAtSeconds !== 'number') continue;
    const start = typeof set === 'number' ? starts[set - 1] : undefined;
    files.set(file, {
      takenAtSeconds: takenAtSeconds + (typeof skewSeconds === 'number' ? skewSeconds : 0),
      truncated: typeof truncated === 'string' ? truncated : undefined,
      startTimeSeconds: typeof start === 'number' ? start : undefined,
    });
  }
  const text = (value: unknown): string => (typeof value === 'string' ? value : '');
  return { target: root['target'], version: text(root['version']), goVersion: text(root['goVersion']), files };
}
