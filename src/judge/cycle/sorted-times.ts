/** Binary searches in a sorted list of times: hostile logs have a hundred thousand. */

/** How many are at `seconds` or before. */
export function countUntil(times: readonly number[], seconds: number): number {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle] <= seconds) low = middle + 1;
    else high = middle;
  }
  return low;
}

export function lastUntil(times: readonly number[], seconds: number): number | undefined {
  return times[countUntil(times, seconds) - 1];
}

/** After `from`, until `to`. */
export function hasWithin(times: readonly number[], from: number, to: number): boolean {
  return (lastUntil(times, to) ?? -Infinity) > from;
}

export function sortedTimes(timed: Iterable<{ readonly atSeconds: number | undefined }>): number[] {
  const times: number[] = [];
  for (const { atSeconds } of timed) if (atSeconds !== undefined) times.push(atSeconds);
  return times.sort((a, b) => a - b);
}
