/** What else of a target has risen since a rise began. */
import { FINE_BINS, type FineColumn, MIDDLE_EVERY } from '../fine-column.ts';
import type { Resource } from '../../../evidence/resource.ts';
import type { ResourceState, TargetState } from '../target-state.ts';

export interface OtherRises {
  /** File descriptors gained; NaN if unknown. */
  readonly descriptors: number;
  /** The live heap, or the goroutines, as times what they were; NaN if unknown. */
  readonly otherTimes: number;
}

/**
 * Whether a rise of minutes may prove a leak. Files and threads come in bursts, series follow pods, and what is mapped
 * comes and goes: those are worth watching at most, and the slow scale decides.
 */
export function isProvedFast(resource: Resource): boolean {
  return resource === 'goroutines' || resource === 'live heap';
}

/** Levels at both ends are medians of this share of the time. */
const END_SHARE = 1 / 6;

export function otherRisesSince(
  target: TargetState,
  resource: ResourceState,
  endBin: number,
  minutes: number,
): OtherRises {
  const other = target.resources.find(one => one !== resource && isProvedFast(one.rule.resource))?.fine;
  return {
    descriptors: target.descriptors?.gainSince(endBin - minutes) ?? NaN,
    otherTimes: other === undefined ? NaN : timesSince(other, endBin, minutes),
  };
}

function timesSince(column: FineColumn, endBin: number, minutes: number): number {
  column.advance(endBin);
  const median =
    minutes <= FINE_BINS
      ? (first: number, last: number): number => column.medianBetween(first, last, endBin)
      : (first: number, last: number): number =>
          column.medianOfMiddle(Math.floor(first / MIDDLE_EVERY), Math.floor(last / MIDDLE_EVERY));
  const part = Math.max(1, Math.floor(minutes * END_SHARE));
  return median(endBin - part, endBin - 1) / median(endBin - minutes, endBin - minutes + part - 1);
}
