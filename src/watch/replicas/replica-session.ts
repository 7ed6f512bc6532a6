/**
 * One replica among others: beats, knows its share and whether it leads.
 *
 *     beats        x   x   x   (no answer) ............ x
 *     the lease    |-------------------------|              others take over here, by the authority's clock
 *     gives up     |-----------------|                      before that, by its own clock that only grows
 *     leads        yes yes yes yes yes no                   until the authority answers again
 *     samples      yes yes yes yes yes yes                  since it knows that the beats had no answer; if it slept: no
 *
 * If the authority does not answer at all, it may be gone for everyone. Reading metrics twice does no harm, not reading
 * them does: a replica that is cut off samples on what was its share, but does not lead, act or take over anything.
 */
import { oneLine } from '../../base/text-layout.ts';
import type { WatchClock } from '../../base/clock.ts';
import { replicaOf } from '../state/watched-target.ts';
import { mixedHash } from '../../base/text.ts';
import type { Membership, MembershipTimes, ReplicaMember, Roster } from './ports.ts';
import { Failure } from '../../base/errors.ts';

export interface SessionParts {
  readonly membership: Membership;
  readonly id: string;
  readonly times: MembershipTimes;
  /** Seconds that only grow, also while the process is stopped. */
  readonly monotonic: () => number;
  readonly clock: WatchClock;
  readonly random: () => number;
  readonly log: (line: string) => void;
}

const NOBODY: Roster = { members: [], leader: null };
const JITTER = 0.2;

export class ReplicaSession {
  readonly id: string;
  readonly #parts: SessionParts;
  readonly #listeners = new Set<() => void>();
  #roster: Roster = NOBODY;
  #ids: readonly string[] = [];
  #owners = new Map<string, string | undefined>();
  #validUntil = -Infinity;
  #isCutOff = false;
  #trouble: string | null = null;
  #announced = '';

  constructor(parts: SessionParts) {
    this.#parts = parts;
    this.id = parts.id;
  }

  get members(): readonly ReplicaMember[] {
    return this.#roster.members;
  }

  get leader(): Roster['leader'] {
    return this.#roster.leader;
  }

  /** Why it is on its own; null if all is well. */
  get trouble(): string | null {
    return this.#trouble;
  }

  /** Undefined while it does not lead. */
  get term(): number | undefined {
    const { leader } = this.#roster;
    return this.#isValid && leader?.id === this.id ? leader.term : undefined;
  }

  get isLeader(): boolean {
    return this.term !== undefined;
  }

  owns(target: string): boolean {
    return (this.#isValid || this.#isCutOff) && this.ownerOf(target) === this.id;
  }

  /** By the last roster; each replica watches itself. */
  ownerOf(target: string): string | undefined {
    let owner = this.#owners.get(target);
    if (owner === undefined) this.#owners.set(target, (owner = replicaOf(target) ?? ownerOf(target, this.#ids)));
    return owner;
  }

  /** Right before an action: whether this term still leads, by its own clock and by the authority. */
  async mayAct(term: number | undefined): Promise<boolean> {
    if (term === undefined || this.term !== term) return false;
    const isCurrent = await this.#parts.membership.leadsNow(term).catch(() => false);
    return isCurrent && this.term === term;
  }

  /** Calls back when shares or the leadership change, or the authority is lost or found. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /**
   * The first beat. While an earlier process with this id counts as alive, or the authority does not answer, tries again
   * for a while; then throws a Failure. One for any other reason is thrown at once.
   */
  async join(signal: AbortSignal): Promise<void> {
    const { clock, times, monotonic } = this.#parts;
    const until = monotonic() + 2 * times.leaseSeconds;
    for (;;) {
      try {
        return await this.#beat();
      } catch (error) {
        const failure = this.#failureOf(error as Error);
        const mayPass = failure.code === 'usage' || failure.code === 'no-answer';
        if (!mayPass || monotonic() > until || signal.aborted) throw failure;
        await clock.sleep(times.beatSeconds, signal);
      }
    }
  }

  #failureOf(error: Error): Failure {
    if (error instanceof Failure && error.code !== 'no-answer') return error;
    return new Failure('no-answer', `${this.#parts.membership.authority} does not answer: ${oneLine(error.message)}`);
  }

  /** Beats until the signal aborts, then leaves. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, times, random, membership } = this.#parts;
    while (!signal.aborted) {
      await clock.sleep(times.beatSeconds * (1 + JITTER * (2 * random() - 1)), signal);
      if (signal.aborted) break;
      await this.#beat().catch((error: Error) => this.#lose(error));
    }
    this.#validUntil = -Infinity;
    this.#isCutOff = false;
    this.#announce();
    await membership.leave().catch(() => {});
  }

  get #isValid(): boolean {
    return this.#parts.monotonic() < this.#validUntil;
  }

  async #beat(): Promise<void> {
    const { membership, times, monotonic } = this.#parts;
    const beganAt = monotonic();
    const roster = await this.#inTime(membership.beat());
    if (!roster.members.some(({ id }) => id === this.id))
      throw new Error(`${membership.authority} forgot this replica`);
    this.#validUntil = beganAt + times.giveUpSeconds;
    this.#isCutOff = false;
    if (this.#trouble !== null) this.#parts.log(`${membership.authority} answers again`);
    this.#trouble = null;
    const ids = roster.members.map(({ id }) => id);
    if (ids.join('\n') !== this.#ids.join('\n')) this.#owners = new Map();
    this.#ids = ids;
    this.#roster = roster;
    this.#announce();
  }

  async #inTime<T>(work: Promise<T>): Promise<T> {
    const { clock, times } = this.#parts;
    const over = new AbortController();
    const late = clock.sleep(times.giveUpSeconds / 2, over.signal).then((): never => {
      throw new Error('it did not answer in time');
    });
    late.catch(() => {});
    try {
      return await Promise.race([work, late]);
    } finally {
      over.abort();
    }
  }

  #lose(error: Error): void {
    const { membership, log } = this.#parts;
    // Known before the lease ends, so that there is no moment in which nobody samples its share.
    this.#isCutOff = true;
    if (this.#isValid) return;
    const verb = error instanceof Failure && error.code === 'not-permitted' ? 'refuses' : 'does not answer';
    const what = `${membership.authority} ${verb} (${oneLine(error.message)})`;
    if (this.#trouble === null) log(`${what}: samples its own share only`);
    this.#trouble = `${what}: this replica samples on what was its share, and does not lead.`;
    this.#announce();
  }

  #announce(): void {
    const { leader } = this.#roster;
    const now = JSON.stringify([this.#ids, leader, this.#isValid, this.#isCutOff]);
    if (now === this.#announced) return;
    this.#announced = now;
    for (const listener of this.#listeners) listener();
  }
}

/**
 * Which replica samples which target: rendezvous hashing.
 *
 *     target a   oakum-0: 0.31   oakum-1: 0.87   oakum-2: 0.12   ->  oakum-1
 *     target b   oakum-0: 0.55   oakum-1: 0.02   oakum-2: 0.91   ->  oakum-2; without it, oakum-0
 *
 * The shares follow from who lives. If a replica dies, only its targets move, and they spread over all others;
 * a new one takes an equal part from each.
 *
 * Undefined if nobody lives.
 */
export function ownerOf(target: string, members: readonly string[]): string | undefined {
  let owner: string | undefined;
  let best = -1;
  for (const member of members) {
    const weight = mixedHash(`${member}\n${target}`);
    if (weight < best || (weight === best && owner !== undefined && owner < member)) continue;
    best = weight;
    owner = member;
  }
  return owner;
}
