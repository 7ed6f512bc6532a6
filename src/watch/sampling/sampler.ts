/**
 * Scrapes every target once per interval, spread evenly over it, with a limit on concurrent requests.
 *
 *     interval   |----------------|----------------|
 *     target a     x                x                 each at its own offset in the interval, from its name,
 *     target b            x               x           with a little jitter
 *     target c          x               (silent: every interval, then every second, then every fourth)
 *     target d            .   x           x           taken over from a replica that died: what it missed is made up for
 *     target e           o              x             taken over from one that lives, and samples on until it knows
 */
import { mixedHash } from '../../base/text.ts';
import type { WatchClock } from '../../base/clock.ts';
import { FairQueue } from './fair-queue.ts';

export interface SamplerOptions {
  readonly intervalSeconds: number;
  /** Concurrent requests. */
  readonly concurrency: number;
  /** Targets of which a group that is slow must not delay the others, such as those of a cluster; one by default. */
  readonly groupOf?: (name: string) => string;
}

export interface SamplerPorts {
  readonly clock: WatchClock;
  readonly random: () => number;
  /** Whether it answered; never rejects. */
  readonly ask: (target: string) => Promise<boolean>;
  /** The last sample that anybody took, as far as is known; given if others sample, too. */
  readonly lastSampleAt?: (target: string) => number | undefined;
}

interface Turn {
  readonly name: string;
  readonly group: string;
  failures: number;
  isGone: boolean;
  askedAt: number | undefined;
  /** When its turn is, without jitter, so that jitter does not add up. */
  placeAt: number;
  /** The place at which nobody seems to have sampled it, until that is sure. */
  missedAt?: number | undefined;
}

const JITTER = 0.05;
/** Failures in a row before a target is scraped less often. */
const PATIENCE = 3;
const MAX_INTERVALS = 4;
const LATE_INTERVALS = 1.5;
/** What others did not sample is made up for at this pace, so that a whole fleet does not come at once. */
const MISSED_PER_SECOND = 400;
/** The replica that sampled a target before may do so until its next beat shows that the target is not its own. */
const HANDOVER_SECONDS = 3;
/** What another replica samples is known here some seconds later; until then, nothing is sure to be missing. */
const UPDATE_SECONDS = 5;
/** In intervals: closer to each other, two samples are of one interval. */
const MIN_GAP = 0.4;
const NAPS_PER_INTERVAL = 20;

export class Sampler {
  /** How often a target that answers was scraped so late that an interval has no sample of it. */
  lateCount = 0;
  readonly #ports: SamplerPorts;
  readonly #options: SamplerOptions;
  readonly #queue: FairQueue<Turn>;
  readonly #turns = new Map<string, Turn>();
  readonly #inFlight = new Set<Promise<void>>();
  #nextMissedAt = -Infinity;
  /** Called when a request ends, while the next one waits for its place. */
  #freed: (() => void) | undefined;

  constructor(ports: SamplerPorts, options: SamplerOptions) {
    this.#ports = ports;
    this.#options = options;
    this.#queue = new FairQueue(options.concurrency);
  }

