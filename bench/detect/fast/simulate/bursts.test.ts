import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { diceFrom, type Dice } from '../../simulate/dice.ts';
import {
  drawBatchJob,
  drawExecStorm,
  drawHang,
  drawPodWave,
  layBatchJob,
  layExecStorm,
  layHang,
  layPodWave,
  layReconnect,
  layRelist,
} from './bursts.ts';
import { beginCourse, type Course } from './course.ts';
import { drawKubeletPool, type ProcessTraits } from './process-traits.ts';

const AT = 100.5;
const TIMES = 40;

interface Scene {
  readonly course: Course;
  readonly traits: ProcessTraits;
  readonly dice: Dice;
}

/** A kubelet to which nothing has happened yet. */
function scene(seed: number, restarts: readonly number[] = []): Scene {
  const dice = diceFrom(seed);
  const traits: ProcessTraits = { ...drawKubeletPool('pool-0', dice), startsPerHour: 0, seasonShare: 0 };
  return {
    course: beginCourse(traits, { fleetMinute: 0, minutes: 6000, ageMinutes: 9000, restarts }, dice),
    traits,
    dice,
  };
}

function scenes(): Scene[] {
  return Array.from({ length: TIMES }, (_, seed) => scene(seed));
}

function between(value: number, least: number, most: number, what: string): void {
  assert.ok(value >= least && value <= most, `${what}: ${value} is not within ${least} and ${most}`);
}

const most = (column: Float64Array): number => column.reduce((a, b) => Math.max(a, b));

describe('bursts are as high and as long as they claim', () => {
  it('exec storms', () => {
    for (const { course, traits, dice } of scenes()) {
      const storm = drawExecStorm(traits, dice);
      between(storm.goroutines, 60, 500, 'asked');
      layExecStorm(course, AT, storm, dice);
      between(most(course.goroutines), 0.6 * storm.goroutines, 1.5 * storm.goroutines, 'height');
      const gone = Math.ceil(AT + storm.arriveMinutes + storm.decayMinutes) + 1;
      assert.equal(course.goroutines[100], 0);
      assert.equal(most(course.goroutines.subarray(gone)), 0);
      const half = course.goroutines[Math.ceil(AT + storm.arriveMinutes + 0.6 * storm.decayMinutes)];
      assert.ok(half < 0.5 * storm.goroutines, 'decays');
    }
  });

  it('reconnects', () => {
    for (const { course, traits, dice } of scenes()) {
      layReconnect(course, traits, AT, 1, dice);
      between(most(course.goroutines) / traits.goroutines, 0.08, 0.66, 'goroutines');
      between(most(course.heapBytes) / traits.heapBytes, 0.02, 0.25, 'heap');
      assert.equal(most(course.goroutines.subarray(Math.ceil(AT) + 125)), 0);
      assert.ok(most(course.reconnects) >= 2);
    }
  });

  it('pod waves', () => {
    for (const { course, dice } of scenes()) {
      const before = course.pods.slice();
      const wave = drawPodWave(dice);
      layPodWave(course, AT, wave, dice);
      const added = course.pods.map((pods, minute) => pods - before[minute]);
      assert.equal(most(added), wave.pods);
      between(wave.pods, 15, 40, 'pods');
      assert.equal(added[Math.ceil(AT + wave.arriveMinutes) + 1], wave.pods);
      const gone = Math.ceil(AT + wave.arriveMinutes + wave.stayMinutes + wave.leaveMinutes) + 1;
      assert.equal(most(added.subarray(gone)), 0);
    }
  });

  it('relists', () => {
    for (const { course, traits, dice } of scenes()) {
      layRelist(course, traits, AT, dice);
      between(most(course.heapBytes) / traits.heapBytes, 0.2, 0.6, 'heap');
      between(course.heapBytes.filter(bytes => bytes > 0).length, 7, 64, 'minutes');
    }
  });

  it('batch jobs', () => {
    for (const { course, traits, dice } of scenes()) {
      layBatchJob(course, traits, AT, drawBatchJob(dice), dice);
      const shares = [most(course.goroutines) / traits.goroutines, most(course.heapBytes) / traits.heapBytes];
      between(Math.max(...shares), 0.2, 2.8, 'share');
      between(course.heapBytes.filter((bytes, i) => bytes + course.goroutines[i] > 0).length, 20, 340, 'minutes');
    }
  });

  it('a hanging container runtime', () => {
    for (const { course, dice } of scenes()) {
      const hang = drawHang(dice);
      layHang(course, AT, hang, dice);
      const wanted = hang.minutes * hang.goroutinesPerMinute;
      between(most(course.goroutines), 0.5 * wanted - 5, 1.5 * wanted + 10, 'goroutines');
      assert.equal(most(course.goroutines.subarray(Math.ceil(AT + hang.minutes) + 40)), 0);
      assert.ok(course.failedCalls.reduce((a, b) => a + b) >= hang.minutes);
    }
  });

  it('ends with the process', () => {
    for (let seed = 0; seed < TIMES; seed++) {
      const { course, traits, dice } = scene(seed, [130.2]);
      layExecStorm(course, AT, drawExecStorm(traits, dice), dice);
      layRelist(course, traits, AT, dice);
      layHang(course, AT, drawHang(dice), dice);
      assert.equal(most(course.goroutines.subarray(131)), 0);
      assert.equal(most(course.heapBytes.subarray(131)), 0);
    }
  });
});
