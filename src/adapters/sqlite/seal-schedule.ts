/** Which groups have enough samples to be sealed. Counts samples, not time: a stopped clock does not stop it. */
import type { Database } from './database.ts';

/** Samples per target. Groups differ, so that thousands of targets that started together are not sealed together. */
const FEWEST_SAMPLES = 48;
const SPREAD_SAMPLES = 24;
/** For a group with few members left. */
const MOST_ROWS = 240;

interface Waiting {
  samples: number;
  rows: number;
}

export class SealSchedule {
  readonly #waiting = new Map<number, Waiting>();

  load(db: Database): void {
    const rows = db.all('SELECT target_group, sum(sample_count) AS samples, count(*) AS n FROM scrapes GROUP BY 1');
    for (const row of rows)
      this.#waiting.set(Number(row.target_group), { samples: Number(row.samples), rows: Number(row.n) });
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
    return [...this.#waiting].flatMap(([group, { samples, rows }]) => {
      const enough = FEWEST_SAMPLES + (group % SPREAD_SAMPLES);
      return samples >= enough * memberCount(group) || rows >= MOST_ROWS ? [group] : [];
    });
  }
}
