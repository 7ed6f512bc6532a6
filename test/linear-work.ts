/** Proves that work grows no faster than its input, by a ratio of CPU times. */
import assert from 'node:assert/strict';

const FACTOR = 16;
/** One large input takes as long as 16 small ones if the work is linear, and 16 times as long if it is quadratic. */
const LIMIT = 3;
const FEWEST_ROUNDS = 2;
const MAX_ROUNDS = 15;

/**
 * `prepare` makes an input of a given size, untimed, and returns the work on it, which returns its result. Use sizes
 * that take about a millisecond.
 *
 * Noise only ever adds CPU time: other threads of this process, a garbage collection of what other tests left
 * behind. So the least time of many rounds counts, and a ratio that is too large is measured again. Both sides allocate
 * the same in total and keep it until the end, so that neither has more garbage collections than the other.
 */
export function assertLinear(size: number, prepare: (size: number) => () => unknown): void {
  const [onSmall, onLarge] = [prepare(size), prepare(size * FACTOR)];
  // Compiles the code; otherwise the first side would pay for it, which would hide that the other is slow.
  cpuMs(onSmall, FACTOR);
  let [small, large] = [Infinity, Infinity];
  for (let round = 1; round <= MAX_ROUNDS; round++) {
    small = Math.min(small, cpuMs(onSmall, FACTOR));
    large = Math.min(large, cpuMs(onLarge, 1));
    if (round >= FEWEST_ROUNDS && large < LIMIT * small) return;
  }
  assert.fail(
    `one input took ${(large / small).toFixed(1)} times the CPU of ${FACTOR} inputs of a ${FACTOR}th of its size: ` +
      `${large} ms for ${small} ms`,
  );
}

function cpuMs(work: () => unknown, times: number): number {
  const results: unknown[] = [];
  const before = process.cpuUsage();
  for (let i = 0; i < times; i++) results.push(work());
  const { user, system } = process.cpuUsage(before);
  assert.equal(results.length, times);
  return (user + system) / 1000;
}
