/**
 * One resource of one target, laid out by the hour for the statistics. Scratch that the next call overwrites.
 *
 *     bin       ... 410 411 412 ...        (hours since 1970, of the detector)
 *     values      3.1 3.2 NaN              NaN: nothing seen, or not settled
 *     pods         20  20  21
 *     churn       1.1 1.0 1.3              pod starts per hour, smoothed over about three hours
 *     epoch         2   2   2
 */
import type { BinColumn } from '../bin-column.ts';
import type { TargetState } from '../target-state.ts';

export const MAX_HOURS = 336;

export interface Hours {
  count: number;
  /** The bin of the first entry. */
  firstBin: number;
  readonly values: Float64Array;
  readonly pods: Float64Array;
  readonly churn: Float64Array;
  readonly epoch: Uint16Array;
  hasPods: boolean;
  hasChurn: boolean;
}

const KEEP = Math.exp(-1 / 3);

export function newHours(): Hours {
  return {
    count: 0,
    firstBin: 0,
    values: new Float64Array(MAX_HOURS),
    pods: new Float64Array(MAX_HOURS),
    churn: new Float64Array(MAX_HOURS),
    epoch: new Uint16Array(MAX_HOURS),
    hasPods: false,
    hasChurn: false,
  };
}

const unmasked = new Float64Array(MAX_HOURS);

/** The last two weeks before `endBin`, which is not included; with or without hours that are not settled. */
export function layHours(
  hours: Hours,
  target: TargetState,
  column: BinColumn,
  endBin: number,
  which: 'settled' | 'all' = 'settled',
): void {
  const first = Math.max(target.firstBin, endBin - MAX_HOURS);
  const count = Math.max(0, endBin - first);
  hours.count = count;
  hours.firstBin = first;
  const starts = target.counters[0] ?? target.counters[1];
  hours.hasPods = target.pods !== undefined;
  hours.hasChurn = starts !== undefined;
  column.copyTo(hours.values, first, count);
  target.copyEpochs(hours.epoch, which === 'settled' ? hours.values : unmasked, first, count);
  if (target.pods === undefined) hours.pods.fill(0, 0, count);
  else {
    target.pods.copyTo(hours.pods, first, count);
    carryOn(hours.pods, count, 0);
  }
  if (starts === undefined) hours.churn.fill(0, 0, count);
  else {
    starts.copyTo(hours.churn, first, count);
    carryOn(hours.churn, count, KEEP);
  }
}

/** Gaps take the last value seen, the first hours the first; `keep` smooths. */
function carryOn(column: Float64Array, count: number, keep: number): void {
  let from = 0;
  while (from < count && Number.isNaN(column[from])) from++;
  let last = from < count ? column[from] : 0;
  column.fill(last, 0, from);
  for (let i = from; i < count; i++) {
    if (!Number.isNaN(column[i])) last = keep * last + (1 - keep) * column[i];
    column[i] = last;
  }
}
