import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ALERT_RULES, corootSeesLeak, lineThrough, type Point } from './alert-rules.ts';

/** A scrape every 15 s. */
function scrapes(minutes: number, valueAt: (minute: number) => number): Point[] {
  return Array.from({ length: minutes * 4 + 1 }, (_, i) => ({ seconds: i * 15, value: valueAt(i / 4) }));
}

function says(rule: string, metric: string, points: readonly Point[]): boolean | undefined {
  return ALERT_RULES[rule](new Map([[metric, points]]));
}

describe('lineThrough', () => {
  it('finds the slope per second and the value at the end', () => {
    const { slope, last } = lineThrough(scrapes(5, minute => 100 + 60 * minute));
    assert.ok(Math.abs(slope - 1) < 1e-9);
    assert.ok(Math.abs(last - 400) < 1e-9);
  });
});

describe('common rules', () => {
  it('compare a level', () => {
    const rule = 'go_goroutines > 1000';
    assert.equal(
      says(
        rule,
        'go_goroutines',
        scrapes(10, () => 1001),
      ),
      true,
    );
    assert.equal(
      says(
        rule,
        'go_goroutines',
        scrapes(10, minute => 10 * minute),
      ),
      false,
    );
    assert.equal(
      says(
        rule,
        'something_else',
        scrapes(10, () => 1001),
      ),
      undefined,
    );
  });

  it('alert on a slope that holds for five minutes', () => {
    const rule = 'deriv(go_goroutines[5m]) > 0 for 5m';
    assert.equal(
      says(
        rule,
        'go_goroutines',
        scrapes(12, minute => 10 + minute),
      ),
      true,
    );
    assert.equal(
      says(
        rule,
        'go_goroutines',
        scrapes(12, () => 10),
      ),
      false,
    );
    const falls = scrapes(12, minute => (minute < 6 ? 10 + minute : 16 - minute));
    assert.equal(says(rule, 'go_goroutines', falls), false);
  });

  it('predict what will be in a day', () => {
    const rule = 'predict_linear(resident[10m], 24h) > 1Gi';
    assert.equal(
      says(
        rule,
        'process_resident_memory_bytes',
        scrapes(12, minute => 50e6 + minute * 1e6),
      ),
      true,
    );
    assert.equal(
      says(
        rule,
        'process_resident_memory_bytes',
        scrapes(12, minute => 50e6 + minute * 1e5),
      ),
      false,
    );
  });

  it("are as strict as Coroot's: 50 MB/h, 10 %/h, still rising at the end, a fall by half begins anew", () => {
    assert.equal(corootSeesLeak(scrapes(60, minute => 100e6 + minute * 1e6)), true);
    assert.equal(corootSeesLeak(scrapes(60, minute => 100e6 + minute * 0.7e6)), false);
    assert.equal(corootSeesLeak(scrapes(60, minute => 1e9 + minute * 1e6)), false);
    assert.equal(corootSeesLeak(scrapes(60, minute => 100e6 + Math.min(minute, 40) * 1e6)), false);
    const restarted = scrapes(60, minute => (minute < 20 ? 400e6 : 100e6 + (minute - 20) * 1e6));
    assert.equal(corootSeesLeak(restarted), true);
  });
});
