/** What replicas in one process tell each other. */
import { memoryStore, StoreMemory } from '../../src/watch/io/memory-store.ts';
import type { News, ToldVerdict } from '../../src/watch/replicas/news.ts';
import type { Exchange } from '../../src/watch/replicas/ports.ts';

const RECENT_SECONDS = 120;

export class MemoryBoard {
  readonly #news: { readonly from: string; readonly at: number; readonly news: News }[] = [];
  readonly #verdicts = new Map<string, ToldVerdict>();
  readonly #claims = new Map<string, { readonly by: string; readonly until: number }>();
  readonly #now: () => number;
  readonly #memory: StoreMemory;
  #fence = 0;
  /** How many of the oldest news are gone. */
  lost = 0;
  /** How many verdicts were put. */
  verdictCount = 0;

  constructor(now: () => number, memory: StoreMemory = new StoreMemory()) {
    this.#now = now;
    this.#memory = memory;
  }

  /** As a crash of a database does. */
  loseAll(): void {
    this.lost = this.#news.length;
  }

  exchange(id: string): Exchange {
    /** Its own, apart from those of an earlier process. */
    const own = new Set<News>();
    let next: number | undefined;
    const verdicts = this.#verdicts;
    return {
      publish: async news => {
        const copy = structuredClone(news);
        own.add(copy);
        this.#news.push({ from: id, at: this.#now(), news: copy });
      },
      read: async () => {
        const old = this.#news.findLastIndex(({ at }) => at < this.#now() - RECENT_SECONDS) + 1;
        const from = next ?? Math.max(old, this.lost);
        next = this.#news.length;
        return {
          news: this.#news
            .slice(Math.max(from, this.lost))
            .filter(({ news }) => !own.has(news))
            .map(one => ({ from: one.from, news: one.news })),
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
