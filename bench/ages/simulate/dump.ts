/** A debug=2 dump of a simulated process: one function per family, so that families match the populations. */
import type { Dice } from '../../detect/simulate/dice.ts';
import { type Pace, collections } from './collections.ts';
import { idSource } from './goroutine-ids.ts';
import type { Alive, Population } from './populations.ts';

export interface SimulatedDump {
  readonly text: string;
  readonly endMinutes: number;
  readonly populations: readonly Population[];
}

const PACES: readonly Pace[] = ['busy', 'minutely', 'idle'];

/** The name of the function that a population blocks in. */
export function functionOf(population: number): string {
  return `main.work${population}`;
}

export function simulateDump(endMinutes: number, populations: readonly Population[], dice: Dice): SimulatedDump {
  const gc = collections(endMinutes, dice.pick(PACES), dice);
  const ids = idSource(dice.pick([2, 4, 8, 16, 64]), dice.uniform(0, 1.5), dice);
  const backgroundPerMinute =
    dice.logUniform(1, 5000) + populations.reduce((sum, { othersPerMinute }) => sum + othersPerMinute, 0);
  const goroutines = populations
    .flatMap((population, i) => population.alive.map(alive => ({ ...alive, family: i, state: population.state })))
    .concat({ bornAt: 0, waitsSince: 0, family: -1, state: 'select' })
    .sort((a, b) => a.bornAt - b.bornAt);
  const blocks: string[] = [];
  let last = 0;
  for (const one of goroutines) {
    const id = ids.next(dice.poisson(backgroundPerMinute * (one.bornAt - last)));
    last = one.bornAt;
    blocks.push(block(id, one, gc.printed(one.waitsSince)));
  }
  // The runtime lists goroutines in no particular order.
  return { text: `${dice.shuffle(blocks).join('\n')}`, endMinutes, populations };
}

function block(id: number, { family, state }: Alive & { family: number; state: string }, minutes: number): string {
  const wait = minutes > 0 ? `, ${minutes} minutes` : '';
  const name = family < 0 ? 'main.main' : functionOf(family);
  const frames = `${name}()\n\t/src/main.go:${family + 10} +0x1d\ncreated by main.start in goroutine 1\n\t/src/main.go:9 +0x2a\n`;
  return `goroutine ${id} [${state}${wait}]:\n${frames}`;
}
