/**
 * A heap family that rose and then allocated nothing more: a full cache, a complete table.
 *
 *     10:00   104 samples ever allocated
 *     10:06   113                            nine in six minutes
 *     10:14   113                            none in eight, where twelve were due
 */
import { formatAge, formatBytes, formatCount } from '../../base/quantities.ts';

export interface AllocationPoint {
  readonly atSeconds: number | undefined;
  readonly bytes: number;
  /** Sampled allocations since the process started. */
  readonly allocatedSamples: number;
}

/** Fewer may be absent by chance. */
const MIN_DUE_SAMPLES = 3;

/** Why its one rise is over; undefined if it goes on, rose more than once, or if nothing shows it. */
export function stoppedOf(points: readonly AllocationPoint[]): string | undefined {
  const rises = points.flatMap(({ bytes }, i) => (i > 0 && bytes > points[i - 1].bytes ? [i] : []));
  if (points.length < 3 || rises.length !== 1) return undefined;
  const [before, after, last] = [points[rises[0] - 1], points[rises[0]], points[points.length - 1]];
  const came = after.allocatedSamples - before.allocatedSamples;
  const cameSince = last.allocatedSamples - after.allocatedSamples;
  if (came <= 0 || cameSince >= 0.5) return undefined;
  const [from, to, end] = [before.atSeconds, after.atSeconds, last.atSeconds];
  if (from === undefined || to === undefined || end === undefined || to <= from) return undefined;
  const due = (came * (end - to)) / (to - from);
  if (due < MIN_DUE_SAMPLES) return undefined;
  const rise = `rose once, from ${formatBytes(before.bytes)} to ${formatBytes(after.bytes)}`;
  return `${rise}, and allocated nothing in the ${formatAge(end - to)} since, where ${formatCount(Math.round(due))} samples were due: it stopped`;
}
