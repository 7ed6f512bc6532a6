import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { abs64, int64Column, Int64ColumnBuilder, roundHalfAway, truncateToInt64 } from './int64.ts';

const MIN = -(2n ** 63n);
const MAX = 2n ** 63n - 1n;

/** Numbers around every edge that matters: 0, 2^31, 2^32, 2^53, 2^63. */
const int64 = fc.oneof(
  fc.bigInt({ min: MIN, max: MAX }),
  fc.bigInt({ min: -100n, max: 100n }),
  fc
    .tuple(fc.constantFrom(31n, 32n, 52n, 53n, 62n), fc.bigInt({ min: -2n, max: 2n }), fc.boolean())
    .map(([bits, delta, negative]) => (negative ? -(2n ** bits) - delta : 2n ** bits + delta)),
  fc.constantFrom(MIN, MAX),
);

const isSafe = (value: bigint): boolean => value >= -(2n ** 53n) + 1n && value <= 2n ** 53n - 1n;

describe('Int64ColumnBuilder', () => {
  it('keeps every value exactly, given as halves or whole', () => {
    fc.assert(
      fc.property(fc.array(int64, { maxLength: 100 }), values => {
        const whole = new Int64ColumnBuilder(0);
        const halves = new Int64ColumnBuilder(0);
        for (const value of values) {
          whole.push(isSafe(value) ? Number(value) : value);
          const bits = BigInt.asUintN(64, value);
          halves.pushHalves(Number(bits & 0xffffffffn), Number(bits >> 32n));
        }
        for (const column of [whole.finish(), halves.finish(), int64Column(values)]) {
          assert.deepEqual(Array.from(column, BigInt), values);
        }
      }),
    );
  });

  it('is a Float64Array as long as that is exact', () => {
    fc.assert(
      fc.property(fc.array(int64), values => {
        assert.equal(int64Column(values) instanceof Float64Array, values.every(isSafe));
      }),
    );
  });
});

describe('truncateToInt64', () => {
  it('converts as Go does on amd64', () => {
    const cases: readonly (readonly [number, bigint])[] = [
      [0, 0n],
      [-0, 0n],
      [1.9, 1n],
      [-1.9, -1n],
      [2 ** 53, 2n ** 53n],
      [2 ** 63, MIN],
      [-(2 ** 63), MIN],
      [1e300, MIN],
      [-1e300, MIN],
      [Infinity, MIN],
      [NaN, MIN],
      [9223372036854774784, 9223372036854774784n],
    ];
    for (const [value, want] of cases) assert.equal(truncateToInt64(value), want, String(value));
  });
});

describe('roundHalfAway', () => {
  it('is math.Round', () => {
    const cases: readonly (readonly [number, number])[] = [
      [0.5, 1],
      [-0.5, -1],
      [1.5, 2],
      [2.5, 3],
      [-2.5, -3],
      [0.49999999999999994, 0],
      [2 ** 52 + 0.5, 2 ** 52 + 0.5],
      [1e300, 1e300],
    ];
    for (const [value, want] of cases) assert.equal(roundHalfAway(value) + 0, want, String(value));
  });
});

it('abs64 leaves the minimum as it is', () => {
  assert.deepEqual([5n, -5n, 0n, MIN, MAX].map(abs64), [5n, 5n, 0n, MIN, MAX]);
});
