/** Reads samples back: the newest, a stretch for a chart, the past for detectors. */
import { setImmediate as letOthersRun } from 'node:timers/promises';
import zlib from 'node:zlib';
import { type Chunk, chunkOfRows, type Row, sliceChunk } from '../../formats/watch-store/chunk.ts';
import { decodeChunk } from '../../formats/watch-store/chunk-codec.ts';
import { joinLevels, lastRow, namedValues, replayParts, seriesOf } from '../../formats/watch-store/read-back.ts';
import { FIVE_MINUTES, type Level, RAW, slotOf } from '../../formats/watch-store/rollup.ts';
import { groupOf } from '../../formats/watch-store/scrape-batch.ts';
import { ifWhole } from '../../formats/watch-store/zlib.ts';
import type { ReplayPart, ReplayQuery, Sample, SampleQuery, SampleSeries } from '../../model/stored-samples.ts';
import type { Database } from './database.ts';
import type { MetricTable, TargetTable } from './name-tables.ts';
import { readUnsealed } from './unsealed.ts';

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
    const row = this.#unsealedRows(id).at(-1) ?? this.#lastSealed(id);
    return row && { at: row.at, values: namedValues(row, this.#nameOf) };
  }

  #lastSealed(id: number): Row | undefined {
    const newest = this.#db.get('SELECT body FROM chunks WHERE target = ? AND step = ? ORDER BY slot DESC LIMIT 1', [
      id,
      RAW.stepSeconds,
    ]);
    const chunk = newest && ifWhole(() => decodeChunk(zlib, newest.body as Uint8Array), this.#onDamage);
    return chunk && lastRow(chunk);
  }

  query(query: SampleQuery): SampleSeries[] {
    const { target, metrics, from, to } = query;
    const id = this.#targets.find(target)?.id;
    if (id === undefined || !(from <= to)) return [];
    const wanted = this.#metrics.findAll(metrics);
    const points = joinLevels(query, this.#unsealedRows(id), wanted, (level, before) =>
      this.#chunksOf(id, level, wanted, from, before),
    );
    return seriesOf(query, points, metric => this.#metrics.find(metric));
  }

  #chunksOf(id: number, level: Level, wanted: ReadonlySet<number>, from: number, to: number): Chunk[] {
    const rows = this.#db.all(
      'SELECT body FROM chunks WHERE target = ? AND step = ? AND slot BETWEEN ? AND ? ORDER BY slot',
      [id, level.stepSeconds, slotOf(level, from), slotOf(level, to)],
    );
    return rows.flatMap(({ body }) => {
      const chunk = ifWhole(() => decodeChunk(zlib, body as Uint8Array, wanted), this.#onDamage);
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
        const chunk = row && ifWhole(() => decodeChunk(zlib, row.body as Uint8Array, wanted), this.#onDamage);
        if (chunk !== undefined) yield* replayParts(target.target, sliceChunk(chunk, from, Infinity), this.#nameOf);
      }
    }
    const groups = new Set(this.#targets.all().map(target => groupOf(target.id)));
    for (const group of groups) {
      for (const [id, rows] of readUnsealed(this.#db, group, this.#onDamage).rows) {
        const target = this.#targets.byId(id);
        const chunk = sliceChunk(chunkOfRows(rows), from, Infinity);
        if (target !== undefined) yield* replayParts(target.target, chunk, this.#nameOf, wanted);
      }
    }
  }

  readonly #nameOf = (metric: number): string | undefined => this.#metrics.nameOf(metric);
}
