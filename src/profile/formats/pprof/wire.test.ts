import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { FormatError } from '../../../base/errors.ts';
import { WireReader, WireWriter } from './wire.ts';

const uint64 = fc.oneof(
  fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
  fc
    .tuple(fc.integer({ min: 0, max: 63 }), fc.bigInt({ min: 0n, max: 1n }))
    .map(([bits, less]) => 2n ** BigInt(bits) - less),
);

const read = (...bytes: number[]): WireReader => new WireReader(Uint8Array.from(bytes));
const valueOf = ({ lo, hi }: WireReader): bigint => (BigInt(hi) << 32n) | BigInt(lo);

function failure(work: () => void): string {
  try {
    work();
  } catch (error) {
    assert.ok(error instanceof FormatError, String(error));
    return error.describe();
  }
  return assert.fail('no error');
}

describe('varints', () => {
  it('come back as they were written', () => {
    fc.assert(
      fc.property(fc.array(uint64), values => {
        const writer = new WireWriter();
        for (const value of values) {
          if (value < 2n ** 53n) writer.varint(Number(value));
          writer.varint64(value);
          writer.varint64(BigInt.asIntN(64, value));
        }
        const reader = new WireReader(writer.view());
        for (const value of values) {
          for (let times = value < 2n ** 53n ? 3 : 2; times > 0; times--) {
            reader.varint();
            assert.equal(valueOf(reader), value);
          }
        }
        assert.equal(reader.at, reader.end);
      }),
    );
  });

  it('may be longer than they need to be', () => {
    const reader = read(0x81, 0x80, 0x80, 0x00);
    reader.varint();
    assert.equal(valueOf(reader), 1n);
    assert.equal(reader.at, 4);
  });

  it('have ten bytes at most; bits beyond 64 are dropped', () => {
    const ten = Array<number>(9).fill(0xff);
    const reader = read(...ten, 0x7f);
    reader.varint();
    assert.equal(valueOf(reader), 2n ** 64n - 1n);
    assert.equal(
      failure(() => read(...ten, 0xff, 0x01).varint()),
      'bad varint: longer than ten bytes at byte 0',
    );
    assert.equal(
      failure(() => read(...ten).varint()),
      'bad varint: the input ends here at byte 0',
    );
    assert.equal(
      failure(() => read().varint()),
      'bad varint: the input ends here at byte 0',
    );
  });
});

describe('WireReader', () => {
  it('never leaves its end', () => {
    assert.match(
      failure(() => read(0x05, 1, 2).extent()),
      /^a field of 5 bytes does not fit its message at byte 1$/,
    );
    assert.match(
      failure(() => read(0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01, 0).extent()),
      /does not fit/,
    );
    assert.match(
      failure(() => read(1, 2, 3).skip(5)),
      /not enough data/,
    );
    assert.match(
      failure(() => read(1, 2, 3, 4, 5, 6, 7).skip(1)),
      /not enough data/,
    );
    for (const type of [3, 4, 6, 7])
      assert.match(
        failure(() => read(1).skip(type)),
        new RegExp(`wire type ${type}`),
      );
  });

  it('skips a field of any kind', () => {
    for (const [type, bytes, size] of [
      [0, [0x80, 0x01], 2],
      [1, [1, 2, 3, 4, 5, 6, 7, 8], 8],
      [2, [2, 9, 9], 3],
      [5, [1, 2, 3, 4], 4],
    ] as const) {
      const reader = read(...bytes, 0);
      reader.skip(type);
      assert.equal(reader.at, size);
    }
  });

  it('adds the place of its bytes to an error', () => {
    const reader = read(0x80);
    reader.base = 1000;
    assert.equal(
      failure(() => reader.varint()),
      'bad varint: the input ends here at byte 1000',
    );
  });
});

describe('WireWriter', () => {
  it('leaves zero out, and grows', () => {
    const writer = new WireWriter();
    writer.optional(1, 0);
    writer.optional(2, 0n);
    assert.equal(writer.length, 0);
    writer.optional(1, -1);
    assert.deepEqual([...writer.view()], [8, ...Array<number>(9).fill(0xff), 1]);
    writer.clear();
    writer.bytesField(6, new Uint8Array(10_000).fill(7));
    assert.deepEqual([...writer.view().subarray(0, 4)], [0x32, 0x90, 0x4e, 7]);
    assert.equal(writer.length, 10_003);
  });
});
