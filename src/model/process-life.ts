/**
 * Lives: one process between two restarts. Levels and counters are compared within a life, never across.
 *
 *     start time   S S S S | T T T          a restart moves it; so does a clock that is set
 *     CPU seconds  1 5 7 9 | 0 2 4          falls at a restart, and goes on when only the clock was set
 */

/** Start times are computed from clocks, which differ and wander by fractions of a second. */
export const START_TOLERANCE_SECONDS = 2;

/** What one sample tells of the life it is from. Unknown is undefined or NaN. */
export interface LifeSigns {
  /** When it was taken. */
  readonly atSeconds?: number | undefined;
  /** `process_start_time_seconds` */
  readonly startSeconds: number | undefined;
  /** `process_cpu_seconds_total` */
  readonly cpuSeconds: number | undefined;
}

/** By the start times of two samples. What is not known is taken to be the same. */
export function isSameLife(startA: number | undefined, startB: number | undefined): boolean {
  return !(Math.abs((startA ?? NaN) - (startB ?? NaN)) > START_TOLERANCE_SECONDS);
}

/** Whether the process was restarted between two samples, the earlier first. */
export function isRestart(before: LifeSigns, after: LifeSigns): boolean {
  const cpuFell = (after.cpuSeconds ?? NaN) < (before.cpuSeconds ?? NaN);
  if (!isKnown(before.startSeconds) || !isKnown(after.startSeconds)) return cpuFell;
  if (isSameLife(before.startSeconds, after.startSeconds)) return false;
  if (cpuFell || !isKnown(before.cpuSeconds) || !isKnown(after.cpuSeconds)) return true;
  // It went on using CPU, so the clock was set; unless it began after the last sample and was only busier since.
  return after.startSeconds > (before.atSeconds ?? Infinity) + START_TOLERANCE_SECONDS;
}

/** The index at which each life begins, in samples of one target in the order of time. */
export function lifeBeginnings(samples: readonly LifeSigns[]): number[] {
  const beginnings: number[] = [];
  let before: LifeSigns = { startSeconds: undefined, cpuSeconds: undefined };
  samples.forEach((sample, i) => {
    const isNew = isRestart(before, sample);
    if (i === 0 || isNew) beginnings.push(i);
    // A sample that lacks one of them says nothing about it.
    const known = isNew ? sample : before;
    before = {
      atSeconds: isKnown(sample.atSeconds) ? sample.atSeconds : known.atSeconds,
      startSeconds: isKnown(sample.startSeconds) ? sample.startSeconds : known.startSeconds,
      cpuSeconds: isKnown(sample.cpuSeconds) ? sample.cpuSeconds : known.cpuSeconds,
    };
  });
  return beginnings;
}

/** Start times that are not those of the same life, in order. */
export function distinctStarts(starts: readonly number[]): number[] {
  const sorted = starts.filter(isKnown).sort((a, b) => a - b);
  return sorted.filter((start, i) => i === 0 || !isSameLife(sorted[i - 1], start));
}

function isKnown(value: number | undefined): value is number {
  return value !== undefined && !Number.isNaN(value);
}
