/** Captures and their files as rows of tables, and back. */
import type { CaptureKind } from '../../evidence/capture.ts';
import type { KeptCapture } from './capture-retention.ts';
import type { Cells, CellValue } from './record-rows.ts';
import type { StoredCapture, StoredProfile } from '../records.ts';

export const CAPTURE_COLUMNS = 'id, target, at, trigger_name, reason, process_start';
export const CAPTURE_FILE_COLUMNS = 'capture, position, kind, at, sha256, bytes, truncated, request';

export function captureValues({ id, target, at, trigger, reason, processStartSeconds }: StoredCapture): CellValue[] {
  return [id, target, at, trigger, reason, processStartSeconds ?? null];
}

export function captureFileValues(capture: string, position: number, file: StoredProfile): CellValue[] {
  const { kind, at, sha256, bytes, truncated, request } = file;
  return [capture, position, kind, at, sha256, bytes, truncated, request ?? null];
}

/** `files` in their order. */
export function captureOf(row: Cells, files: readonly Cells[]): StoredCapture {
  return {
    id: String(row['id']),
    target: String(row['target']),
    at: Number(row['at']),
    trigger: String(row['trigger_name']),
    reason: String(row['reason']),
    processStartSeconds: row['process_start'] === null ? undefined : Number(row['process_start']),
    files: files.map(file => ({
      kind: file['kind'] as CaptureKind,
      at: Number(file['at']),
      truncated: file['truncated'] === null ? null : String(file['truncated']),
      ...(file['request'] === null ? {} : { request: String(file['request']) }),
      sha256: String(file['sha256']),
      bytes: Number(file['bytes']),
    })),
  };
}

/** A row of CAPTURE_SIZES. */
export function keptCaptureOf(row: Cells): KeptCapture {
  return {
    id: String(row['id']),
    target: String(row['target']),
    at: Number(row['at']),
    processStartSeconds: row['process_start'] === null ? undefined : Number(row['process_start']),
    bytes: Number(row['bytes']),
    isRoutine: row['trigger_name'] === 'routine',
  };
}

/** What retention decides on. */
export const CAPTURE_SIZES = `
  SELECT id, target, captures.at, process_start, trigger_name, coalesce(sum(bytes), 0) AS bytes
  FROM captures LEFT JOIN capture_files ON capture = id GROUP BY id`;

/** Size of all files, each once. */
export const FILE_BYTES =
  'SELECT coalesce(sum(bytes), 0) AS bytes FROM (SELECT DISTINCT sha256, bytes FROM capture_files) AS files';
