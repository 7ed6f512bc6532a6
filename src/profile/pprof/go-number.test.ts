import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { formatFixed2, formatGeneral2 } from './measurement.ts';

/** What Go 1.26's fmt prints: value, %.2f, %.2g. Exact ties go to the even digit. */
const GO: readonly (readonly [value: number, fixed: string, general: string])[] = [
  [0, '0.00', '0'],
  [-0, '-0.00', '-0'],
  [1, '1.00', '1'],
  [-1, '-1.00', '-1'],
  [0.005, '0.01', '0.005'],
  [0.015, '0.01', '0.015'],
  [0.125, '0.12', '0.12'],
  [0.375, '0.38', '0.38'],
  [0.625, '0.62', '0.62'],
  [0.875, '0.88', '0.88'],
  [1.125, '1.12', '1.1'],
  [2.375, '2.38', '2.4'],
  [-0.125, '-0.12', '-0.12'],
  [-0.375, '-0.38', '-0.38'],
  [1.005, '1.00', '1'],
  [2.675, '2.67', '2.7'],
  [1e-7, '0.00', '1e-07'],
  [123.455, '123.45', '1.2e+02'],
  [99.995, '100.00', '1e+02'],
  [999.995, '1000.00', '1e+03'],
  [1234567.125, '1234567.12', '1.2e+06'],
  [1234567.375, '1234567.38', '1.2e+06'],
  [0.995, '0.99', '0.99'],
  [9.995, '9.99', '10'],
  [0.045, '0.04', '0.045'],
  [0.035, '0.04', '0.035'],
  [0.25, '0.25', '0.25'],
  [0.0995, '0.10', '0.1'],
  [0.00095, '0.00', '0.00095'],
  [9.5e-5, '0.00', '9.5e-05'],
  [1.234e-5, '0.00', '1.2e-05'],
  [10.5, '10.50', '10'],
  [11.5, '11.50', '12'],
  [12.5, '12.50', '12'],
  [99.4, '99.40', '99'],
  [99.5, '99.50', '1e+02'],
  [100, '100.00', '1e+02'],
  [105, '105.00', '1e+02'],
  [1e21, '1000000000000000000000.00', '1e+21'],
  [1e22, '10000000000000000000000.00', '1e+22'],
  [12345678901234567890, '12345678901234567168.00', '1.2e+19'],
  [0.00012345, '0.00', '0.00012'],
  [0.0001, '0.00', '0.0001'],
  [1e-5, '0.00', '1e-05'],
  [5e-324, '0.00', '4.9e-324'],
  [562949953421312.125, '562949953421312.12', '5.6e+14'],
  [562949953421311.375, '562949953421311.38', '5.6e+14'],
  [-2.5, '-2.50', '-2.5'],
  [0.0625, '0.06', '0.062'],
  [0.09375, '0.09', '0.094'],
];

describe('formatFixed2', () => {
  it('prints what Go prints', () => {
    for (const [value, fixed] of GO) assert.equal(formatFixed2(value), fixed, String(value));
    assert.deepEqual([Infinity, -Infinity, NaN].map(formatFixed2), ['+Inf', '-Inf', 'NaN']);
  });

  it('is never further from the value than half a hundredth', () => {
    fc.assert(
      fc.property(fc.double({ min: -1e12, max: 1e12, noNaN: true }), value => {
        const error = Math.abs(Number(formatFixed2(value)) - value);
        assert.ok(error <= 0.005 + Math.abs(value) * 2 ** -52);
      }),
    );
  });

  it('rounds every eighth to the even hundredth', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 50 - 1 }), n => {
        const text = formatFixed2(n + 0.125);
        assert.equal(text, `${n}.12`);
        assert.equal(formatFixed2(-n - 0.375), `-${n}.38`);
      }),
    );
  });
});

describe('formatGeneral2', () => {
  it('prints what Go prints', () => {
    for (const [value, , general] of GO) assert.equal(formatGeneral2(value), general, String(value));
  });
});
