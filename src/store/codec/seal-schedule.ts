/** Which groups have enough samples to be sealed. Counts samples, not time: a stopped clock does not stop it. */

/** Samples per target. Groups differ, so that thousands of targets that started together are not sealed together. */
const FEWEST_SAMPLES = 48;
const SPREAD_SAMPLES = 24;
/** For a group with few members left. */
const MAX_ROWS = 240;

interface Waiting {
  samples: number;
  rows: number;
}

export class SealSchedule {
  readonly #waiting = new Map<number, Waiting>();

  /** What waits in all, in place of what was added. */
  set(group: number, samples: number, rows: number): void {
    this.#waiting.set(group, { samples, rows });
  }

  add(group: number, samples: number): void {
    const waiting = this.#waiting.get(group) ?? { samples: 0, rows: 0 };
    this.#waiting.set(group, { samples: waiting.samples + samples, rows: waiting.rows + 1 });
  }

  sealed(group: number): void {
    this.#waiting.delete(group);
  }

  groups(): readonly number[] {
    return [...this.#waiting.keys()];
  }

  due(memberCount: (group: number) => number): readonly number[] {
    return [...this.#waiting].flatMap(([group, { samples, rows }]) =>
      isDue(group, samples, rows, memberCount(group)) ? [group] : [],
    );
  }
}

export function isDue(group: number, samples: number, rows: number, memberCount: number): boolean {
  const enough = FEWEST_SAMPLES + (group % SPREAD_SAMPLES);
  return samples >= enough * memberCount || rows >= MAX_ROWS;
}
