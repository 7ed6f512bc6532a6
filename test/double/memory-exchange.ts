/** What replicas in one process tell each other. */
import type { News, ToldVerdict } from '../../src/model/news.ts';
import type { Exchange } from '../../src/ports/exchange.ts';

export class MemoryBoard {
  readonly #news: { readonly from: string; readonly news: News }[] = [];
  readonly #verdicts = new Map<string, ToldVerdict>();
  readonly #claims = new Map<string, { readonly by: string; readonly until: number }>();
  readonly #now: () => number;
  /** How many of the oldest news are gone. */
  lost = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  exchange(id: string): Exchange {
    let next: number | undefined;
    return {
      publish: async news => void this.#news.push({ from: id, news: structuredClone(news) }),
      read: async () => {
        const from = next ?? this.#news.length;
        next = this.#news.length;
        return {
          news: this.#news.slice(Math.max(from, this.lost)).filter(one => one.from !== id),
          isComplete: from >= this.lost,
        };
      },
      putVerdicts: async verdicts => {
        for (const one of verdicts) this.#verdicts.set(one.target, structuredClone(one));
      },
      verdicts: async () => [...this.#verdicts.values()],
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
