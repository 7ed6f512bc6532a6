/** What replicas in one process tell each other. */
import { memoryStore, StoreMemory } from '../../src/watch/io/memory-store.ts';
import type { ReplicaUpdate, SentVerdict, Exchange } from '../../src/watch/replicas/ports.ts';

const RECENT_SECONDS = 120;

export class MemoryBoard {
  readonly #updates: { readonly from: string; readonly at: number; readonly update: ReplicaUpdate }[] = [];
  readonly #verdicts = new Map<string, SentVerdict>();
  readonly #claims = new Map<string, { readonly by: string; readonly until: number }>();
  readonly #now: () => number;
  readonly #memory: StoreMemory;
  #fence = 0;
  /** How many of the oldest updates are gone. */
  lost = 0;
  /** How many verdicts were put. */
  verdictCount = 0;

  constructor(now: () => number, memory: StoreMemory = new StoreMemory()) {
    this.#now = now;
    this.#memory = memory;
  }

  /** As a crash of a database does. */
  loseAll(): void {
    this.lost = this.#updates.length;
  }

  exchange(id: string): Exchange {
    /** Its own, apart from those of an earlier process. */
    const own = new Set<ReplicaUpdate>();
    let next: number | undefined;
    const verdicts = this.#verdicts;
    return {
      publish: async update => {
        const copy = structuredClone(update);
        own.add(copy);
        this.#updates.push({ from: id, at: this.#now(), update: copy });
      },
      read: async () => {
        const old = this.#updates.findLastIndex(({ at }) => at < this.#now() - RECENT_SECONDS) + 1;
        const from = next ?? Math.max(old, this.lost);
        next = this.#updates.length;
        return {
          updates: this.#updates
            .slice(Math.max(from, this.lost))
            .filter(({ update }) => !own.has(update))
            .map(one => ({ from: one.from, update: one.update })),
          isComplete: from >= this.lost,
        };
      },
      putVerdicts: async verdicts => {
        this.verdictCount += verdicts.length;
        for (const one of verdicts) this.#verdicts.set(one.target, structuredClone(one));
      },
      verdicts: async function* (this: void, since: number) {
        yield [...verdicts.values()].filter(({ at }) => at > since);
      },
      lead: term => {
        const store = memoryStore(this.#memory);
        return {
          put: record => store.put(record),
          commit: async () => {
            if (term < this.#fence) return 'stale';
            this.#fence = term;
            await store.commit();
            return 'committed';
          },
        };
      },
      claimCapture: async (target, seconds) => {
        const claim = this.#claims.get(target);
        if (claim !== undefined && claim.by !== id && claim.until > this.#now()) return false;
        this.#claims.set(target, { by: id, until: this.#now() + seconds });
        return true;
      },
      releaseCapture: async target => {
        if (this.#claims.get(target)?.by === id) this.#claims.delete(target);
      },
    };
  }
}
