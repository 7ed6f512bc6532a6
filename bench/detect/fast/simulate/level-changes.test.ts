import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { diceFrom } from '../../simulate/dice.ts';
import { beginCourse, type Course } from './course.ts';
import { drawCacheFill, drawSeason, layCacheFill, laySeason, layStep } from './level-changes.ts';
import { drawApplication } from './process-traits.ts';
import { drawWarmUp, warmth } from './warm-up.ts';

const SEEDS = Array.from({ length: 40 }, (_, seed) => seed);

function emptyCourse(seed: number, minutes: number, restarts: readonly number[] = []): Course {
  const dice = diceFrom(seed);
  const traits = { ...drawApplication('application-0', dice), seasonShare: 0 };
  return beginCourse(traits, { fleetMinute: 0, minutes, ageMinutes: 9000, restarts }, dice);
}

describe('changes of the level', () => {
  it('steps stay', () => {
    for (const seed of SEEDS) {
      const course = emptyCourse(seed, 300);
      layStep(course, 100.5, diceFrom(seed));
      const change = Math.max(...[course.goroutineFactor, course.heapFactor].map(factor => Math.abs(factor[299] - 1)));
      assert.ok(change >= 0.06 && change <= 0.6, `${change}`);
      assert.deepEqual([course.goroutineFactor[100], course.goroutineFactor[111]], [1, course.goroutineFactor[299]]);
    }
  });

  it('a cache fills to its bound in its time, and again after a restart', () => {
    for (const seed of SEEDS) {
      const course = emptyCourse(seed, 4000, [3000]);
      const fill = drawCacheFill(diceFrom(seed));
      assert.ok(fill.by >= 0.3 && fill.by <= 1.5 && fill.fillMinutes >= 180 && fill.fillMinutes <= 1440);
      layCacheFill(course, course.heapFactor, 10, Infinity, fill);
      const at = (minute: number): number => (course.heapFactor[Math.ceil(minute)] - 1) / fill.by;
      assert.ok(at(10 + fill.fillMinutes) > 0.94 && at(10 + fill.fillMinutes / 2) < 0.8);
      assert.ok(course.heapFactor[2999] <= 1 + fill.by && course.heapFactor[3000] === 1);
    }
  });

  it('the day is as far above the night as the season says', () => {
    for (const seed of SEEDS) {
      const course = emptyCourse(seed, 3 * 1440);
      const season = drawSeason(diceFrom(seed));
      laySeason(course, season, diceFrom(seed));
      const sorted = course.goroutineFactor.slice().sort();
      const ratio = sorted[sorted.length - 1] / sorted[0];
      assert.ok(Math.abs((ratio - 1) / (season.dayOverNight - 1) - 1) < 0.2, `${ratio} for ${season.dayOverNight}`);
      for (let minute = 1; minute < course.minutes; minute++) {
        const jump = Math.abs(course.goroutineFactor[minute] - course.goroutineFactor[minute - 1]);
        assert.ok(jump < 0.05, `a jump of ${jump}`);
      }
    }
  });

  it('a process is warm after its warm-up', () => {
    for (const seed of SEEDS) {
      const warmUp = drawWarmUp(diceFrom(seed));
      assert.ok(Math.abs(warmth(warmUp, 0) - warmUp.startShare) < 1e-9);
      assert.ok(Math.abs(warmth(warmUp, warmUp.minutes) - 1) < 0.06);
      assert.ok(Math.abs(warmth(warmUp, warmUp.minutes * 4) - 1) < 1e-4);
    }
  });
});
