/**
 * The samples of a group of targets in one commit, before they are sealed into chunks. A row holds those of a group, not of
 * one target: 5,000 targets at once are then some 300 rows at the end of the table, instead of 5,000.
 *
 *     per sample: place in the group, time, count, then (metric, value) each
 */
import { mixedHash } from '../../base/text.ts';
import { ByteReader, ByteWriter } from './byte-stream.ts';
import type { Row } from './chunk.ts';
import type { Values } from '../records.ts';
import { ifWhole, inflate, type Zlib } from './store-limits.ts';

export const GROUP_SIZE = 16;

export function groupOf(targetId: number): number {
  return Math.floor(targetId / GROUP_SIZE);
}

/** The place of the target in its group. */
export function placeInGroup(targetId: number): number {
  return targetId % GROUP_SIZE;
}

/**
 * Targets in the order in which they should get their numbers. A watch samples each at the place in the interval that the
 * hash of its name gives: so those of a group are sampled at about the same time, and one row has samples of many.
 */
export function inSamplingOrder<T>(items: readonly T[], nameOf: (item: T) => string): T[] {
  return items
    .map(item => ({ item, place: mixedHash(nameOf(item)) }))
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item);
}

export class ScrapeBatch {
  sampleCount: number = 0;
  readonly #writer = new ByteWriter(4096);

  get bytes(): number {
    return this.#writer.length;
  }

  add(place: number, at: number, metrics: readonly number[], values: Values): void {
    this.#writer.varint(place);
    this.#writer.float64(at);
    this.#writer.varint(metrics.length);
    for (let i = 0; i < metrics.length; i++) {
      this.#writer.varint(metrics[i] ?? 0);
      this.#writer.float64(values[i] ?? NaN);
    }
    this.sampleCount++;
  }

  encode(zlib: Zlib): Uint8Array {
    // It is replaced within an hour or so: speed matters more than size.
    return zlib.deflateSync(this.#writer.written(), { level: 1 });
  }
}

/** Throws a FormatError. */
function decodeScrapes(
  zlib: Zlib,
  bytes: Uint8Array,
  wanted: ReadonlySet<number> | undefined,
  onRow: (place: number, row: Row) => void,
): void {
  const reader = new ByteReader(inflate(zlib, bytes));
  while (!reader.atEnd) {
    const place = reader.varint();
    const row = { at: reader.float64(), metrics: [] as number[], values: [] as number[] };
    for (let left = reader.varint(); left > 0; left--) {
      const metric = reader.varint();
      const value = reader.float64();
      if (wanted?.has(metric) === false) continue;
      row.metrics.push(metric);
      row.values.push(value);
    }
    onRow(place, row);
  }
}

/**
 * The samples in the scrapes of a group, by the number of the target, in order of arrival. Calls `onDamage` for each
 * scrape that cannot be read, and leaves it out. All metrics, or those that are wanted.
 */
export function rowsByTarget(
  zlib: Zlib,
  group: number,
  scrapes: Iterable<Uint8Array>,
  onDamage: () => void,
  wanted?: ReadonlySet<number>,
): ReadonlyMap<number, readonly Row[]> {
  const rows = new Map<number, Row[]>();
  const add = (place: number, row: Row): void => {
    const id = group * GROUP_SIZE + place;
    const known = rows.get(id);
    if (known === undefined) rows.set(id, [row]);
    else known.push(row);
  };
  for (const body of scrapes) ifWhole(() => decodeScrapes(zlib, body, wanted, add), onDamage);
  return rows;
}
