/** Reads the evidence that a watch holds about one target. Samples come as columns: there is no text to parse. */
import type { MetricSeries } from './snapshot.ts';
import { nameInEvidence } from '../target.ts';
import { type UnreadFile, readOne, type PileItem } from '../pile.ts';
import { captureRecordOf } from './capture-record.ts';
import { fromSamples, readMember, type ReadSnapshot, applyRecord } from './read-member.ts';
import { type Pile, pileOf, type ReadPileOptions } from './read-pile.ts';
import type { TargetEvidence } from '../capture.ts';
import { encodeText } from '../../base/text.ts';

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

/** The evidence of a watch about a target, as the files that `oakum capture` would write; a bundle packs them. */
export async function* evidenceFiles(
  { target, captures, samples }: TargetEvidence,
  root: string,
  inflate: (bytes: Uint8Array) => Uint8Array,
): AsyncGenerator<PileItem> {
  const member = (path: string, bytes: Uint8Array): PileItem => ({
    kind: 'member',
    path: `${root}/${path}`,
    bytes,
    mtimeSeconds: undefined,
    damage: undefined,
  });
  for (const [i, { manifest, files }] of captures.entries()) {
    const folder = `capture-${i + 1}`;
    yield member(`${folder}/MANIFEST.json`, encodeText(JSON.stringify(manifest)));
    // Beside a manifest, which names the target of the samples.
    if (i === 0 && samples.length > 0)
      yield member(`${folder}/metrics-history.prom`, encodeText(writeScrapes(samples, nameInEvidence(target))));
    for (const { name, bytes } of files) yield member(`${folder}/${name}`, inflate(bytes));
  }
}

/**
 * Columns of samples as metrics text, one marked scrape for each time:
 *
 *     # OAKUM scrape ts=1794772310 node=worker-17 path=/metrics status=200
 *     go_goroutines 310
 */
interface WrittenColumn {
  readonly metric: string;
  readonly times: Float64Array;
  readonly values: Float64Array;
}

function writeScrapes(columns: readonly WrittenColumn[], node: string): string {
  const scrapes = new Map<number, string[]>();
  for (const { metric, times, values } of columns) {
    times.forEach((time, i) => {
      const lines = scrapes.get(time) ?? [];
      lines.push(`${metric} ${values[i]}`);
      scrapes.set(time, lines);
    });
  }
  const name = node.replace(/\s/g, '_');
  return [...scrapes]
    .sort(([a], [b]) => a - b)
    .map(([time, lines]) => `# OAKUM scrape ts=${time} node=${name} path=/metrics status=200\n${lines.join('\n')}\n`)
    .join('');
}
