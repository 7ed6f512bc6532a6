import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MIDDLE_EVERY } from './fine-column.ts';
import { RateColumn } from './rate-column.ts';

describe('a rate over two days', () => {
  it('has quantiles that one burst does not move', () => {
    const column = new RateColumn();
    const rates = [1, 2, 3, 90, 2];
    rates.forEach((rate, bin) => column.add(bin * MIDDLE_EVERY, rate));
    column.advance(rates.length * MIDDLE_EVERY);
    assert.equal(column.quantileOf(0.5, 0, rates.length), 2);
    assert.equal(column.meanOf(0, rates.length), 19.6);
    assert.ok(Number.isNaN(column.quantileOf(0.5, 0, 0)));
  });
});
