/** What watch may not do or cannot reach, with the remedy; forgotten when it has not failed for a while. */
import type { WatchStatus } from '../../../model/watch.ts';

export type MissingRight = WatchStatus['missingRights'][number];

/** A failure is tried again at least every fourth interval. */
const INTERVALS = 8;
const LEAST_SECONDS = 600;

export class MissingRights {
  readonly #rights = new Map<string, { readonly right: MissingRight; readonly at: number }>();
  readonly #keepSeconds: number;

  constructor(intervalSeconds: number) {
    this.#keepSeconds = Math.max(LEAST_SECONDS, INTERVALS * intervalSeconds);
  }

  /** Returns whether that is news. */
  note(kind: string, right: MissingRight, now: number): boolean {
    const isKnown = this.#current(now).some(
      ([known, { right: before }]) => known === kind && before.what === right.what,
    );
    this.#rights.set(kind, { right, at: now });
    return !isKnown;
  }

  /** It works again. */
  clear(kind: string): void {
    this.#rights.delete(kind);
  }

  at(now: number): MissingRight[] {
    return this.#current(now).map(([, { right }]) => right);
  }

  #current(now: number): [string, { right: MissingRight; at: number }][] {
    return [...this.#rights].filter(([, { at }]) => now - at <= this.#keepSeconds);
  }
}
