/**
 * A life is one process between two restarts. Levels and counters are compared within a life, never across lives.
 *
 *     start time   S S S S | T T T          changes at a restart, and when the clock is adjusted
 *     CPU seconds  1 5 7 9 | 0 2 4          falls at a restart, and continues if only the clock was adjusted
 */

/** Start times are computed from clocks, which drift by fractions of a second. */
export const START_TOLERANCE_SECONDS = 2;

/** What a sample says about the life it belongs to. Unknown values are undefined or NaN. */
export interface LifeSigns {
  /** When it was taken. */
  readonly atSeconds?: number | undefined;
  /** `process_start_time_seconds` */
  readonly startSeconds: number | undefined;
  /** `process_cpu_seconds_total` */
  readonly cpuSeconds: number | undefined;
}

/** Compares the start times of two samples. Unknown times, and those that cannot be, count as the same life. */
export function isSameLife(startA: number | undefined, startB: number | undefined): boolean {
  if (!isKnown(startA) || !isKnown(startB)) return true;
  return !(Math.abs(startA - startB) > START_TOLERANCE_SECONDS);
}

/** Whether the process was restarted between two samples, the earlier first. */
export function isRestart(before: LifeSigns, after: LifeSigns): boolean {
  const cpuFell = (after.cpuSeconds ?? NaN) < (before.cpuSeconds ?? NaN);
  if (!isKnown(before.startSeconds) || !isKnown(after.startSeconds)) return cpuFell;
  if (isSameLife(before.startSeconds, after.startSeconds)) return false;
  if (cpuFell || !isKnown(before.cpuSeconds) || !isKnown(after.cpuSeconds)) return true;
  // Its CPU time went on, so the clock was adjusted, unless it started after the last sample and was merely busier.
  return after.startSeconds > (before.atSeconds ?? Infinity) + START_TOLERANCE_SECONDS;
}

/** The index at which each life begins, for samples of one target in time order. */
export function lifeBeginnings(samples: readonly LifeSigns[]): number[] {
  const beginnings: number[] = [];
  let before: LifeSigns = { startSeconds: undefined, cpuSeconds: undefined };
  samples.forEach((sample, i) => {
    const isNew = isRestart(before, sample);
    if (i === 0 || isNew) beginnings.push(i);
    // A sample without one of them says nothing about it.
    const known = isNew ? sample : before;
    before = {
      atSeconds: isKnown(sample.atSeconds) ? sample.atSeconds : known.atSeconds,
      startSeconds: isKnown(sample.startSeconds) ? sample.startSeconds : known.startSeconds,
      cpuSeconds: isKnown(sample.cpuSeconds) ? sample.cpuSeconds : known.cpuSeconds,
    };
  });
  return beginnings;
}

/** The start times of distinct lives, in order. */
export function distinctStarts(starts: readonly number[]): number[] {
  const sorted = starts.filter(isKnown).sort((a, b) => a - b);
  return sorted.filter((start, i) => i === 0 || !isSameLife(sorted[i - 1], start));
}

function isKnown(value: number | undefined): value is number {
  return value !== undefined && Number.isFinite(value);
}
