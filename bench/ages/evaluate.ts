/** Reads and diagnoses dumps of simulated processes, and counts the verdicts for each kind of family. */
import { familiesOf } from '../../src/evidence/snapshots/families-of.ts';
import { analyzePile } from '../../src/judge/process/analyze-pile.ts';
import { readPile } from '../../src/evidence/snapshots/read-pile.ts';
import type { Analysis, Finding } from '../../src/judge/analysis.ts';
import type { PileItem } from '../../src/evidence/pile.ts';
import { diceFrom } from '../detect/simulate/dice.ts';
import { functionOf, simulateDump, type SimulatedDump } from './simulate/dump.ts';
import { CLIENTS, HEALTHY, LEAKS, type Population } from './simulate/populations.ts';

export interface Judged {
  readonly population: Population;
  readonly endMinutes: number;
  /** Undefined if it is not a finding. */
  readonly finding: Finding | undefined;
}

/** Families of each kind, a few to a process. */
export async function judgeDumps(dumps: number, seed: number): Promise<Judged[]> {
  const judged: Judged[] = [];
  for (let i = 0; i < dumps; i++) {
    const dice = diceFrom(seed, i);
    const endMinutes = dice.logUniform(6, 3 * 1440);
    const makers = [...Object.values(HEALTHY), ...Object.values(LEAKS), CLIENTS];
    const populations = dice
      .shuffle(makers)
      .slice(0, 5)
      .map(make => make(endMinutes, dice));
    const dump = simulateDump(endMinutes, populations, dice);
    const findings = (await analyzed(dump)).findings;
    populations.forEach((population, family) => {
      const finding = findings.find(one => one.family.frames.includes(functionOf(family)));
      judged.push({ population, endMinutes, finding });
    });
  }
  return judged;
}

async function analyzed({ text }: SimulatedDump): Promise<Analysis> {
  const pile = await readPile(only(text), { families: familiesOf, keepStacks: false });
  return analyzePile(pile, { catalogue: [] });
}

async function* only(text: string): AsyncIterable<PileItem> {
  const bytes = new TextEncoder().encode(text);
  yield { kind: 'member', path: 'goroutine.debug2.txt', bytes, mtimeSeconds: undefined, damage: undefined };
}
