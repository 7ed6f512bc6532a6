/**
 * The MANIFEST.json that `oakum capture` leaves beside the files it took.
 *
 *     {"schema":"oakum.capture/v1","target":"node/worker-17", ... ,"entries":[{"kind":"heap","file":"heap-1.pb.gz", ...}]}
 */
import { listOf, optionalNumber, optionalText, recordOf, textOf } from '../../base/json.ts';
import {
  CAPTURE_KINDS,
  type CapturedChange,
  type CaptureEntry,
  type CaptureKind,
  type CaptureManifest,
  type Collection,
} from '../capture.ts';

/** Undefined when the JSON is something else. Entries that are not ours are left out. */
export function readCaptureManifest(value: unknown): CaptureManifest | undefined {
  const root = recordOf(value);
  const { target, entries, goroutines, changes } = root;
  if (root['schema'] !== 'oakum.capture/v1' || typeof target !== 'string' || !Array.isArray(entries)) return undefined;
  return {
    schema: 'oakum.capture/v1',
    target,
    oakumVersion: textOf(root['oakumVersion']),
    startedAtSeconds: optionalNumber(root['startedAtSeconds']) ?? 0,
    endedAtSeconds: optionalNumber(root['endedAtSeconds']),
    version: optionalText(root['version']),
    goVersion: optionalText(root['goVersion']),
    buildId: optionalText(root['buildId']),
    processStartSeconds: listOf(root['processStartSeconds']).map(optionalNumber),
    ...(Array.isArray(goroutines) ? { goroutines: goroutines.map(optionalNumber) } : {}),
    entries: entries.map(readEntry).filter(entry => entry !== undefined),
    ...(Array.isArray(changes) ? { changes: changes.flatMap(readChange) } : {}),
    notes: listOf(root['notes']).map(String),
  };
}

function readChange(value: unknown): CapturedChange[] {
  const { atSeconds, attribute, from, to } = recordOf(value);
  if (typeof atSeconds !== 'number' || typeof attribute !== 'string') return [];
  return [{ atSeconds, attribute, from: textOf(from), to: textOf(to) }];
}

function readEntry(value: unknown): CaptureEntry | undefined {
  const entry = recordOf(value);
  const { kind, takenAtSeconds } = entry;
  if (!isCaptureKind(kind) || typeof takenAtSeconds !== 'number') return undefined;
  return {
    kind,
    set: optionalNumber(entry['set']) ?? 1,
    file: optionalText(entry['file']),
    request: textOf(entry['request']),
    takenAtSeconds,
    tookSeconds: optionalNumber(entry['tookSeconds']) ?? 0,
    skewSeconds: optionalNumber(entry['skewSeconds']),
    status: optionalNumber(entry['status']) ?? 0,
    bytes: optionalNumber(entry['bytes']) ?? 0,
    sha256: optionalText(entry['sha256']),
    truncated: optionalText(entry['truncated']),
    error: optionalText(entry['error']),
    ...(entry['collection'] === undefined ? {} : { collection: readCollection(entry['collection']) }),
  };
}

function readCollection(value: unknown): Collection {
  const { number, atSeconds } = recordOf(value);
  return { number: optionalNumber(number), atSeconds: optionalNumber(atSeconds) };
}

function isCaptureKind(value: unknown): value is CaptureKind {
  return CAPTURE_KINDS.some(kind => kind === value);
}
