/** What watch may not do or cannot reach, with the remedy; forgotten when it has not failed for a while. */
import type { WatchStatus } from '../watch-model.ts';

export type MissingRight = WatchStatus['missingRights'][number];

/** A failure is tried again at least every fourth interval. */
const INTERVALS = 8;
const MIN_SECONDS = 600;

export class MissingRights {
  readonly #rights = new Map<string, { readonly right: MissingRight; readonly at: number }>();
  readonly #keepSeconds: number;

  constructor(intervalSeconds: number) {
    this.#keepSeconds = Math.max(MIN_SECONDS, INTERVALS * intervalSeconds);
  }

  /** `cluster`: where there are several; each has its own rights. Returns the news, or undefined if it is known. */
  note(kind: string, missing: MissingRight, now: number, cluster?: string): MissingRight | undefined {
    const right = cluster === undefined ? missing : { ...missing, what: `cluster ${cluster}: ${missing.what}` };
    const key = keyOf(kind, cluster);
    const isKnown = this.#current(now).some(
      ([known, { right: before }]) => known === key && before.what === right.what,
    );
    this.#rights.set(key, { right, at: now });
    return isKnown ? undefined : right;
  }

  /** It works again. */
  clear(kind: string, cluster?: string): void {
    this.#rights.delete(keyOf(kind, cluster));
  }

  at(now: number): MissingRight[] {
    return this.#current(now).map(([, { right }]) => right);
  }

  #current(now: number): [string, { right: MissingRight; at: number }][] {
    return [...this.#rights].filter(([, { at }]) => now - at <= this.#keepSeconds);
  }
}

function keyOf(kind: string, cluster: string | undefined): string {
  return cluster === undefined ? kind : `${cluster}/${kind}`;
}
