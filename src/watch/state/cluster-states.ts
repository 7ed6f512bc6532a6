/** Several clusters of one watch: which of them are reached, and why not. */
import type { ClusterStatus } from '../watch-model.ts';
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
