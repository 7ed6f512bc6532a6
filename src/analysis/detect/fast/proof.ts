/** Whether a rise on the fast scale proves a leak. */
import type { ResourceUnit } from '../../../model/resource.ts';
import { FAST } from './fast-tuning.ts';
import type { Before } from './past.ts';
import type { StraightRise } from './straight-rise.ts';

type Ends = Pick<StraightRise, 'from' | 'to'>;

export function isProved(rise: StraightRise, minutes: number, unit: ResourceUnit, before: Before): boolean {
  // Something else explains it, or it was there before.
  if (before.peerHangs || before.isBusy || rise.to < FAST.aboveRecord * before.highest) return false;
  if (unit === 'count' && rise.to - rise.from < burstOf(rise, minutes, before.hasPods)) return false;
  const isYoung = before.hours < FAST.knownHours;
  if (!hasShape(rise, isHuge(rise, unit), isYoung)) return false;
  return minutes >= minutesToProof(rise, minutes, isYoung);
}

/** How long a rise of this speed must last to be proved; `minutes` is how long it has lasted. */
export function minutesToProof({ from, to }: Ends, minutes: number, isYoung = false): number {
  const { doublings } =
    FAST.proofDoublings.find(({ belowMinutes }) => minutes < belowMinutes) ?? FAST.proofDoublings[2];
  const factor = isYoung && minutes > FAST.youngMinutes ? FAST.youngFactor : 1;
  return FAST.proofMinutes + (doublings * factor * Math.max(from, 0) * minutes) / (to - from);
}

/** What a burst may add without a leak: sessions of a kubelet are few, clients of another daemon follow its size. */
function burstOf({ from }: Ends, minutes: number, hasPods: boolean): number {
  if (hasPods) return minutes < FAST.burstMinutes ? FAST.burstCount : FAST.leastCount;
  return minutes < FAST.clientMinutes ? Math.max(FAST.clientCount, FAST.clientTimes * from) : FAST.leastCount;
}

function isHuge({ from, to }: Ends, unit: ResourceUnit): boolean {
  return to - from >= FAST.hugeTimes * from && (unit === 'bytes' || to - from >= FAST.hugeCount);
}

function hasShape(rise: StraightRise, huge: boolean, isYoung: boolean): boolean {
  const shape = huge ? FAST.huge : FAST.straight;
  const steadiness = !huge && isYoung ? FAST.youngSteadiness : shape.steadiness;
  return (
    rise.steadiness >= steadiness &&
    rise.steadiness <= shape.mostSteadiness &&
    rise.straightness >= shape.straightness &&
    rise.leastStep >= shape.leastStep &&
    rise.lastStep >= shape.lastStep &&
    rise.mostStep <= shape.mostStep &&
    rise.largestJump <= shape.largestJump
  );
}
