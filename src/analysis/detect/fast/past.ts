/** What a target had and did before a rise began. */
import { RING_BINS } from '../state/bin-column.ts';
import type { Kin } from '../state/fast-proof.ts';
import type { RateColumn } from '../state/rate-column.ts';
import type { ResourceState, TargetState } from '../state/target-state.ts';
import { FAST } from './fast-tuning.ts';
import { FINE_MINUTES, MIDDLE_BINS, MIDDLE_EVERY } from '../state/fine-column.ts';

export interface Before {
  /** NaN when nothing was seen. */
  readonly highest: number;
  /** How old the process was when the rise began, in hours; if its start is unknown, for how long it had been seen. */
  readonly ageHours: number;
  /** How old it is now; infinite if its start is unknown. */
  readonly lifeHours: number;
  /** The level soon after its start; NaN if unknown. */
  readonly start: number;
  readonly peerHangs: boolean;
  /** It reports pods, so it is a kubelet. */
  readonly hasPods: boolean;
  /** Lives that began like this one and settled. */
  readonly kin: Kin;
  /** Pods start far more often during the rise than before it. */
  readonly isBusy: boolean;
  /** The most that those additional starts may hold. */
  readonly heldByStarts: number;
  /** Hours seen before the rise, in all lives. */
  readonly seenHours: number;
  /** What the lives before this one had. */
  readonly own: OwnLives;
}

interface OwnLives {
  readonly hours: number;
  /** The median of those hours; NaN if there are none. */
  readonly usual: number;
}

/** What this target had before a rise: its hours of two weeks, lives that leaked left out, and the bursts of this life. */
export class Past {
  readonly #target: TargetState;
  readonly #resource: ResourceState;
  readonly #endMinutes: number;
  readonly #middle: Float64Array;
  readonly #kin: Kin;
  #own: OwnLives | undefined;

  constructor(target: TargetState, resource: ResourceState, endMinutes: number, middleBins: Float64Array, kin: Kin) {
    this.#target = target;
    this.#resource = resource;
    this.#endMinutes = endMinutes;
    this.#middle = middleBins;
    this.#kin = kin;
  }

  get unit(): 'bytes' | 'count' {
    return this.#resource.rule.unit;
  }

  /** Whether it had just been restarted when a rise began; NaN is no age. */
  isYoungBefore(minutes: number): boolean {
    return (this.#endMinutes - minutes) / 60 - this.#target.lifeBeganHours < FAST.settledHours;
  }

  get own(): OwnLives {
    return (this.#own ??= this.#ownLives());
  }

  before(minutes: number): Before {
    const { lifeBeganHours: began } = this.#target;
    const end = Math.floor((this.#endMinutes - minutes) / 60);
    let highest = NaN;
    let hours = 0;
    for (let bin = this.#firstBin(end); bin < end; bin++) {
      const value = this.#levelAt(bin);
      if (Number.isNaN(value)) continue;
      hours++;
      if (!(value <= highest)) highest = value;
    }
    const bursts = this.#middle.length - Math.ceil(minutes / (FINE_MINUTES * MIDDLE_EVERY)) - 1;
    for (let i = 0; i < bursts; i++)
      if (!(this.#middle[i] <= highest) && !Number.isNaN(this.#middle[i])) highest = this.#middle[i];
    const { youth } = this.#resource;
    return {
      highest,
      ageHours: Number.isFinite(began) ? (this.#endMinutes - minutes) / 60 - began : hours,
      lifeHours: this.#endMinutes / 60 - began,
      start: youth?.epoch === this.#target.epoch ? youth.start : NaN,
      peerHangs: this.#peerHangs(minutes),
      hasPods: this.#target.pods !== undefined,
      kin: this.#kin,
      ...this.#startsSince(minutes),
      seenHours: hours,
      own: this.own,
    };
  }

  #firstBin(end: number): number {
    return Math.max(this.#target.firstBin, end - RING_BINS + 8);
  }

  /** NaN if nothing was seen, or that life leaked. */
  #levelAt(bin: number): number {
    return this.#resource.leakyEpochs.has(this.#target.epochAt(bin)) ? NaN : this.#resource.column.at(bin);
  }

  #ownLives(): OwnLives {
    const levels: number[] = [];
    const end = Math.floor(this.#endMinutes / 60);
    for (let bin = this.#firstBin(end); bin < end; bin++) {
      const level = this.#target.epochAt(bin) === this.#target.epoch ? NaN : this.#levelAt(bin);
      if (!Number.isNaN(level)) levels.push(level);
    }
    levels.sort((a, b) => a - b);
    return { hours: levels.length, usual: levels.length === 0 ? NaN : levels[levels.length >> 1] };
  }

  /** A share of calls fails during the rise that usually does not: neither before it nor most of the time. */
  #peerHangs(minutes: number): boolean {
    const column = this.#target.runtimeErrors;
    if (column === undefined) return false;
    const { end, during } = this.#spanOf(column, minutes);
    const since = column.meanOf(end - during, end);
    if (!(since > HUNG_SHARE)) return false;
    const before = column.quantileOf(1 / 2, end - MIDDLE_BINS, end - during - 1);
    return !(before > since / 3 && column.quantileOf(1 / 4, end - MIDDLE_BINS, end) > since / 3);
  }

  #startsSince(minutes: number): Pick<Before, 'isBusy' | 'heldByStarts'> {
    const [before, since] = this.#meansOf(this.#target.podStarts, minutes);
    const { perPod, perPodSpread } = this.#resource.rule;
    return {
      isBusy: since > BUSY_FACTOR * before + BUSY_STARTS,
      heldByStarts: (since - before) * minutes * HELD_BY_START * (perPod + perPodSpread),
    };
  }

  /** The means of a rate before and since a rise began. */
  #meansOf(column: RateColumn | undefined, minutes: number): [before: number, since: number] {
    if (column === undefined) return [NaN, NaN];
    const { end, during } = this.#spanOf(column, minutes);
    return [column.meanOf(end - MIDDLE_BINS, end - during - 1), column.meanOf(end - during, end)];
  }

  /** In middle bins. */
  #spanOf(column: RateColumn, minutes: number): { readonly end: number; readonly during: number } {
    const endBin = this.#endMinutes / FINE_MINUTES;
    column.advance(endBin);
    return { end: Math.floor(endBin / MIDDLE_EVERY), during: Math.ceil(minutes / (FINE_MINUTES * MIDDLE_EVERY)) };
  }
}

/** Share of calls to the container runtime that fail before it counts as hung. */
const HUNG_SHARE = 0.02;
/** Pod starts beyond this many times as many as before may explain a rise, from this many a minute on. */
const BUSY_FACTOR = 2;
const BUSY_STARTS = 0.02;
/** A pod that starts may hold so many times as much as one that runs. */
const HELD_BY_START = 3;
