/** What a target had and did before a rise began. */
import { RING_BINS } from '../bin-column.ts';
import type { RateColumn } from '../rate-column.ts';
import type { ResourceState, TargetState } from '../target-state.ts';
import { FAST } from './fast-tuning.ts';
import { FINE_BINS, FINE_MINUTES, MIDDLE_BINS, MIDDLE_EVERY } from '../fine-column.ts';

export interface Before {
  /** NaN when nothing was seen. */
  readonly highest: number;
  readonly knows: Knowledge;
  readonly peerHangs: boolean;
  /** Pods start far more often during the rise than before it. */
  readonly isBusy: boolean;
  /** The most that those additional starts may hold. */
  readonly heldByStarts: number;
  /** What other processes of the same program usually have; NaN if unknown. */
  readonly peers: number;
  /** What the lives before this one had. */
  readonly own: OwnLives;
}

/** What tells the level that a process should have. */
export type Knowledge =
  | 'its level' // what it had before the rise
  | 'lives before' // it was restarted
  | 'nothing'; // it may warm up

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
  readonly #peers: number;
  #own: OwnLives | undefined;

  constructor(
    target: TargetState,
    resource: ResourceState,
    endMinutes: number,
    middleBins: Float64Array,
    peers: number,
  ) {
    this.#target = target;
    this.#resource = resource;
    this.#endMinutes = endMinutes;
    this.#middle = middleBins;
    this.#peers = peers;
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
    const end = Math.floor((this.#endMinutes - minutes) / 60);
    let highest = NaN;
    let hours = 0;
    for (let bin = this.#firstBin; bin < end; bin++) {
      const value = this.#levelAt(bin);
      if (Number.isNaN(value)) continue;
      hours++;
      if (!(value <= highest)) highest = value;
    }
    const bursts = this.#middle.length - Math.ceil(minutes / (FINE_MINUTES * MIDDLE_EVERY)) - 1;
    for (let i = 0; i < bursts; i++)
      if (!(this.#middle[i] <= highest) && !Number.isNaN(this.#middle[i])) highest = this.#middle[i];
    return {
      highest,
      knows: this.#knows(minutes, hours),
      peerHangs: this.#peerHangs(minutes),
      ...this.#startsSince(minutes),
      peers: this.#peers,
      own: this.own,
    };
  }

  #knows(minutes: number, seenHours: number): Knowledge {
    const { lifeBeganHours } = this.#target;
    const ageMinutes = this.#endMinutes - minutes - lifeBeganHours * 60;
    // If its start is unknown: for how long it had been seen.
    if ((Number.isFinite(lifeBeganHours) ? ageMinutes / 60 : seenHours) >= FAST.settledHours) return 'its level';
    if (this.own.hours >= FAST.ownHours) return 'lives before';
    return this.#wasFlat(this.#endMinutes - minutes, ageMinutes) ? 'its level' : 'nothing';
  }

  /** Whether it had settled by then: in the last quarter of its age it was hardly above what it was after the first. */
  #wasFlat(begin: number, ageMinutes: number): boolean {
    if (!(ageMinutes >= FAST.flat.leastMinutes && Number.isFinite(ageMinutes))) return false;
    const early = this.#medianBetween(begin - (ageMinutes * 7) / 8, begin - (ageMinutes * 5) / 8);
    return this.#medianBetween(begin - ageMinutes / 4, begin - 1) <= FAST.flat.times * early;
  }

  /** Of the level of this life; NaN if nothing is kept of that time. */
  #medianBetween(fromMinutes: number, toMinutes: number): number {
    const [first, last] = [fromMinutes, toMinutes].map(minutes => Math.floor(minutes / FINE_MINUTES));
    const endBin = this.#endMinutes / FINE_MINUTES;
    const { fine } = this.#resource;
    if (fine === undefined || endBin - first >= MIDDLE_BINS * MIDDLE_EVERY) return NaN;
    if (endBin - first <= FINE_BINS) return fine.medianBetween(first, last, endBin);
    return fine.medianOfMiddle(Math.floor(first / MIDDLE_EVERY), Math.floor(last / MIDDLE_EVERY));
  }

  /** The oldest hour that is kept: where older ones were, the ring has the hours of the rise. */
  get #firstBin(): number {
    return Math.max(this.#target.firstBin, Math.floor(this.#endMinutes / 60) - RING_BINS + 1);
  }

  /** NaN if nothing was seen, or that life leaked. */
  #levelAt(bin: number): number {
    return this.#resource.leakyEpochs.has(this.#target.epochAt(bin)) ? NaN : this.#resource.column.at(bin);
  }

  #ownLives(): OwnLives {
    const levels: number[] = [];
    const end = Math.floor(this.#endMinutes / 60);
    for (let bin = this.#firstBin; bin < end; bin++) {
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
