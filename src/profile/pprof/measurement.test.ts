import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { label, percentage, sameUnitFamily, scale, scaledLabel } from './measurement.ts';

/**
 * The output of `go tool pprof -unit=TO` of Go 1.26 for values in FROM, as `value=text`. Powers of two make exact ties.
 */
const GO: readonly (readonly [from: string, to: string, rows: string])[] = [
  [
    'bytes',
    'minimum',
    `1=1B 1023=1023B 1024=1kB 1536=1.50kB 131072=128kB 393216=384kB 655360=640kB 1048576=1MB 5242885=5MB
     1073741824=1GB 1099511627776=1TB 1125899906842624=1PB 9223372036854775807=8192PB -1536=-1.50kB`,
  ],
  [
    'bytes',
    'auto',
    `1=1B 1023=1023B 1024=1kB 1536=1.50kB 131072=128kB 393216=384kB 655360=640kB 1048576=1MB 5242885=5MB
     1073741824=1GB 1099511627776=1TB 1125899906842624=1PB 9223372036854775807=8192PB -1536=-1.50kB`,
  ],
  [
    'bytes',
    'B',
    `1=1B 1023=1023B 1024=1024B 1536=1536B 131072=131072B 393216=393216B 655360=655360B 1048576=1048576B
     5242885=5242885B 1073741824=1073741824B 1099511627776=1099511627776B
     1125899906842624=1125899906842624B 9223372036854775807=9223372036854775808B -1536=-1536B`,
  ],
  [
    'bytes',
    'kb',
    `1=0 1023=1kB 1024=1kB 1536=1.50kB 131072=128kB 393216=384kB 655360=640kB 1048576=1024kB
     5242885=5120kB 1073741824=1048576kB 1099511627776=1073741824kB 1125899906842624=1099511627776kB
     9223372036854775807=9007199254740992kB -1536=-1.50kB`,
  ],
  [
    'bytes',
    'MB',
    `1=0 1023=0 1024=0 1536=0 131072=0.12MB 393216=0.38MB 655360=0.62MB 1048576=1MB 5242885=5MB
     1073741824=1024MB 1099511627776=1048576MB 1125899906842624=1073741824MB
     9223372036854775807=8796093022208MB -1536=0`,
  ],
  [
    'bytes',
    'ms',
    `1=1B 1023=1023B 1024=1024B 1536=1536B 131072=131072B 393216=393216B 655360=655360B 1048576=1048576B
     5242885=5242885B 1073741824=1073741824B 1099511627776=1099511627776B
     1125899906842624=1125899906842624B 9223372036854775807=9223372036854775808B -1536=-1536B`,
  ],
  [
    'bytes',
    'count',
    `1=1B 1023=1023B 1024=1024B 1536=1536B 131072=131072B 393216=393216B 655360=655360B 1048576=1048576B
     5242885=5242885B 1073741824=1073741824B 1099511627776=1099511627776B
     1125899906842624=1125899906842624B 9223372036854775807=9223372036854775808B -1536=-1536B`,
  ],
  [
    'bytes',
    'bogus',
    `1=1B 1023=1023B 1024=1024B 1536=1536B 131072=131072B 393216=393216B 655360=655360B 1048576=1048576B
     5242885=5242885B 1073741824=1073741824B 1099511627776=1099511627776B
     1125899906842624=1125899906842624B 9223372036854775807=9223372036854775808B -1536=-1536B`,
  ],
  ['kilobytes', 'auto', '1=1kB 1024=1MB 1536=1.50MB'],
  ['kilobytes', 'bytes', '1=1024B 1024=1048576B 1536=1572864B'],
  ['kilobytes', 'MB', '1=0 1024=1MB 1536=1.50MB'],
  [
    'nanoseconds',
    'auto',
    `1=1ns 999=999ns 1000=1us 1500=1.50us 125000=125us 1000000=1ms 1005000=1ms 1000000000=1s
     59999999999=60s 3600000000000=1hrs 5400000000000=1.50hrs 86400000000000=24hrs`,
  ],
  [
    'nanoseconds',
    'ns',
    `1=1ns 999=999ns 1000=1000ns 1500=1500ns 125000=125000ns 1000000=1000000ns 1005000=1005000ns
     1000000000=1000000000ns 59999999999=59999999999ns 3600000000000=3600000000000ns
     5400000000000=5400000000000ns 86400000000000=86400000000000ns`,
  ],
  [
    'nanoseconds',
    'us',
    `1=0 999=1us 1000=1us 1500=1.50us 125000=125us 1000000=1000us 1005000=1005us 1000000000=1000000us
     59999999999=60000000us 3600000000000=3600000000us 5400000000000=5400000000us
     86400000000000=86400000000us`,
  ],
  [
    'nanoseconds',
    'ms',
    `1=0 999=0 1000=0 1500=0 125000=0.12ms 1000000=1ms 1005000=1ms 1000000000=1000ms 59999999999=60000ms
     3600000000000=3600000ms 5400000000000=5400000ms 86400000000000=86400000ms`,
  ],
  [
    'nanoseconds',
    's',
    `1=0 999=0 1000=0 1500=0 125000=0 1000000=0 1005000=0 1000000000=1s 59999999999=60s
     3600000000000=3600s 5400000000000=5400s 86400000000000=86400s`,
  ],
  [
    'nanoseconds',
    'seconds',
    `1=0 999=0 1000=0 1500=0 125000=0 1000000=0 1005000=0 1000000000=1s 59999999999=60s
     3600000000000=3600s 5400000000000=5400s 86400000000000=86400s`,
  ],
  [
    'nanoseconds',
    'hrs',
    `1=0 999=0 1000=0 1500=0 125000=0 1000000=0 1005000=0 1000000000=0 59999999999=0.02hrs
     3600000000000=1hrs 5400000000000=1.50hrs 86400000000000=24hrs`,
  ],
  [
    'nanoseconds',
    'bytes',
    `1=0 999=0 1000=0 1500=0 125000=0 1000000=0 1005000=0 1000000000=1s 59999999999=60s
     3600000000000=3600s 5400000000000=5400s 86400000000000=86400s`,
  ],
  ['us', 'auto', '1=1us 1000=1ms 3600000000=1hrs'],
  ['us', 'ms', '1=0 1000=1ms 3600000000=3600000ms'],
  ['μs', 'auto', '1=1 1000=1000'],
  ['seconds', 'auto', '1=1s 60=60s 3600=1hrs 7200=2hrs'],
  ['seconds', 'ms', '1=1000ms 60=60000ms 3600=3600000ms 7200=7200000ms'],
  ['seconds', 'hour', '1=0 60=0.02hrs 3600=1hrs 7200=2hrs'],
  ['count', 'auto', `1=1 1000=1000 1048576=1048576 9007199254740993=9007199254740992`],
  ['count', 'count', `1=1 1000=1000 1048576=1048576 9007199254740993=9007199254740992`],
  ['count', 'unit', `1=1 1000=1000 1048576=1048576 9007199254740993=9007199254740992`],
  ['count', 'things', `1=1things 1000=1000things 1048576=1048576things 9007199254740993=9007199254740992things`],
  ['GCU', 'auto', '1=1GCU 1000=1k*GCU 1500=1.50k*GCU 1000000=1M*GCU'],
  ['GCU', 'kilogcu', '1=0 1000=1k*GCU 1500=1.50k*GCU 1000000=1000k*GCU'],
  ['GCU', 'milligcu', `1=1000m*GCU 1000=1000000m*GCU 1500=1500000m*GCU 1000000=1000000000m*GCU`],
  ['widgets', 'auto', '1=1 1024=1024'],
  ['widgets', 'bytes', '1=1bytes 1024=1024bytes'],
  ['widgets', 'widgets', '1=1widgets 1024=1024widgets'],
];

