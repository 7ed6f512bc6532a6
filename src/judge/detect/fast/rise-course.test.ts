import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { riseCourse, type RiseCourse } from './rise-course.ts';
import { straightRise } from './straight-rise.ts';

function courseOf(levelAt: (minute: number) => number, minutes = 120): RiseCourse {
  const values = Float64Array.from({ length: minutes }, (_, minute) => levelAt(minute));
  const rise = straightRise(values, 0, minutes);
  assert.ok(rise !== undefined);
  return riseCourse(values, rise);
}

describe('the course of a rise', () => {
  it('of a line, and of batches, has no falls', () => {
    const { bins, fall } = courseOf(minute => 100 + 3 * minute);
    assert.ok(Math.abs(bins - 120) < 5, `${bins}`);
    assert.equal(fall, 0);
    assert.equal(courseOf(minute => 100 + 60 * Math.floor(minute / 20)).fall, 0);
  });

  it('of two storms that follow each other falls in between', () => {
    const storm = (age: number): number =>
      age < 0 ? 0 : 200 * Math.min(1, age / 30) * Math.exp(-Math.max(0, age - 30) / 20);
    const { fall } = courseOf(minute => 100 + storm(minute) + 1.5 * storm(minute - 70));
    assert.ok(fall > 0.2, `${fall}`);
  });

  it('begins where the level leaves its foot, and ends where it has landed', () => {
    const { bins } = courseOf(minute => 100 + 400 * Math.min(1, Math.max(0, minute - 50) / 50));
    assert.ok(Math.abs(bins - 50) < 5, `${bins}`);
  });

  it('is not changed by a single point', () => {
    assert.equal(courseOf(minute => (minute === 60 ? 10 : 100 + 3 * minute)).fall, 0);
  });
});
