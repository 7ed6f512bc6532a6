/** The time that a page shows, in equal parts. */
import type { TimeBins } from '../watch-model.ts';
import type { WatchState } from '../state/watch-state.ts';

const BINS = 96;
const MIN_STEP_SECONDS = 10;

/** Never earlier than the first sample: beside an empty week, a full hour would not show. */
export function binsOf({ targets }: WatchState, hours: number, now: number): TimeBins {
  let first = now;
  for (const { lives, firstSampleAt } of targets.values())
    if (lives.length > 0 && firstSampleAt !== undefined) first = Math.min(first, firstSampleAt);
  const from = Math.max(now - hours * 3600, first);
  const stepSeconds = Math.max(MIN_STEP_SECONDS, (now - from) / BINS);
  return { from, stepSeconds, count: Math.max(1, Math.ceil((now - from) / stepSeconds)) };
}
