import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { sparkline } from './detect-text.ts';

describe('sparkline', () => {
  it('rises with the values, from the lowest to the highest', () => {
    assert.equal(sparkline([1, 2, 3, 4, 5, 6, 7, 8], { width: 8 }), '▁▂▃▄▅▆▇█');
    assert.equal(sparkline([1, 2, 3, 4, 5, 6, 7, 8], { width: 8, ascii: true }), '.:-=+*#@');
    assert.equal(sparkline([1, 1, 8, 8], { width: 2 }), '▁█');
  });

  it('leaves gaps for unknown values and draws noise flat', () => {
    assert.equal(sparkline([1, null, 2], { width: 3 }), '▁ █');
    assert.equal(sparkline([1000, 1001, 1000, 1002], { width: 4 }), '▁▁▁▁');
    assert.equal(sparkline([0, 0], { width: 2 }), '▁▁');
    assert.equal(sparkline([null, null], { width: 2 }), '');
    assert.equal(sparkline([], { width: 5 }), '');
  });

  it('has a character for each column, whatever the values', () => {
    const value = fc.option(fc.double({ noNaN: true, min: -1e300, max: 1e300 }));
    fc.assert(
      fc.property(
        fc.array(value, { minLength: 1, maxLength: 60 }),
        fc.integer({ min: 1, max: 40 }),
        (values, width) => {
          const drawn = sparkline(values, { width });
          const empty = values.every(one => one === null);
          assert.equal(drawn.length, empty ? 0 : Math.min(width, values.length));
          assert.match(drawn, /^[▁▂▃▄▅▆▇█ ]*$/);
        },
      ),
    );
  });
});
