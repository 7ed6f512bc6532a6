import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { Uint32ColumnBuilder, Uint64ColumnBuilder } from './columns.ts';

it('Uint32ColumnBuilder keeps items that are pushed or written past `length`', () => {
  const item = fc.integer({ min: 0, max: 0xffffffff });
  fc.assert(
    fc.property(fc.array(fc.array(item, { maxLength: 40 })), groups => {
      const builder = new Uint32ColumnBuilder(0);
      groups.forEach((group, g) => {
        if (g % 2 === 0) for (const value of group) builder.push(value);
        else {
          builder.reserve(group.length);
          for (const value of group) builder.items[builder.length++] = value;
        }
      });
      assert.deepEqual([...builder.finish()], groups.flat());
    }),
  );
});

it('Uint64ColumnBuilder joins halves', () => {
  fc.assert(
    fc.property(fc.array(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n })), values => {
      const builder = new Uint64ColumnBuilder();
      for (const value of values) builder.pushHalves(Number(value & 0xffffffffn), Number(value >> 32n));
      assert.equal(builder.length, values.length);
      assert.deepEqual([...builder.finish()], values);
    }),
  );
});
