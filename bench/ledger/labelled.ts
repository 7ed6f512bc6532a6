/** Ledgers of which the truth is known: of whole processes of a zoo, and of families of simulated dumps. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readPileFiles } from '../../src/evidence/io/pile.ts';
import { familiesOf } from '../../src/evidence/snapshots/families-of.ts';
import { readPile } from '../../src/evidence/snapshots/read-pile.ts';
import { analyzePile } from '../../src/judge/process/analyze-pile.ts';
import type { Ledger } from '../../src/judge/ledger/ledger.ts';
import { BUNDLED_LEAKS } from '../../src/knowledge/bundled.ts';
import { judgeDumps } from '../ages/evaluate.ts';

export interface Labelled {
  readonly what: string;
  readonly leaks: boolean;
  /** Of a process, one for each resource: it leaks if one of them does. */
  readonly ledgers: readonly Pick<Ledger, 'entries' | 'vetoes'>[];
}

/** Every NAME of the folder with NAME.truth.json beside it; none if there is no such folder. */
export async function labelledZoo(folder: string): Promise<Labelled[]> {
  if (!existsSync(folder)) return [];
  const ending = '.truth.json';
  const labelled: Labelled[] = [];
  for (const file of readdirSync(folder).sort()) {
    if (!file.endsWith(ending)) continue;
    const { truth } = JSON.parse(readFileSync(join(folder, file), 'utf8')) as { readonly truth: string };
    const path = join(folder, file.slice(0, -ending.length));
    // What leaked once and does not any more is neither.
    if (truth === 'stopped' || !existsSync(path)) continue;
    const pile = await readPile(readPileFiles([path]), { families: familiesOf, keepStacks: false });
    const { ledgers } = analyzePile(pile, { catalogue: BUNDLED_LEAKS });
    labelled.push({ what: file.slice(0, -ending.length), leaks: truth === 'leak', ledgers });
  }
  return labelled;
}

export async function labelledDumps(dumps: number, seed: number): Promise<Labelled[]> {
  return (await judgeDumps(dumps, seed)).flatMap(({ population, finding }) =>
    finding === undefined || finding.ledger.entries.length === 0
      ? []
      : [{ what: population.kind, leaks: population.isLeak, ledgers: [finding.ledger] }],
  );
}
