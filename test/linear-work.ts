/** Proves that work grows with its input and no faster, by a ratio of CPU times, which no slow machine changes. */
import assert from 'node:assert/strict';

const FACTOR = 8;
/** Work in proportion takes 8 times as long, quadratic work 64 times. */
const MOST = 24;

/** `prepare` makes the input of a size, untimed, and gives the work on it; use sizes whose work is worth some 10 ms. */
export function assertLinear(size: number, prepare: (size: number) => () => void): void {
  // The least of a few: a collection of garbage that others left may fall into one.
  const least = (of: number): number => Math.min(...Array.from({ length: 3 }, () => cpuMs(prepare(of))));
  const [small, large] = [least(size), least(size * FACTOR)];
  assert.ok(
    large < MOST * Math.max(small, 1),
    `${FACTOR} times the input took ${(large / small).toFixed(0)} times the CPU: ${large} ms for ${small} ms`,
  );
}

function cpuMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