  /** Those first that have been without a sample for longest. */
  addAll(names: readonly string[]): void {
    const since = new Map(names.map(name => [name, this.#ports.lastSampleAt?.(name) ?? Infinity]));
    for (const [name] of [...since].sort(([, a], [, b]) => (a === b ? 0 : a - b))) this.add(name);
  }

  add(name: string): void {
    if (this.#turns.has(name)) return;
    const { intervalSeconds } = this.#options;
    const now = this.#ports.clock.now();
    // The next time of its offset in the interval.
    const wait = (offsetOf(name) * intervalSeconds - (now % intervalSeconds) + intervalSeconds) % intervalSeconds;
    const group = this.#options.groupOf?.(name) ?? '';
    const turn: Turn = { name, group, failures: 0, isGone: false, askedAt: undefined, placeAt: now + wait };
    this.#turns.set(name, turn);
    this.#queue.push(group, { at: this.#firstAt(turn, now), item: turn });
  }

  /** At its next place, or soon if nobody has sampled it at the last one, which is `missedAt` until that is sure. */
  #firstAt(turn: Turn, now: number): number {
    const { intervalSeconds } = this.#options;
    const { placeAt } = turn;
    if (this.#ports.lastSampleAt?.(turn.name) === undefined) return placeAt;
    turn.missedAt = placeAt - intervalSeconds;
    if (this.#isMissing(turn)) {
      const knownAt = turn.missedAt + UPDATE_SECONDS;
      const soonAt = Math.max(now + HANDOVER_SECONDS, knownAt, this.#nextMissedAt);
      if (soonAt < placeAt) {
        this.#nextMissedAt = soonAt + 1 / MISSED_PER_SECOND;
        return soonAt;
      }
      // The replica that sampled it before does not sample it any more.
      if (knownAt <= now) turn.missedAt = undefined;
    }
    if (turn.missedAt === undefined || placeAt >= now + HANDOVER_SECONDS || UPDATE_SECONDS >= intervalSeconds) {
      turn.missedAt = undefined;
      return placeAt;
    }
    turn.missedAt = placeAt;
    turn.placeAt += intervalSeconds;
    return placeAt + UPDATE_SECONDS;
  }

  /** Whether nobody has sampled it at that place, as far as is known. */
  #isMissing({ name, missedAt }: Turn): boolean {
    const lastAt = this.#ports.lastSampleAt?.(name);
    if (lastAt === undefined || missedAt === undefined) return false;
    return missedAt - lastAt > 2 * JITTER * this.#options.intervalSeconds;
  }

  remove(name: string): void {
    const turn = this.#turns.get(name);
    if (turn === undefined) return;
    turn.isGone = true;
    this.#turns.delete(name);
  }

  /** Runs until the signal aborts, then waits for the requests in flight. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#ports;
    const napSeconds = this.#options.intervalSeconds / NAPS_PER_INTERVAL;
    while (!signal.aborted) {
      const turn = this.#queue.take(clock.now());
      if (turn !== undefined) {
        this.#launch(turn);
        continue;
      }
      const now = clock.now();
      // Only briefly: a new target may be due before all others.
      const seconds = Math.min(this.#queue.nextAt() - now, napSeconds);
      if (this.#queue.hasWaiting(now)) await this.#napUntilPlace(seconds, signal);
      else await clock.sleep(seconds, signal);
    }
    await Promise.all(this.#inFlight);
  }

  /** Until a request ends and gives its place to one that is due, or one of another group is due. */
  async #napUntilPlace(seconds: number, signal: AbortSignal): Promise<void> {
    const nap = new AbortController();
    const wake = (): void => nap.abort('awake');
    signal.addEventListener('abort', wake);
    this.#freed = wake;
    await this.#ports.clock.sleep(seconds, nap.signal);
    this.#freed = undefined;
    signal.removeEventListener('abort', wake);
  }

  /** The longest time since a target was scraped: about an interval if all goes well. */
  roundSeconds(): number | undefined {
    const now = this.#ports.clock.now();
    let longest: number | undefined;
    for (const { askedAt, failures } of this.#turns.values()) {
      if (failures > 0) continue;
      if (askedAt === undefined) return undefined;
      longest = Math.max(longest ?? 0, now - askedAt);
    }
    return longest;
  }

  #launch(turn: Turn): void {
    if (turn.isGone) return this.#queue.ended(turn.group, true);
    const now = this.#ports.clock.now();
    const { intervalSeconds } = this.#options;
    if (turn.missedAt !== undefined) {
      const isMissing = this.#isMissing(turn);
      turn.missedAt = undefined;
      // Its place comes next, unless that would be twice in one interval.
      if (!isMissing || turn.placeAt - now >= (MIN_GAP + JITTER) * intervalSeconds) turn.placeAt -= intervalSeconds;
      if (!isMissing) {
        this.#queue.ended(turn.group, true);
        return this.#queue.push(turn.group, { at: this.#nextAt(turn), item: turn });
      }
    }
    if (turn.askedAt !== undefined && turn.failures === 0 && now - turn.askedAt > LATE_INTERVALS * intervalSeconds)
      this.lateCount++;
    turn.askedAt = now;
    const work = this.#ports.ask(turn.name).then(answered => {
      this.#inFlight.delete(work);
      this.#queue.ended(turn.group, answered);
      turn.failures = answered ? 0 : turn.failures + 1;
      if (!turn.isGone) this.#queue.push(turn.group, { at: this.#nextAt(turn), item: turn });
      this.#freed?.();
    });
    this.#inFlight.add(work);
  }

  #nextAt(turn: Turn): number {
    const { clock, random } = this.#ports;
    const { intervalSeconds } = this.#options;
    const now = clock.now();
    const intervals = turn.failures < PATIENCE ? 1 : Math.min(MAX_INTERVALS, 2 ** (turn.failures - PATIENCE + 1));
    turn.placeAt += intervals * intervalSeconds;
    // Scrapes that were missed in a pause or a jump of the clock are not made up for.
    if (turn.placeAt < now || turn.placeAt > now + MAX_INTERVALS * intervalSeconds)
      turn.placeAt = now + intervalSeconds - ((now - turn.placeAt) % intervalSeconds);
    return Math.max(turn.placeAt + (2 * random() - 1) * JITTER * intervalSeconds, now);
  }
}

/** 0 to 1, always the same for a name. */
export function offsetOf(name: string): number {
  return mixedHash(name) / 2 ** 32;
}
