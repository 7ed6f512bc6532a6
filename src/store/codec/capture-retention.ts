/**
 * Which captures to delete when there is no room for all. For each target, the store keeps longest:
 *
 *     the newest; the first of the current life; the last before the last restart; the first and the last of earlier
 *     lives, newer lives first; then the rest, newer first
 *
 * Routine heap profiles come after all others, and only the newest four of a target are kept.
 */
import { ROUTINE_KEPT } from '../records.ts';
import type { ReadCells } from '../tables.ts';

/** What retention decides on. */
export const CAPTURE_SIZES = `
  SELECT id, target, captures.at, process_start, trigger_name, coalesce(sum(bytes), 0) AS bytes
  FROM captures LEFT JOIN capture_files ON capture = id GROUP BY id`;

/** Size of all files, each once. */
export const FILE_BYTES =
  'SELECT coalesce(sum(bytes), 0) AS bytes FROM (SELECT DISTINCT sha256, bytes FROM capture_files) AS files';

export interface KeptCapture {
  readonly id: string;
  readonly target: string;
  readonly at: number;
  readonly processStartSeconds: number | undefined;
  readonly bytes: number;
  readonly isRoutine: boolean;
}

/** A row of CAPTURE_SIZES. */
export function keptCaptureOf(row: ReadCells): KeptCapture {
  return {
    id: String(row['id']),
    target: String(row['target']),
    at: Number(row['at']),
    processStartSeconds: row['process_start'] === null ? undefined : Number(row['process_start']),
    bytes: Number(row['bytes']),
    isRoutine: row['trigger_name'] === 'routine',
  };
}

export interface CaptureLimits {
  readonly maxBytesPerTarget: number;
  readonly maxBytes: number;
}

/** Start times of one process differ by rounding, and by corrections of the clock. */
const SAME_LIFE_SECONDS = 5;

/** Ids; never the one that has just been written. */
export function capturesToDrop(captures: readonly KeptCapture[], limits: CaptureLimits, written: string): string[] {
  const dropped = new Set<KeptCapture>();
  const kept: { readonly capture: KeptCapture; readonly rank: number }[] = [];
  const byTarget = new Map<string, KeptCapture[]>();
  for (const capture of captures) {
    const own = byTarget.get(capture.target);
    if (own === undefined) byTarget.set(capture.target, [capture]);
    else own.push(capture);
  }
  for (const own of byTarget.values()) {
    const routine = own.filter(({ isRoutine }) => isRoutine).sort((a, b) => b.at - a.at);
    const worth = byWorth(own.filter(({ isRoutine }) => !isRoutine));
    for (const old of routine.splice(ROUTINE_KEPT)) dropped.add(old);
    let bytes = 0;
    [...worth, ...routine].forEach((capture, rank) => {
      bytes += capture.bytes;
      if (bytes > limits.maxBytesPerTarget && rank > 0) dropped.add(capture);
      else kept.push({ capture, rank });
    });
  }
  // Across all targets, the least valuable goes first; of equals, the older.
  kept.sort((a, b) => b.rank - a.rank || a.capture.at - b.capture.at);
  let total = kept.reduce((sum, { capture }) => sum + capture.bytes, 0);
  for (const { capture } of kept) {
    if (total <= limits.maxBytes) break;
    dropped.add(capture);
    total -= capture.bytes;
  }
  return [...dropped].map(capture => capture.id).filter(id => id !== written);
}

/** The captures of one target, most valuable first. */
function byWorth(captures: readonly KeptCapture[]): KeptCapture[] {
  const lives = livesOf([...captures].sort((a, b) => a.at - b.at)).reverse();
  const ordered = new Set<KeptCapture>();
  for (const life of lives) {
    for (const capture of [life.at(-1), life.at(0)]) if (capture !== undefined) ordered.add(capture);
  }
  for (const life of lives) for (const capture of life.reverse()) ordered.add(capture);
  return [...ordered];
}

/** In time order. A capture of an unknown life belongs to the life before it. */
function livesOf(captures: readonly KeptCapture[]): KeptCapture[][] {
  const lives: KeptCapture[][] = [];
  let start: number | undefined;
  for (const capture of captures) {
    const next = capture.processStartSeconds;
    const isSame = start === undefined || next === undefined || Math.abs(next - start) <= SAME_LIFE_SECONDS;
    if (lives.length > 0 && isSame) lives.at(-1)?.push(capture);
    else lives.push([capture]);
    start = next ?? start;
  }
  return lives;
}
