/** What is done after each commit: sealing, partitions for the days ahead, deleting what is old. */
import { SealSchedule } from '../../codec/seal-schedule.ts';
import { type ClockState, isSteady, lookAtClock, NEW_CLOCK, parseClockState } from '../../codec/steady-clock.ts';
import type { StoreLimits } from '../../codec/store-limits.ts';
import type { Database } from './database.ts';
import { databaseTrouble } from './database-trouble.ts';
import { preparePartitions } from './partitions.ts';
import { readMeta } from './read-records.ts';
import { forgetSome } from './retention.ts';
import { IS_OLD, sealGroup } from './seal.ts';

const CLOCK_KEY = 'store.clock';
/** How often data is deleted and the clock is saved. */
const ROUND_SECONDS = 600;
/** How often groups are looked up that no process counts any more. */
const LOOK_UP_SECONDS = 3_600;
/** Whoever leads does it after each commit; not asked for longer, this process does not lead any more. */
const TRIED_MS = 30_000;

export class Upkeep {
  readonly #db: Database;
  readonly #limits: StoreLimits;
  readonly #memberCount: (group: number) => number;
  readonly #onDamage: () => void;
  readonly #schedule = new SealSchedule();
  #clock: ClockState = NEW_CLOCK;
  #roundAt = -Infinity;
  #lookedUpAt = -Infinity;
  #running: Promise<void> | undefined;
  #trouble: string | undefined;
  #triedMs = -Infinity;
  readonly #nowMs: () => number;
  databaseBytes = 0;

  constructor(
    db: Database,
    limits: StoreLimits,
    memberCount: (group: number) => number,
    onDamage: () => void,
    nowMs: () => number = () => performance.now(),
  ) {
    this.#db = db;
    this.#nowMs = nowMs;
    this.#limits = limits;
    this.#memberCount = memberCount;
    this.#onDamage = onDamage;
  }

  async load(): Promise<void> {
    const clock = await readMeta(this.#db, CLOCK_KEY);
    if (clock !== undefined) this.#clock = parseClockState(clock);
    await this.#measure();
  }

  /** A scrape is in the database. */
  waits(group: number, sampleCount: number): void {
    this.#schedule.add(group, sampleCount);
  }

  run(now: number, also: () => Promise<void>): Promise<void> {
    this.#running ??= this.#tryAll(now, also).finally(() => (this.#running = undefined));
    return this.#running;
  }

  /** Why it failed last; undefined if it did not, or if another process does it now. */
  get trouble(): string | undefined {
    return this.#nowMs() - this.#triedMs < TRIED_MS ? this.#trouble : undefined;
  }

  async settled(): Promise<void> {
    await this.#running;
  }

  async #tryAll(now: number, also: () => Promise<void>): Promise<void> {
    try {
      await this.#all(now, also);
      this.#trouble = undefined;
    } catch (error) {
      this.#trouble = databaseTrouble(error);
    }
    this.#triedMs = this.#nowMs();
  }

  async #all(now: number, also: () => Promise<void>): Promise<void> {
    const isRound = Number.isFinite(now) && Math.abs(now - this.#roundAt) >= ROUND_SECONDS;
    if (isRound) {
      this.#clock = lookAtClock(this.#clock, now);
      if (isSteady(this.#clock)) await preparePartitions(this.#db, now);
    }
    if (Number.isFinite(now) && Math.abs(now - this.#lookedUpAt) >= LOOK_UP_SECONDS) {
      for (const group of await this.#lookUp()) await this.#seal(group);
      this.#lookedUpAt = now;
    }
    for (const group of this.#schedule.due(one => Math.max(1, this.#memberCount(one)))) await this.#seal(group);
    if (!isRound) return;
    await forgetSome(this.#db, this.#limits, now, isSteady(this.#clock));
    await this.#db.all(
      'INSERT INTO meta (key, value) VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
      [CLOCK_KEY, JSON.stringify(this.#clock)],
    );
    await also();
    await this.#measure();
    this.#roundAt = now;
  }

  async #seal(group: number): Promise<void> {
    const { samples, rows } = await sealGroup(this.#db, group, this.#onDamage);
    if (rows === 0) this.#schedule.sealed(group);
    else this.#schedule.set(group, samples, rows);
  }

  /** Returns groups that have waited for too long. */
  async #lookUp(): Promise<number[]> {
    const rows = await this.#db.all(
      `SELECT target_group, sum(sample_count) AS samples, count(*) AS n, ${IS_OLD} AS is_old FROM scrapes GROUP BY 1`,
    );
    for (const row of rows) this.#schedule.set(Number(row['target_group']), Number(row['samples']), Number(row['n']));
    return rows.filter(row => row['is_old'] === true).map(row => Number(row['target_group']));
  }

  async #measure(): Promise<void> {
    const [row] = await this.#db.all(
      `SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0) AS bytes
       FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relkind = 'r'`,
      [this.#db.address.schema],
    );
    this.databaseBytes = Number(row?.['bytes']);
  }
}
