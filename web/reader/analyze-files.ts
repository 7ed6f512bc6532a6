/** The answer of `oakum analyze` to dropped files, computed in this tab. */
import { familiesOf } from '../../src/analysis/families/families-of.ts';
import { BUNDLED_LEAKS } from '../../src/catalogue/bundled.ts';
import { analyzePile } from '../../src/diagnosis/process/analyze-pile.ts';
import { readPile } from '../../src/evidence/snapshots/read-pile.ts';
import type { Analysis } from '../../src/model/analysis.ts';
import { pileItems, type PileFile } from './pile-items.ts';

export async function analyzeFiles(files: readonly PileFile[]): Promise<Analysis> {
  const pile = await readPile(pileItems(files), { families: familiesOf, keepStacks: false });
  return analyzePile(pile, { catalogue: BUNDLED_LEAKS });
}
