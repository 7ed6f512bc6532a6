/** Reads samples back: the newest, a stretch for a chart, the past for detectors. */
import zlib from 'node:zlib';
import { type Chunk, chunkOfRows, type Row, sliceChunk, type Level, RAW, slotOf } from '../../codec/chunk.ts';
import { decodeChunk } from '../../codec/chunk-codec.ts';
import {
  joinLevels,
  lastRow,
  levelsFor,
  namedValues,
  replayParts,
  replayStretches,
  seriesOf,
} from '../../codec/read-back.ts';
import { groupOf, rowsByTarget } from '../../codec/scrape-batch.ts';
import type { Database, Session, SqlRow } from './database.ts';
import { type MetricNames, targetId, targetIds } from './name-tables.ts';
import { inPieces } from './record-tables.ts';
import type { ReplayPart, ReplayQuery, Sample, SampleQuery, SampleSeries } from '../../records.ts';
import { ifWhole } from '../../codec/store-limits.ts';

/** Rows that are read at once. */
const PAGE_ROWS = 500;
const PAGE_GROUPS = 32;
const MAX_SLOT = 2 ** 50;

export class SampleReader {
  readonly #db: Database;
  readonly #metrics: MetricNames;
  readonly #idOf: (target: string) => number | undefined;
  readonly #onDamage: () => void;

  constructor(db: Database, metrics: MetricNames, idOf: (target: string) => number | undefined, onDamage: () => void) {
    this.#db = db;
    this.#metrics = metrics;
    this.#idOf = idOf;
    this.#onDamage = onDamage;
  }

