/** An authority in memory with its own clock, for replicas in one process. */
import type { Membership, Roster } from '../../src/watch/replicas/ports.ts';
import { Failure } from '../../src/base/errors.ts';

interface Place {
  readonly session: number;
  readonly address: string | null;
  beatAt: number;
}

export class MemoryAuthority {
  readonly #now: () => number;
  readonly #leaseSeconds: number;
  readonly #places = new Map<string, Place>();
  /** Replicas that cannot reach it. */
  readonly unreachable: Set<string> = new Set();
  #leader = { id: '', session: -1, term: 0, beatAt: -Infinity };
  #sessions = 0;

  constructor(now: () => number, leaseSeconds: number) {
    this.#now = now;
    this.#leaseSeconds = leaseSeconds;
  }

  membership(id: string, address: string | null = null): Membership {
    const session = this.#sessions++;
    const reach = (): void => {
      if (this.unreachable.has(id)) throw new Error('connection refused');
    };
    const isFresh = (beatAt: number): boolean => beatAt > this.#now() - this.#leaseSeconds;
    return {
      authority: 'memory',
      beat: async () => {
        reach();
        const place = this.#places.get(id);
        if (place !== undefined && place.session !== session && isFresh(place.beatAt))
          throw new Failure('usage', `another replica has the id ${id}`);
        this.#places.set(id, { session, address, beatAt: this.#now() });
        const isMine = this.#leader.session === session;
        if (isMine || !isFresh(this.#leader.beatAt))
          this.#leader = { id, session, term: this.#leader.term + (isMine ? 0 : 1), beatAt: this.#now() };
        return this.#roster(session);
      },
      leadsNow: async term => {
        reach();
        return this.#leader.session === session && this.#leader.term === term && isFresh(this.#leader.beatAt);
      },
      leave: async () => {
        reach();
        if (this.#places.get(id)?.session === session) this.#places.delete(id);
        if (this.#leader.session === session) this.#leader = { ...this.#leader, session: -1, beatAt: -Infinity };
      },
    };
  }

  #roster(session: number): Roster {
    const live = [...this.#places].filter(([, { beatAt }]) => beatAt > this.#now() - this.#leaseSeconds);
    const { id, term } = this.#leader;
    const isOther = this.#leader.session === session || id !== this.#idOf(session);
    return {
      members: live.map(([one, { address }]) => ({ id: one, address })).sort((a, b) => (a.id < b.id ? -1 : 1)),
      leader: isOther && this.#leader.beatAt > this.#now() - this.#leaseSeconds ? { id, term } : null,
    };
  }

  #idOf(session: number): string | undefined {
    for (const [id, place] of this.#places) if (place.session === session) return id;
    return undefined;
  }
}
