import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import zlib from 'node:zlib';
import fc from 'fast-check';
import { FormatError } from '../../base/errors.ts';
import {
  type Chunk,
  chunkOfRows,
  mergeChunks,
  type Row,
  sliceChunk,
  FIVE_MINUTES,
  keyOf,
  RAW,
  rollUp,
} from './chunk.ts';
import { decodeChunk, encodeChunk } from './chunk-codec.ts';
import { thinSeries } from './read-back.ts';

const row: fc.Arbitrary<Row> = fc
  .tuple(fc.nat(3_000), fc.uniqueArray(fc.tuple(fc.nat(3), fc.nat(50)), { selector: ([metric]) => metric }))
  .map(([at, pairs]) => ({ at, metrics: pairs.map(([metric]) => metric), values: pairs.map(([, value]) => value) }));
const rows = fc.array(row, { maxLength: 60 });

/** Time -> metric -> value: what a chunk means. */
function meaning({ times, columns }: Chunk): Record<number, Record<number, number>> {
  return Object.fromEntries(
    Array.from(times, (at, i) => [
      at,
      Object.fromEntries(
        [...columns].flatMap(([metric, { values }]) => (Number.isNaN(values[i]) ? [] : [[metric, values[i]]])),
      ),
    ]),
  );
}

describe('chunks', () => {
  it('hold each time once, in order; the later of two counts, also when merged', () => {
    fc.assert(
      fc.property(rows, rows, (older, newer) => {
        const expected = meaning(chunkOfRows([...older, ...newer]));
        const merged = mergeChunks(chunkOfRows(older), chunkOfRows(newer), keyOf(RAW));
        assert.deepEqual(meaning(merged), expected);
        assert.deepEqual([...merged.times], Object.keys(expected).map(Number));
      }),
    );
  });

  it('come back from bytes, whole or in part', () => {
    fc.assert(
      fc.property(rows, list => {
        for (const chunk of [chunkOfRows(list), rollUp(chunkOfRows(list), keyOf(FIVE_MINUTES))]) {
          assert.deepEqual(decodeChunk(zlib, encodeChunk(zlib, chunk)), chunk);
          const part = decodeChunk(zlib, encodeChunk(zlib, chunk), new Set([1]));
          assert.deepEqual(part.times, chunk.times);
          assert.deepEqual(part.columns.get(1), chunk.columns.get(1));
          assert.ok(part.columns.size <= 1);
        }
      }),
    );
  });

  it('that are damaged are told', () => {
    const bytes = encodeChunk(zlib, chunkOfRows([{ at: 60, metrics: [1, 2], values: [3, 4.5] }]));
    for (let i = 0; i < bytes.length; i++) {
      assert.throws(() => decodeChunk(zlib, bytes.subarray(0, i)), FormatError, `cut at ${i}`);
      const flipped = bytes.slice();
      flipped[i] ^= 0x55;
      assert.throws(() => decodeChunk(zlib, flipped), FormatError, `a flip at ${i}`);
    }
  });

  it('rolled up keep the lowest, the highest, a median that was seen and the last time of each step', () => {
    fc.assert(
      fc.property(rows, list => {
        const raw = chunkOfRows(list);
        const rolled = rollUp(raw, keyOf(FIVE_MINUTES));
        const steps = new Set(Array.from(raw.times, keyOf(FIVE_MINUTES)));
        assert.deepEqual([...rolled.times].map(keyOf(FIVE_MINUTES)), [...steps]);
        for (const [metric, { values, lows, highs }] of rolled.columns) {
          rolled.times.forEach((at, i) => {
            const inStep = sliceChunk(raw, Math.floor(at / 300) * 300, at);
            const seen = [...(inStep.columns.get(metric)?.values ?? [])].filter(value => !Number.isNaN(value));
            if (seen.length === 0) return assert.ok(Number.isNaN(values[i]));
            seen.sort((a, b) => a - b);
            assert.deepEqual([values[i], lows[i], highs[i]], [seen[(seen.length - 1) >> 1], seen[0], seen.at(-1)]);
          });
        }
      }),
    );
  });

  it('rolled up piece by piece are as rolled up at once', () => {
    fc.assert(
      fc.property(rows, fc.nat(60), (list, cut) => {
        const sorted = [...list].sort((a, b) => a.at - b.at);
        const key = keyOf(FIVE_MINUTES);
        const first = chunkOfRows(sorted.slice(0, cut));
        const whole = mergeChunks(first, chunkOfRows(sorted.slice(cut)), keyOf(RAW));
        const updated = mergeChunks(rollUp(first, key), rollUp(whole, key), key);
        assert.deepEqual(meaning(updated), meaning(rollUp(whole, key)));
      }),
    );
  });
});

describe('a thinned series', () => {
  const times = Float64Array.from({ length: 1000 }, (_, i) => i);
  const values = times.map(at => (at === 500 ? 9000 : at % 10));

  it('has no more points than asked for, and no peak is lost', () => {
    const series = thinSeries(times, { values, lows: values, highs: values }, 0, 999, 50);
    assert.equal(series.times.length, 50);
    assert.equal(Math.max(...series.highs), 9000);
    assert.equal(Math.min(...series.lows), 0);
    assert.ok(series.values.every(value => value < 10));
  });

  it('leaves out what is missing', () => {
    const gaps = values.map((value, i) => (i % 2 === 0 ? NaN : value));
    const series = thinSeries(times, { values: gaps, lows: gaps, highs: gaps }, 0, 999, 5000);
    assert.equal(series.times.length, 500);
    assert.ok(series.values.every(value => !Number.isNaN(value)));
  });
});
