/** Every clock fulfils the contract: the real one, that of a recording, and the simulated one of tests. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { pacedClock, SYSTEM_CLOCK } from '../../src/live/io/clocks.ts';
import { SimulatedClock } from '../double/simulated-clock.ts';
import { clockContract } from './clock-contract.ts';

const byItself = <T>(work: Promise<T>): Promise<T> => work;

clockContract({ name: 'of the system', sleepSeconds: 0.02, make: () => ({ clock: SYSTEM_CLOCK, run: byItself }) });

clockContract({
  name: 'of a recording, 100 times faster',
  sleepSeconds: 2,
  make: () => ({ clock: pacedClock(1_794_772_000, 1_794_900_000, 100), run: byItself }),
});

clockContract({
  name: 'simulated',
  sleepSeconds: 3600,
  make: () => {
    const clock = new SimulatedClock(1_794_772_000);
    const run = async <T>(work: Promise<T>): Promise<T> => {
      await clock.runUntil(clock.now() + 4 * 3600);
      return work;
    };
    return { clock, run };
  },
});

it('the clock of a recording stops at its end', () => {
  assert.equal(pacedClock(100, 50, 1).now(), 50);
});
