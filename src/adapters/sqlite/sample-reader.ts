/** Reads samples back: the newest, a stretch for a chart, the past for detectors. */
import { setImmediate as letOthersRun } from 'node:timers/promises';
import type { ReplayPart, ReplayQuery, Sample, SampleQuery, SampleSeries } from '../../model/stored-samples.ts';
import { type Chunk, chunkOfRows, mergeChunks, type Row, sliceChunk, valueAt } from './chunk.ts';
import { decodeChunk } from './chunk-codec.ts';
import type { Database } from './database.ts';
import type { MetricTable, TargetTable } from './name-tables.ts';
import { FIVE_MINUTES, keyOf, type Level, LEVELS, RAW, slotOf } from './rollup.ts';
import { groupOf } from './scrape-batch.ts';
import { thinSeries } from './thin-series.ts';
import { ifWhole, readUnsealed } from './unsealed.ts';

/** How long a replay blocks other work at most. */
const TURN_MS = 10;

export class SampleReader {
  readonly #db: Database;
  readonly #targets: TargetTable;
  readonly #metrics: MetricTable;
  readonly #onDamage: () => void;

  constructor(db: Database, targets: TargetTable, metrics: MetricTable, onDamage: () => void) {
    this.#db = db;
    this.#targets = targets;
    this.#metrics = metrics;
    this.#onDamage = onDamage;
  }

  latest(target: string): Sample | undefined {
    const id = this.#targets.find(target)?.id;
    if (id === undefined) return undefined;
    const row = this.#unsealedRows(id).at(-1);
    if (row !== undefined) return { at: row.at, values: this.#named(row.metrics, row.values) };
    const newest = this.#db.get('SELECT body FROM chunks WHERE target = ? AND step = ? ORDER BY slot DESC LIMIT 1', [
      id,
      RAW.stepSeconds,
    ]);
    const chunk = newest && ifWhole(() => decodeChunk(newest.body as Uint8Array), this.#onDamage);
    if (chunk === undefined || chunk.times.length === 0) return undefined;
    const last = chunk.times.length - 1;
    const there = [...chunk.columns].filter(([, { values }]) => !Number.isNaN(valueAt(values, last)));
    const metrics = there.map(([metric]) => metric);
    const values = there.map(([, column]) => valueAt(column.values, last));
    return { at: valueAt(chunk.times, last), values: this.#named(metrics, values) };
  }

  query({ target, metrics, from, to, maxPoints }: SampleQuery): SampleSeries[] {
    const id = this.#targets.find(target)?.id;
    if (id === undefined || !(from <= to)) return [];
    const wanted = this.#metrics.findAll(metrics);
    const points = this.#pointsOf(id, wanted, from, to, (to - from) / maxPoints);
    return metrics.flatMap(metric => {
      const column = points.columns.get(this.#metrics.find(metric) ?? -1);
      if (column === undefined) return [];
      const series = thinSeries(points.times, column, from, to, maxPoints);
      return series.times.length === 0 ? [] : [{ metric, ...series }];
    });
  }

  /** At the coarsest level that is fine enough; coarser for the time before that level; unsealed samples at the end. */
  #pointsOf(id: number, wanted: ReadonlySet<number>, from: number, to: number, stepSeconds: number): Chunk {
    const finest = LEVELS.findLastIndex(level => level.stepSeconds <= stepSeconds);
    const unsealed = sliceChunk(chunkOfRows(this.#unsealedRows(id)), from, to);
    const columns = new Map([...unsealed.columns].filter(([metric]) => wanted.has(metric)));
    let points: Chunk = { times: unsealed.times, columns };
    let before = Infinity;
    for (const level of LEVELS.slice(Math.max(0, finest))) {
      const found = this.#chunksOf(id, level, wanted, from, Math.min(to, before)).filter(
        chunk => chunk.times.length > 0,
      );
      const earlier = found.map(chunk => sliceChunk(chunk, from, before));
      for (const chunk of earlier) points = mergeChunks(chunk, points, keyOf(RAW));
      before = Math.min(before, found[0]?.times[0] ?? before);
    }
    return points;
  }

  #chunksOf(id: number, level: Level, wanted: ReadonlySet<number>, from: number, to: number): Chunk[] {
    const rows = this.#db.all(
      'SELECT body FROM chunks WHERE target = ? AND step = ? AND slot BETWEEN ? AND ? ORDER BY slot',
      [id, level.stepSeconds, slotOf(level, from), slotOf(level, to)],
    );
    return rows.flatMap(({ body }) => {
      const chunk = ifWhole(() => decodeChunk(body as Uint8Array, wanted), this.#onDamage);
      return chunk === undefined ? [] : [sliceChunk(chunk, from, to)];
    });
  }

  #unsealedRows(id: number): readonly Row[] {
    return readUnsealed(this.#db, groupOf(id), this.#onDamage).rows.get(id) ?? [];
  }

  /** Nothing may be sealed until it ends: samples that move meanwhile would come twice or not at all. */
  async *replay({
    from,
    stepSeconds: wantedStep = FIVE_MINUTES.stepSeconds,
    metrics,
  }: ReplayQuery): AsyncIterable<ReplayPart> {
    const wanted = metrics === undefined ? undefined : this.#metrics.findAll(metrics);
    const level = wantedStep < FIVE_MINUTES.stepSeconds ? RAW : FIVE_MINUTES;
    const { stepSeconds } = level;
    const slots = this.#db.all('SELECT DISTINCT slot FROM chunks WHERE step = ? AND slot >= ? ORDER BY slot', [
      stepSeconds,
      slotOf(level, from),
    ]);
    let turnEnds = performance.now() + TURN_MS;
    for (const { slot = null } of slots) {
      for (const target of this.#targets.all()) {
        if (performance.now() > turnEnds) {
          await letOthersRun();
          turnEnds = performance.now() + TURN_MS;
        }
        const row = this.#db.get('SELECT body FROM chunks WHERE target = ? AND step = ? AND slot = ?', [
          target.id,
          stepSeconds,
          slot,
        ]);
        const chunk = row && ifWhole(() => decodeChunk(row.body as Uint8Array, wanted), this.#onDamage);
        if (chunk !== undefined) yield* this.#parts(target.target, sliceChunk(chunk, from, Infinity));
      }
    }
    const groups = new Set(this.#targets.all().map(target => groupOf(target.id)));
    for (const group of groups) {
      for (const [id, rows] of readUnsealed(this.#db, group, this.#onDamage).rows) {
        const target = this.#targets.byId(id);
        const chunk = sliceChunk(chunkOfRows(rows), from, Infinity);
        if (target !== undefined) yield* this.#parts(target.target, chunk, wanted);
      }
    }
  }

  *#parts(target: string, { times, columns }: Chunk, wanted?: ReadonlySet<number>): Iterable<ReplayPart> {
    if (times.length === 0) return;
    const named = [...columns].flatMap(([metric, { values, lows }]) => {
      const name = this.#metrics.nameOf(metric);
      return name === undefined || wanted?.has(metric) === false ? [] : [{ metric: name, values, lows }];
    });
    if (named.length > 0) yield { target, times, columns: named };
  }

  #named(metrics: readonly number[], values: readonly number[]): Record<string, number> {
    return Object.fromEntries(metrics.map((metric, i) => [this.#metrics.nameOf(metric) ?? '', values[i] ?? NaN]));
  }
}