describe('scaledLabel', () => {
  for (const [from, to, rows] of GO) {
    it(`${from} in ${to}`, () => {
      for (const row of rows.split(/\s+/)) {
        const [value, text] = row.split('=');
        assert.equal(scaledLabel(BigInt(value), from, to), text, row);
      }
    });
  }

  it('takes numbers and bigints alike', () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), fc.constantFrom('bytes', 'ns', 'count', 'GCU'), (value, unit) => {
        assert.equal(label(value, unit), label(BigInt(value), unit));
        const positive = label(Math.abs(value), unit);
        assert.equal(label(-Math.abs(value), unit), positive === '0' ? '0' : `-${positive}`);
      }),
    );
  });
});

describe('scale', () => {
  it('treats the smallest of all numbers specially', () => {
    assert.deepEqual(scale(-(2n ** 63n), 'bytes', 'auto'), { value: -9223372036854775808, unit: 'B' });
  });

  it('uses the plural, except for short units', () => {
    assert.deepEqual(scale(1, 'hours', 'second'), { value: 3600, unit: 's' });
    assert.deepEqual(scale(1, 'MS', 'us'), { value: 1000, unit: 'us' });
    assert.deepEqual(scale(2, 'Sec', 'ms'), { value: 2000, unit: 'ms' });
  });
});

describe('percentage', () => {
  it('has five characters or more, and shows 100% only for the total', () => {
    const cases: readonly (readonly [number | bigint, number | bigint, string])[] = [
      [0, 0, '    0%'],
      [5, 0, '    0%'],
      [0, 7, '    0%'],
      [1, 1, '  100%'],
      [9994, 10000, '99.94%'],
      [9995, 10000, '  100%'],
      [10005, 10000, '  100%'],
      [10006, 10000, '100.06%'],
      [1, 3, '33.33%'],
      [-1, 3, '33.33%'],
      [1, -3, '33.33%'],
      [1, 800, ' 0.12%'],
      [3, 800, ' 0.38%'],
      [1, 100, ' 1.00%'],
      [1, 1000, '  0.1%'],
      [1, 100000, '0.001%'],
      [1, 10 ** 9, '1e-07%'],
      [10n ** 18n, 10n ** 16n, '10000.00%'],
    ];
    for (const [value, total, want] of cases) assert.equal(percentage(value, total), want, `${value} of ${total}`);
  });
});

it('sameUnitFamily', () => {
  for (const [a, b, same] of [
    ['bytes', 'MB', true],
    ['ns', 'hours', true],
    ['ns', 'bytes', false],
    ['count', 'count', false],
    ['GCU', 'milligcu', true],
  ] as const) {
    assert.equal(sameUnitFamily(a, b), same, `${a} ${b}`);
  }
});
