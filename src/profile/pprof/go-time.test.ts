import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { goDurationText, goTimeText } from './go-time.ts';

function inZone<T>(zone: string, run: () => T): T {
  const before = process.env['TZ'];
  process.env['TZ'] = zone;
  try {
    return run();
  } finally {
    if (before === undefined) delete process.env['TZ'];
    else process.env['TZ'] = before;
  }
}

describe('goTimeText', () => {
  const winter = 1610639183123000000n;
  const summer = 1626277583000000001n;

  // As Go prints them.
  const cases: [zone: string, winter: string, summer: string][] = [
    ['UTC', '2021-01-14 15:46:23.123 +0000 UTC', '2021-07-14 15:46:23.000000001 +0000 UTC'],
    ['Europe/Berlin', '2021-01-14 16:46:23.123 +0100 CET', '2021-07-14 17:46:23.000000001 +0200 CEST'],
    ['America/New_York', '2021-01-14 10:46:23.123 -0500 EST', '2021-07-14 11:46:23.000000001 -0400 EDT'],
    ['Asia/Tokyo', '2021-01-15 00:46:23.123 +0900 JST', '2021-07-15 00:46:23.000000001 +0900 JST'],
    ['America/Sao_Paulo', '2021-01-14 12:46:23.123 -0300 -03', '2021-07-14 12:46:23.000000001 -0300 -03'],
    ['Asia/Kolkata', '2021-01-14 21:16:23.123 +0530 IST', '2021-07-14 21:16:23.000000001 +0530 IST'],
  ];
  for (const [zone, inWinter, inSummer] of cases) {
    it(`in ${zone}`, () => {
      assert.equal(
        inZone(zone, () => goTimeText(winter)),
        inWinter,
      );
      assert.equal(
        inZone(zone, () => goTimeText(summer)),
        inSummer,
      );
    });
  }

  it('before 1970', () => {
    assert.equal(
      inZone('UTC', () => goTimeText(-1n)),
      '1969-12-31 23:59:59.999999999 +0000 UTC',
    );
  });
});

it('goDurationText', () => {
  const cases: [nanos: bigint, text: string][] = [
    [0n, '0s'],
    [7n, '7ns'],
    [1_500n, '1.5µs'],
    [20_000_000n, '20ms'],
    [10_000_000_000n, '10s'],
    [30_070_000_000n, '30.07s'],
    [60_000_000_000n, '1m0s'],
    [3_723_500_000_000n, '1h2m3.5s'],
    [-1_000_000_000n, '-1s'],
    [-9223372036854775808n, '-2562047h47m16.854775808s'],
  ];
  for (const [nanos, text] of cases) assert.equal(goDurationText(nanos), text);
});
