import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { FormatError } from '../../base/errors.ts';
import { ByteReader, ByteWriter } from './byte-stream.ts';
import { readColumn, writeColumn } from './chunk-codec.ts';

function encode(column: readonly number[]): Uint8Array {
  const writer = new ByteWriter(1);
  writeColumn(writer, Float64Array.from(column));
  return writer.written().slice();
}

function decode(bytes: Uint8Array, length: number): number[] {
  const reader = new ByteReader(bytes);
  const column = [...readColumn(reader, length)];
  assert.ok(reader.atEnd);
  return column;
}

const value = fc.oneof(
  fc.double(),
  fc.constantFrom(NaN, -0, 0, Infinity, 2 ** 50, -(2 ** 50), 2 ** 53, 9223372036854775807),
  fc.integer(),
  fc.integer().map(whole => whole / 100),
  fc.nat(100_000).map(pages => pages * 8192),
);

describe('a column', () => {
  it('comes back to the last bit, whatever it holds', () => {
    fc.assert(
      fc.property(fc.array(value), column => {
        const back = decode(encode(column), column.length);
        assert.ok(
          column.every((one, i) => Object.is(one, back[i])),
          `${column} came back as ${back}`,
        );
      }),
      { numRuns: 2000 },
    );
  });

  it('takes few bytes where values behave as metrics do', () => {
    const size = (at: (i: number) => number): number => encode(Array.from({ length: 120 }, (_, i) => at(i))).length;
    assert.equal(
      size(() => 1794771922.19),
      9,
      'a start time',
    );
    assert.ok(size(i => 300 + (i % 7)) <= 125, 'goroutines: a byte each');
    assert.ok(size(i => 1e8 + (i % 5) * 8192) <= 130, 'pages: the unit is taken out');
    assert.ok(size(i => Math.round(100 * (11 + i * 0.37)) / 100) <= 130, 'CPU seconds: hundredths');
  });

  it('that ends early is told, not made up', () => {
    const bytes = encode([1, 2, 4, NaN, 8, 1_000_000]);
    for (let end = 0; end < bytes.length; end++)
      assert.throws(() => decode(bytes.subarray(0, end), 6), FormatError, `cut at ${end}`);
  });
});
