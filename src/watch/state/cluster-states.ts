/** Several clusters of one watch: which of them are reached, and why not. */
import type { ClusterStatus, WatchStatus } from '../watch-model.ts';
import type { WatchedTarget } from './watched-target.ts';

type Known = Pick<ClusterStatus, 'state' | 'why' | 'since'>;

const UNKNOWN: Known = { state: 'unknown', why: null, since: null };

export class ClusterStates {
  readonly #known: Map<string, Known>;

  constructor(names: readonly string[]) {
    this.#known = new Map(names.map(name => [name, UNKNOWN]));
  }

  get isEmpty(): boolean {
    return this.#known.size === 0;
  }

  /** `why`: null if it is reached. */
  note(name: string, why: string | null, now: number): void {
    const before = this.#known.get(name);
    if (before === undefined) return;
    const state = why === null ? 'reached' : 'not reached';
    this.#known.set(name, { state, why, since: before.state === state ? before.since : now });
  }

  view(targets: Iterable<Pick<WatchedTarget, 'cluster' | 'silentWhy' | 'verdict'>>): ClusterStatus[] {
    const counts = new Map([...this.#known.keys()].map(name => [name, { all: 0, silent: 0, leak: 0 }]));
    for (const { cluster, silentWhy, verdict } of targets) {
      const count = cluster === undefined ? undefined : counts.get(cluster);
      if (count === undefined) continue;
      count.all++;
      if (silentWhy !== undefined) count.silent++;
      if (verdict?.verdict === 'leak') count.leak++;
    }
    return [...this.#known].map(([name, known]) => {
      const { all = 0, silent = 0, leak = 0 } = counts.get(name) ?? {};
      return { name, ...known, targetCount: all, silentCount: silent, leakCount: leak };
    });
  }
}

/** What watch may not do or cannot reach, with the remedy; forgotten when it has not failed for a while. */
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

  /** `cluster`: where there are several; each has its own rights. Returns the right, or undefined if it was known. */
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
