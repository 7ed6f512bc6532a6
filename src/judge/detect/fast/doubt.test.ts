import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { riseCourse } from './rise-course.ts';
import { straightRise } from './straight-rise.ts';
import { doubtOf, isSteady } from './proof.ts';

const BINS = 120;

/** A level of 100 to 400 within two hours; `shareAt` goes from 0 to 1. */
function doubtAbout(shareAt: (passed: number) => number): number {
  const values = Float64Array.from({ length: BINS }, (_, i) => 100 + 300 * shareAt((i + 1) / BINS));
  const rise = straightRise(values, 0, BINS);
  assert.ok(rise !== undefined);
  return doubtOf(rise, riseCourse(values, rise));
}

describe('the doubt that a shape leaves', () => {
  it('is none for a line, and little for batches', () => {
    assert.equal(
      doubtAbout(passed => passed),
      0,
    );
    assert.ok(doubtAbout(passed => Math.floor(passed * 30) / 30) < 0.05);
  });

  it('is larger the more a rise slows down', () => {
    const doubts = [0.5, 2, 4].map(speed =>
      doubtAbout(passed => (1 - Math.exp(-speed * passed)) / (1 - Math.exp(-speed))),
    );
    assert.ok(doubts[0] < doubts[1] && doubts[1] < doubts[2] && doubts[2] > 0.5, doubts.join(' '));
  });

  it('is large for one that has stopped, for one that came at once, and for one that fell in between', () => {
    const shapes: Record<string, (passed: number) => number> = {
      stopped: passed => Math.min(1, passed / 0.8),
      'at once': passed => (passed < 0.5 ? 0.1 * passed : 0.9 + 0.1 * passed),
      fell: passed => passed - (passed > 0.4 && passed < 0.6 ? 0.35 : 0),
    };
    for (const [name, shape] of Object.entries(shapes)) assert.ok(doubtAbout(shape) > 0.25, name);
  });
});

describe('a rise of days', () => {
  it('is steady if it is a line, not if it was flat or fills up', () => {
    const steady = (levelAt: (bin: number) => number): boolean => {
      const rise = straightRise(
        Float64Array.from({ length: BINS }, (_, i) => levelAt(i)),
        0,
        BINS,
      );
      assert.ok(rise !== undefined);
      return isSteady(rise);
    };
    assert.ok(steady(bin => 100 + bin));
    assert.ok(!steady(bin => 100 + Math.max(0, bin - 60)));
    assert.ok(!steady(bin => 200 - 100 * Math.exp(-bin / 30)));
  });
});
