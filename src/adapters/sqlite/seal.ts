/**
 * Turns the scrapes of a group into chunks of its targets, at every level.
 *
 *     scrapes of a group -> rows by target -> merged into the raw chunks they fall into
 *                                          -> those rolled up to 5 minutes -> those to hours
 *
 * Samples may have any time: after a clock went back, they are merged into the past.
 */
import { type Chunk, chunkOfRows, cutChunk, EMPTY_CHUNK, mergeChunks, valueAt } from './chunk.ts';
import { decodeChunk, encodeChunk } from './chunk-codec.ts';
import type { Database } from './database.ts';
import { saveTarget, type TargetTable } from './name-tables.ts';
import { FIVE_MINUTES, HOURS, keyOf, type Level, RAW, rollUp, slotOf } from './rollup.ts';
import { ifWhole, readUnsealed } from './unsealed.ts';

/** Within a transaction. `onDamage` is called for each part that cannot be read, which is left out. */
export function sealGroup(db: Database, targets: TargetTable, group: number, onDamage: () => void): void {
  const { rows, lastId } = readUnsealed(db, group, onDamage);
  for (const [id, samples] of rows) {
    const target = targets.byId(id);
    if (target === undefined) continue;
    new TargetSealer(db, id, onDamage).seal(chunkOfRows(samples));
    saveTarget(db, target);
  }
  db.run('DELETE FROM scrapes WHERE target_group = ? AND id <= ?', [group, lastId]);
}

class TargetSealer {
  readonly #db: Database;
  readonly #targetId: number;
  readonly #onDamage: () => void;

  constructor(db: Database, targetId: number, onDamage: () => void) {
    this.#db = db;
    this.#targetId = targetId;
    this.#onDamage = onDamage;
  }

  seal(samples: Chunk): void {
    const fiveMinutes = this.#merge(RAW, samples).map(part => rolledUp(part, FIVE_MINUTES));
    const hours = fiveMinutes.flatMap(part => this.#merge(FIVE_MINUTES, part.chunk, part.isContinued));
    for (const part of hours) {
      const { chunk, isContinued } = rolledUp(part, HOURS);
      this.#merge(HOURS, chunk, isContinued);
    }
  }

  /** Merges the points into the chunks they fall into, and returns those chunks. */
  #merge(level: Level, points: Chunk, replaces: boolean = true): Part[] {
    const key = keyOf(level);
    return splitBySlot(points, level).map(({ slot, chunk }) => {
      const where = [this.#targetId, level.stepSeconds, slot];
      const row = this.#db.get('SELECT id, body FROM chunks WHERE target = ? AND step = ? AND slot = ?', where);
      const known = row && ifWhole(() => decodeChunk(row.body as Uint8Array), this.#onDamage);
      const old = known ?? EMPTY_CHUNK;
      const merged = replaces ? mergeChunks(old, chunk, key) : mergeChunks(chunk, old, key);
      const body = encodeChunk(merged);
      if (row === undefined)
        this.#db.run('INSERT INTO chunks (target, step, slot, body) VALUES (?, ?, ?, ?)', [...where, body]);
      else this.#db.run('UPDATE chunks SET body = ? WHERE id = ?', [body, Number(row.id)]);
      return { chunk: merged, isContinued: known !== undefined };
    });
  }
}

interface Part {
  readonly chunk: Chunk;
  /** It was there before. If it was not, existing coarser points were made from samples that are deleted now. */
  readonly isContinued: boolean;
}

function rolledUp({ chunk, isContinued }: Part, level: Level): Part {
  return { chunk: rollUp(chunk, keyOf(level)), isContinued };
}

function splitBySlot(chunk: Chunk, level: Level): { readonly slot: number; readonly chunk: Chunk }[] {
  const { times } = chunk;
  const parts: { slot: number; chunk: Chunk }[] = [];
  for (let begin = 0; begin < times.length;) {
    const slot = slotOf(level, valueAt(times, begin));
    let end = begin;
    while (end < times.length && slotOf(level, valueAt(times, end)) === slot) end++;
    parts.push({ slot, chunk: cutChunk(chunk, begin, end) });
    begin = end;
  }
  return parts;
}
