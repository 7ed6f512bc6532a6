/** The evidence of a watch about a target, as the files that `oakum capture` would write; a bundle packs them. */
import { encodeText } from '../../base/text.ts';
import type { TargetEvidence } from '../target-evidence.ts';
import { writeScrapes } from '../formats/exposition/write-scrapes.ts';
import type { PileItem } from '../pile.ts';
import { nameInEvidence } from '../target.ts';

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
