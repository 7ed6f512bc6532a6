/** Files of a capture have the target, version and time of its manifest, whatever their paths say. */
import { nameInEvidence } from '../target.ts';
import { fileName, folderOf } from '../path-parts.ts';
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
  const name = fileName(one.path);
  // A file may lose its last extension in an archive or when it is decompressed.
  const file = record.files.get(name) ?? record.files.get(`${name}.gz`);
  const ofTarget = { ...one, capturedFrom: record.target, node: one.node || nameInEvidence(record.target) };
  if (file === undefined) return ofTarget;
  const { content } = one.times;
  return {
    ...ofTarget,
    version: one.version || record.version,
    startTimeSeconds: one.startTimeSeconds ?? file.startTimeSeconds,
    times: { ...one.times, content: content ?? file.takenAtSeconds },
    truncated: one.truncated ?? file.truncated,
    collection: one.collection ?? file.collection,
  };
}
