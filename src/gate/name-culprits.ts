/**
 * Which families a known leak is in. That something leaks is decided by its total; a family only has to grow clearly
 * more than its samples can err, and to be a good part of the growth. The warm-up counts here: what leaks did so then.
 */
import type { GateInterval } from './gate.ts';
import type { FamilySeries } from './series.ts';

const LEAST_SHARE = 0.1;
/** Where only the number of objects or descriptors is known to grow, not the bytes. */
const LEAST_SHARE_OF_FAMILIES = 0.25;
const SURE_DEVIATIONS = 2.5;
/** Where the runtime and the standard library make something that holds a descriptor. */
const OPENERS = /^(?:os\.(?:newFile|NewFile|newProcess)|net\.newFD|net\.\(\*netFD\)|net\.\(\*sysDialer\))/;

/** What leaks, as far as it concerns the families of one kind. */
export interface KnownLeakage {
  /** The growth of the total, per operation; undefined if it is not known in the unit of the families. */
  readonly perOperation: number | undefined;
  /** A level is not known better than this. */
  readonly levelNoise: number;
}

/** Growth per operation of a family that is part of the leak; undefined if it is not, or not clearly. */
export function culpritGrowth(
  one: FamilySeries,
  all: readonly FamilySeries[],
  operations: readonly number[],
  { perOperation, levelNoise }: KnownLeakage,
): GateInterval | undefined {
  const total = operations.reduce((sum, count) => sum + count, 0);
  const grown = grownBy(one);
  const deviation = Math.hypot(Math.SQRT2 * levelNoise, one.count.bytesError);
  const least =
    perOperation === undefined
      ? LEAST_SHARE_OF_FAMILIES * all.reduce((sum, other) => sum + Math.max(0, grownBy(other)), 0)
      : LEAST_SHARE * perOperation * total;
  if (!(total > 0) || grown <= 0 || grown < SURE_DEVIATIONS * deviation || grown < least) return undefined;
  const margin = SURE_DEVIATIONS * deviation;
  return [(grown - margin) / total, grown / total, (grown + margin) / total];
}

function grownBy({ levels }: FamilySeries): number {
  return (levels.at(-1) ?? NaN) - (levels[0] ?? NaN);
}

/** Whether what a heap family keeps holds file descriptors. */
export function holdsDescriptors({ count }: FamilySeries): boolean {
  return count.family.frames.some(frame => OPENERS.test(frame));
}
