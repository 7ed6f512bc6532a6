/** Reads the evidence that a watch holds about one target. Samples come as columns: there is no text to parse. */
import type { MetricSeries } from './snapshot.ts';
import { nameInEvidence } from '../target.ts';
import { type UnreadFile, readOne } from '../pile.ts';
import { captureRecordOf } from './capture-record.ts';
import { fromSamples, readMember, type ReadSnapshot, applyRecord } from './read-member.ts';
import { type Pile, pileOf, type ReadPileOptions } from './read-pile.ts';
import type { TargetEvidence } from '../capture.ts';

/** `inflate` decompresses a stored file. */
export function readTargetEvidence(
  evidence: TargetEvidence,
  inflate: (bytes: Uint8Array) => Uint8Array,
  options: ReadPileOptions = {},
): Pile {
  const read: ReadSnapshot[] = [];
  const unread: UnreadFile[] = [];
  evidence.captures.forEach(({ manifest, files }, i) => {
    const record = captureRecordOf(manifest);
    for (const { name, bytes } of files) {
      const path = `capture-${i + 1}/${name}`;
      readOne(path, unread, () => {
        const member = {
          kind: 'member',
          path,
          bytes: inflate(bytes),
          mtimeSeconds: undefined,
          damage: undefined,
        } as const;
        const snapshots = readMember(member, options);
        read.push(...snapshots.map(one => applyRecord(one, record)));
      });
    }
  });
  const { target, samples } = evidence;
  const series = new Map(
    samples.map(({ metric, ...columns }): [string, MetricSeries] => [metric, { name: metric, labels: {}, ...columns }]),
  );
  if (series.size > 0) {
    for (const one of fromSamples('samples', series, nameInEvidence(target)))
      read.push({ ...one, capturedFrom: target });
  }
  return pileOf(read, unread, options);
}
