/** The answer of `oakum analyze` to dropped files, computed in this tab. */
import { familiesOf } from '../../src/evidence/snapshots/families-of.ts';
import { BUNDLED_LEAKS } from '../../src/knowledge/bundled.ts';
import { analyzePile } from '../../src/judge/process/analyze-pile.ts';
import { readPile } from '../../src/evidence/snapshots/read-pile.ts';
import type { Analysis } from '../../src/judge/analysis.ts';
import { pileItems, type PileFile } from './pile-items.ts';

export async function analyzeFiles(files: readonly PileFile[]): Promise<Analysis> {
  const pile = await readPile(pileItems(files), { families: familiesOf, keepStacks: false });
  return analyzePile(pile, { catalogue: BUNDLED_LEAKS });
}
