/**
 * When the samples of targets are sealed, and what they make of their chunks, at every level.
 *
 *     samples -> merged into the raw chunks they fall into -> those rolled up to 5 minutes -> those to hours
 *
 * Samples may have any time: after a clock went back, they are merged into older chunks.
 */
import {
  type Chunk,
  cutChunk,
  EMPTY_CHUNK,
  mergeChunks,
  valueAt,
  FIVE_MINUTES,
  HOURS,
  keyOf,
  type Level,
  LEVELS,
  RAW,
  rollUp,
  slotOf,
} from './chunk.ts';
import { decodeChunk, encodeChunk } from './chunk-codec.ts';
import { ifWhole, type Zlib } from './store-limits.ts';

interface SealedChunk {
  readonly level: Level;
  readonly slot: number;
  readonly body: Uint8Array;
}

/** Finds the body of the target's chunk; undefined if there is none. */
export type FindChunk = (level: Level, slot: number) => Uint8Array | undefined;

/** The chunks that are new or change. `onDamage` is called for each part that cannot be read, which is left out. */
export function sealTarget(zlib: Zlib, samples: Chunk, find: FindChunk, onDamage: () => void): SealedChunk[] {
  const known = (level: Level, slot: number): Chunk | undefined => {
    const body = find(level, slot);
    return body && ifWhole(() => decodeChunk(zlib, body), onDamage);
  };
  const sealing = new Sealing(known);
  sealing.add(samples);
  return sealing.changed().map(({ level, slot, chunk }) => ({ level, slot, body: encodeChunk(zlib, chunk) }));
}

/** The slots that samples of these times touch. Each level's slots lie within one slot of the next. */
export function slotsTouched(times: Float64Array): { readonly level: Level; readonly slot: number }[] {
  return LEVELS.flatMap(level =>
    Array.from(new Set(Array.from(times, at => slotOf(level, at))), slot => ({ level, slot })),
  );
}

class Sealing {
  readonly #known: (level: Level, slot: number) => Chunk | undefined;
  readonly #changed = new Map<Level, Map<number, Chunk>>(LEVELS.map(level => [level, new Map()]));

  constructor(known: (level: Level, slot: number) => Chunk | undefined) {
    this.#known = known;
  }

  add(samples: Chunk): void {
    const fiveMinutes = this.#merge(RAW, samples).map(part => rolledUp(part, FIVE_MINUTES));
    const hours = fiveMinutes.flatMap(part => this.#merge(FIVE_MINUTES, part.chunk, part.isContinued));
    for (const part of hours) {
      const { chunk, isContinued } = rolledUp(part, HOURS);
      this.#merge(HOURS, chunk, isContinued);
    }
  }

  changed(): { readonly level: Level; readonly slot: number; readonly chunk: Chunk }[] {
    return [...this.#changed].flatMap(([level, chunks]) =>
      Array.from(chunks, ([slot, chunk]) => ({ level, slot, chunk })),
    );
  }

  /** Merges the points into the chunks they fall into, and returns those chunks. */
  #merge(level: Level, points: Chunk, replaces: boolean = true): Part[] {
    const key = keyOf(level);
    return splitBySlot(points, level).map(({ slot, chunk }) => {
      const known = this.#changed.get(level)?.get(slot) ?? this.#known(level, slot);
      const old = known ?? EMPTY_CHUNK;
      const merged = replaces ? mergeChunks(old, chunk, key) : mergeChunks(chunk, old, key);
      this.#changed.get(level)?.set(slot, merged);
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

/** Samples per target. Groups differ, so that thousands of targets that started together are not sealed together. */
const FEWEST_SAMPLES = 48;
const SPREAD_SAMPLES = 24;
/** For a group with few members left. */
const MAX_ROWS = 240;

interface Waiting {
  samples: number;
  rows: number;
}

/** Which groups have enough samples to be sealed. Counts samples, not time: a stopped clock does not stop it. */
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
