/** What a target had and did before a rise began. */
import { RING_BINS } from '../state/bin-column.ts';
import type { RateColumn } from '../state/rate-column.ts';
import type { ResourceState, TargetState } from '../state/target-state.ts';
import { FINE_MINUTES, MIDDLE_BINS, MIDDLE_EVERY } from '../state/fine-column.ts';

export interface Before {
  /** NaN when nothing was seen. */
  readonly highest: number;
  /** Hours with a value. */
  readonly hours: number;
  readonly peerHangs: boolean;
  /** It reports pods, so it is a kubelet. */
  readonly hasPods: boolean;
  /** Pods start far more often during the rise than before it. */
  readonly isBusy: boolean;
}

/** What this target had before a rise: its hours of two weeks, lives that leaked left out, and the bursts of this life. */
export class Past {
  readonly #target: TargetState;
  readonly #resource: ResourceState;
  readonly #endMinutes: number;
  readonly #middle: Float64Array;

  constructor(target: TargetState, resource: ResourceState, endMinutes: number, middleBins: Float64Array) {
    this.#target = target;
    this.#resource = resource;
    this.#endMinutes = endMinutes;
    this.#middle = middleBins;
  }

  get unit(): 'bytes' | 'count' {
    return this.#resource.rule.unit;
  }

  before(minutes: number): Before {
    const { firstBin } = this.#target;
    const end = Math.floor((this.#endMinutes - minutes) / 60);
    let highest = NaN;
    let hours = 0;
    for (let bin = Math.max(firstBin, end - RING_BINS + 8); bin < end; bin++) {
      const value = this.#resource.column.at(bin);
      if (Number.isNaN(value) || this.#resource.leakyEpochs.has(this.#target.epochAt(bin))) continue;
      hours++;
      if (!(value <= highest)) highest = value;
    }
    const bursts = this.#middle.length - Math.ceil(minutes / (FINE_MINUTES * MIDDLE_EVERY)) - 1;
    for (let i = 0; i < bursts; i++)
      if (!(this.#middle[i] <= highest) && !Number.isNaN(this.#middle[i])) highest = this.#middle[i];
    return {
      highest,
      hours,
      peerHangs: this.#peerHangs(minutes),
      hasPods: this.#target.pods !== undefined,
      isBusy: this.#isBusy(minutes),
    };
  }

  /** As the slow scale has it: a share of calls fails during the rise, and did not before. */
  #peerHangs(minutes: number): boolean {
    const [before, since] = this.#meansOf(this.#target.runtimeErrors, minutes);
    return since > HUNG_SHARE && !(before > since / 3);
  }

  #isBusy(minutes: number): boolean {
    const [before, since] = this.#meansOf(this.#target.podStarts, minutes);
    return since > BUSY_FACTOR * before + BUSY_STARTS;
  }

  /** The means of a rate before and since a rise began. */
  #meansOf(column: RateColumn | undefined, minutes: number): [before: number, since: number] {
    if (column === undefined) return [NaN, NaN];
    const endBin = this.#endMinutes / FINE_MINUTES;
    column.advance(endBin);
    const end = Math.floor(endBin / MIDDLE_EVERY);
    const during = Math.ceil(minutes / (FINE_MINUTES * MIDDLE_EVERY));
    return [column.meanOf(end - MIDDLE_BINS, end - during - 1), column.meanOf(end - during, end)];
  }
}

/** Share of calls to the container runtime that fail before it counts as hung. */
const HUNG_SHARE = 0.02;
/** Pod starts beyond this many times as many as before may explain a rise, from this many a minute on. */
const BUSY_FACTOR = 2;
const BUSY_STARTS = 0.02;
