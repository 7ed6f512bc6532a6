/** The evidence of a watch about a target, as the files that `oakum capture` would write; a bundle packs them. */
import { encodeText } from '../base/text.ts';
import type { PileItem } from './pile.ts';
import { nameInEvidence } from './target.ts';
import type { TargetEvidence } from './capture.ts';

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