  async latest(target: string): Promise<Sample | undefined> {
    const id = await this.#find(target);
    if (id === undefined) return undefined;
    // One statement sees one moment: samples that are being sealed are here or there, never in both.
    const rows = await this.#db.all(
      `SELECT 0 AS is_chunk, id AS place, body FROM scrapes WHERE target_group = $1
       UNION ALL (SELECT 1, slot, body FROM chunks WHERE target = $2 AND step = ${RAW.stepSeconds}
                  ORDER BY slot DESC LIMIT 1)
       ORDER BY 1, 2`,
      [groupOf(id), id],
    );
    const row = this.#unsealed(id, rows).at(-1) ?? this.#lastSealed(rows);
    if (row === undefined) return undefined;
    await this.#metrics.know(this.#db, row.metrics);
    return { at: row.at, values: namedValues(row, this.#nameOf) };
  }

  #lastSealed(rows: readonly SqlRow[]): Row | undefined {
    const last = rows.find(row => row['is_chunk'] === 1);
    const chunk = last && ifWhole(() => decodeChunk(zlib, last['body'] as Uint8Array), this.#onDamage);
    return chunk && lastRow(chunk);
  }

  async query(query: SampleQuery): Promise<SampleSeries[]> {
    const { target, metrics, from, to } = query;
    if (!(from <= to)) return [];
    const id = await this.#find(target);
    if (id === undefined) return [];
    const wanted = await this.#metrics.findAll(this.#db, metrics);
    const levels = levelsFor(query);
    const ofLevel = ({ stepSeconds }: Level, i: number): string =>
      `UNION ALL SELECT 1, slot, step, body FROM chunks
       WHERE target = $2 AND step = ${stepSeconds} AND slot BETWEEN $${2 * i + 3} AND $${2 * i + 4}`;
    const rows = await this.#db.all(
      `SELECT 0 AS is_chunk, id AS place, 0 AS step, body FROM scrapes WHERE target_group = $1
       ${levels.map(ofLevel).join('\n')} ORDER BY 1, 2`,
      [groupOf(id), id, ...levels.flatMap(level => [slotAt(level, from), slotAt(level, to)])],
    );
    const points = joinLevels(query, this.#unsealed(id, rows, wanted), (level, before) =>
      rows.flatMap(row => {
        if (row['is_chunk'] !== 1 || row['step'] !== level.stepSeconds) return [];
        if (Number(row['place']) > slotAt(level, before)) return [];
        const chunk = ifWhole(() => decodeChunk(zlib, row['body'] as Uint8Array, wanted), this.#onDamage);
        return chunk === undefined ? [] : [sliceChunk(chunk, from, before)];
      }),
    );
    return seriesOf(query, points, metric => this.#metrics.find(metric));
  }

  /** Sees one moment, whatever is sealed or deleted meanwhile. */
  async *replay(query: ReplayQuery): AsyncIterable<ReplayPart> {
    const snapshot = await this.#db.snapshot();
    try {
      yield* this.#replayIn(snapshot, query);
    } finally {
      await snapshot.end();
    }
  }

  async *#replayIn(session: Session, query: ReplayQuery): AsyncIterable<ReplayPart> {
    const { metrics, targets } = query;
    await this.#metrics.load(session);
    const wanted = metrics === undefined ? undefined : await this.#metrics.findAll(session, metrics);
    const names = await targetIds(session, targets);
    if (names.size === 0) return;
    const parts = (id: number, chunk: Chunk, from: number, to: number): ReplayPart[] => {
      const target = names.get(id);
      return target === undefined ? [] : replayParts(target, sliceChunk(chunk, from, to), this.#nameOf);
    };
    const pages = [...inPieces([...names.keys()], () => 1, PAGE_ROWS)];
    for (const { level, from, to } of replayStretches(query)) {
      const slots = await slotsFrom(session, level, slotAt(level, from));
      for (const slot of slots.filter(one => one <= slotAt(level, to))) {
        for (const page of pages) {
          const rows = await session.all(
            `SELECT target, body FROM chunks WHERE step = ${level.stepSeconds} AND slot = $1 AND target = ANY($2)
             ORDER BY target`,
            [slot, page],
          );
          for (const row of rows) {
            const chunk = ifWhole(() => decodeChunk(zlib, row['body'] as Uint8Array, wanted), this.#onDamage);
            if (chunk !== undefined) yield* parts(Number(row['target']), chunk, from, to);
          }
        }
      }
    }
    const groups = [...new Set(Array.from(names.keys(), groupOf))];
    for (let i = 0; i < groups.length; i += PAGE_GROUPS) {
      const page = groups.slice(i, i + PAGE_GROUPS);
      const rows = await session.all(
        'SELECT target_group, body FROM scrapes WHERE target_group = ANY($1) ORDER BY target_group, id',
        [page],
      );
      for (const group of page) {
        const bodies = rows.filter(row => Number(row['target_group']) === group);
        const samples = rowsByTarget(zlib, group, bodies.map(bodyOf), this.#onDamage, wanted);
        for (const [id, own] of samples) if (names.has(id)) yield* parts(id, chunkOfRows(own), query.from, Infinity);
      }
    }
  }

  async #find(target: string): Promise<number | undefined> {
    return this.#idOf(target) ?? (await targetId(this.#db, target));
  }

  #unsealed(id: number, rows: readonly SqlRow[], wanted?: ReadonlySet<number>): readonly Row[] {
    const scrapes = rows.filter(row => row['is_chunk'] === 0);
    return rowsByTarget(zlib, groupOf(id), scrapes.map(bodyOf), this.#onDamage, wanted).get(id) ?? [];
  }

  readonly #nameOf = (metric: number): string | undefined => this.#metrics.nameOf(metric);
}

function bodyOf(row: SqlRow): Uint8Array {
  return row['body'] as Uint8Array;
}

function slotAt(level: Level, at: number): number {
  return Math.min(MAX_SLOT, Math.max(-MAX_SLOT, slotOf(level, at)));
}

/** Each from the one before, in the index: a DISTINCT would read all rows. */
async function slotsFrom(session: Session, { stepSeconds }: Level, first: number): Promise<number[]> {
  const rows = await session.all(
    `WITH RECURSIVE slots (slot) AS (
       SELECT min(slot) FROM chunks WHERE step = ${stepSeconds} AND slot >= $1
       UNION ALL
       SELECT (SELECT min(slot) FROM chunks WHERE step = ${stepSeconds} AND slot > slots.slot)
       FROM slots WHERE slots.slot IS NOT NULL
     ) SELECT slot FROM slots WHERE slot IS NOT NULL`,
    [first],
  );
  return rows.map(row => Number(row['slot']));
}
