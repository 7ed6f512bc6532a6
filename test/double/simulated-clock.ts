/** Time that passes only when there is nothing else to do: hours of watching in seconds, for tests. */
import type { WatchClock } from '../../src/base/clock.ts';
import { yieldToEventLoop } from '../../src/base/bounded-work.ts';

export class SimulatedClock implements WatchClock {
  #now: number;
  readonly #sleepers: { readonly at: number; readonly wake: () => void }[] = [];

  constructor(fromSeconds: number) {
    this.#now = fromSeconds;
  }

  now(): number {
    return this.#now;
  }

  sleep(seconds: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.resolve();
    return new Promise(resolve => {
      const wake = (): void => {
        signal.removeEventListener('abort', wake);
        resolve();
      };
      this.#sleepers.push({ at: this.#now + seconds, wake });
      signal.addEventListener('abort', wake);
    });
  }

  /** `settle` waits for the work in between. */
  async runUntil(untilSeconds: number, settle: () => Promise<void> = yieldToEventLoop): Promise<void> {
    for (;;) {
      await settle();
      const next = this.#sleepers.reduce((first, { at }) => Math.min(first, at), Infinity);
      if (next > untilSeconds) break;
      this.#now = Math.max(this.#now, next);
      for (let i = this.#sleepers.length - 1; i >= 0; i--) {
        if (this.#sleepers[i].at <= this.#now) this.#sleepers.splice(i, 1)[0].wake();
      }
    }
    this.#now = Math.max(this.#now, untilSeconds);
  }
}
