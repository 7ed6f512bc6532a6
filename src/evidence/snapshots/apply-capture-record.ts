/** Files of a capture are of the target, the version and the time that its manifest tells; their paths need not. */
import { nameInEvidence } from '../../model/target.ts';
import type { CaptureRecord } from './capture-record.ts';
import type { ReadSnapshot } from './read-member.ts';

export function withManifests(all: readonly ReadSnapshot[]): readonly ReadSnapshot[] {
  const byFolder = new Map<string, CaptureRecord>();
  for (const { context, path } of all) {
    if (context?.capture !== undefined) byFolder.set(folderOf(path), context.capture);
  }
  if (byFolder.size === 0) return all;
  return all.map(one => {
    const record = byFolder.get(folderOf(one.path));
    return record === undefined ? one : applyRecord(one, record);
  });
}

export function applyRecord(one: ReadSnapshot, record: CaptureRecord): ReadSnapshot {
  const name = one.path.slice(one.path.lastIndexOf('/') + 1);
  // Inside an archive, and after decompression, a file may have lost its last ending.
  const file = record.files.get(name) ?? record.files.get(`${name}.gz`);
  const told = { ...one, capturedFrom: record.target, node: one.node || nameInEvidence(record.target) };
  if (file === undefined) return told;
  const { content } = one.times;
  return {
    ...told,
    version: one.version || record.version,
    startTimeSeconds: one.startTimeSeconds ?? file.startTimeSeconds,
    times: { ...one.times, content: content ?? file.takenAtSeconds },
    truncated: one.truncated ?? file.truncated,
  };
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/') + 1);
}
