/** Reads samples back: the newest, a stretch for a chart, the past for detectors. */
import { setImmediate as letOthersRun } from 'node:timers/promises';
import zlib from 'node:zlib';
import { groupBy } from '../../../base/group-by.ts';
import { type Chunk, chunkOfRows, type Row, sliceChunk, type Level, RAW, slotOf } from '../../codec/chunk.ts';
import { decodeChunk } from '../../codec/chunk-codec.ts';
import { joinLevels, lastRow, namedValues, replayParts, replayStretches, seriesOf } from '../../codec/read-back.ts';
import { groupOf, rowsByTarget } from '../../codec/scrape-batch.ts';
import type { Database, SqlValue } from './database.ts';
import type { MetricTable, TargetTable } from './name-tables.ts';
import type { ReplayPart, ReplayQuery, Sample, SampleQuery, SampleSeries } from '../../records.ts';
import { ifWhole } from '../../codec/store-limits.ts';

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
    const points = joinLevels(query, this.#unsealedRows(id, wanted), (level, before) =>
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

  #unsealedRows(id: number, wanted?: ReadonlySet<number>): readonly Row[] {
    return readUnsealed(this.#db, groupOf(id), this.#onDamage, wanted).rows.get(id) ?? [];
  }

  /** Nothing may be sealed until it ends: samples that move meanwhile would come twice or not at all. */
  async *replay(query: ReplayQuery): AsyncIterable<ReplayPart> {
    const { metrics, targets: only } = query;
    const wanted = metrics === undefined ? undefined : this.#metrics.findAll(metrics);
    const targets = only === undefined ? this.#targets.all() : this.#targets.among(only);
    let turnEnds = performance.now() + TURN_MS;
    const takeTurns = async (): Promise<void> => {
      if (performance.now() < turnEnds) return;
      await letOthersRun();
      turnEnds = performance.now() + TURN_MS;
    };
    for (const { level, from, to } of replayStretches(query)) {
      for (const slot of this.#slotsFrom(level, slotOf(level, from))) {
        if (slot > slotOf(level, to)) break;
        for (const target of targets) {
          await takeTurns();
          const row = this.#db.get('SELECT body FROM chunks WHERE target = ? AND step = ? AND slot = ?', [
            target.id,
            level.stepSeconds,
            slot,
          ]);
          const chunk = row && ifWhole(() => decodeChunk(zlib, row.body as Uint8Array, wanted), this.#onDamage);
          if (chunk !== undefined) yield* replayParts(target.target, sliceChunk(chunk, from, to), this.#nameOf);
        }
      }
    }
    for (const [group, members] of groupBy(targets, target => groupOf(target.id))) {
      await takeTurns();
      const { rows } = readUnsealed(this.#db, group, this.#onDamage, wanted);
      for (const { id, target } of members) {
        const chunk = sliceChunk(chunkOfRows(rows.get(id) ?? []), query.from, Infinity);
        yield* replayParts(target, chunk, this.#nameOf);
      }
    }
  }

  /** Each from the one before, in the index: a DISTINCT would read all rows. */
  *#slotsFrom({ stepSeconds }: Level, first: number): Iterable<number> {
    const next = 'SELECT min(slot) AS slot FROM chunks WHERE step = ? AND slot >= ?';
    for (let from = first; ;) {
      const slot = this.#db.get(next, [stepSeconds, from])?.slot;
      if (typeof slot !== 'number') return;
      yield slot;
      from = slot + 1;
    }
  }

  readonly #nameOf = (metric: number): string | undefined => this.#metrics.nameOf(metric);
}

/** Samples that are in the file as they came, not in chunks yet. */
export interface Unsealed {
  /** By the target's number; in order of arrival. */
  readonly rows: ReadonlyMap<number, readonly Row[]>;
  /** The id of the last scrape; 0 if there is none. */
  readonly lastId: SqlValue;
}

/** For a group of targets. Calls `onDamage` for each scrape that cannot be read, and leaves it out. */
export function readUnsealed(
  db: Database,
  group: number,
  onDamage: () => void,
  wanted?: ReadonlySet<number>,
): Unsealed {
  const scrapes = db.all('SELECT id, body FROM scrapes WHERE target_group = ? ORDER BY id', [group]);
  const bodies = scrapes.map(({ body }) => body as Uint8Array);
  return { rows: rowsByTarget(zlib, group, bodies, onDamage, wanted), lastId: scrapes.at(-1)?.id ?? 0 };
}
