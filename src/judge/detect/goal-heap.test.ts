import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { GoalHeap } from './target-state.ts';

const MB = 1e6;

interface Process {
  /** As a factor: 1 is GOGC=100. */
  readonly gogc: number;
  readonly limitBytes?: number;
  readonly liveAt: (minute: number) => number;
}

/** One sample a minute, at all phases between two collections; the estimates of the last hour, as shares of the truth. */
function estimates({ gogc, limitBytes = Infinity, liveAt }: Process, minutes = 180): number[] {
  const heap = new GoalHeap();
  const shares: number[] = [];
  for (let minute = 0; minute < minutes; minute++) {
    const live = liveAt(minute);
    const goal = Math.min(live * (1 + gogc), Math.max(limitBytes, 1.05 * live));
    const phase = (minute * 0.618) % 1;
    shares.push(heap.liveBytes(goal, live + phase * (goal - live)) / live);
  }
  return shares.slice(-60);
}

function within(shares: readonly number[], least: number, most: number): void {
  for (const share of shares) assert.ok(share >= least && share <= most, `${share} of the live heap`);
}

describe('the live heap from the goal of the collector', () => {
  const steady = (): number => 100 * MB;

  for (const gogc of [0.5, 1, 2, 4]) {
    it(`is right at GOGC=${gogc * 100}`, () => within(estimates({ gogc, liveAt: steady }), 0.99, 1 + 0.05 * gogc));
  }

  it('follows a leak that doubles it in minutes', () => {
    const liveAt = (minute: number): number => 100 * MB + Math.max(0, minute - 100) * 60 * MB;
    within(estimates({ gogc: 1, liveAt }), 0.99, 1.05);
  });

  it('stays right when a memory limit lowers the goal', () => {
    const liveAt = (minute: number): number => (100 + minute) * MB;
    within(estimates({ gogc: 1, liveAt, limitBytes: 240 * MB }), 0.85, 1.05);
  });

  it('is the least that was allocated where the goal is only the limit', () => {
    const heap = new GoalHeap();
    let last = NaN;
    for (let minute = 0; minute < 60; minute++) last = heap.liveBytes(4000 * MB, (200 + (minute % 5) * 100) * MB);
    assert.equal(Math.round(last / MB), 200);
  });

  it('follows the goal alone, whatever the phases at which it is sampled', () => {
    const heap = new GoalHeap();
    const shares: number[] = [];
    for (let minute = 0; minute < 600; minute++) {
      const live = (100 + minute) * MB;
      // Once at the lowest; later samples come at other phases for hours.
      const phase = minute === 3 ? 0 : 0.1 + 0.3 * ((minute * 0.618) % 1);
      shares.push(heap.liveBytes(2 * live, live + phase * live) / live);
    }
    within(shares.slice(3), 1, 1);
  });

  it('says by how much earlier levels must be corrected', () => {
    const heap = new GoalHeap();
    const said = (goal: number, alloc: number): number[] => [
      heap.liveBytes(goal * MB, alloc * MB) / MB,
      heap.correction,
    ];
    assert.deepEqual(said(100, NaN), [50, 1]);
    assert.deepEqual(said(100, 80), [80, 1.6]);
    assert.deepEqual(said(200, 80), [80, 0.5]);
    assert.deepEqual(said(200, 120), [80, 1]);
    heap.restart();
    assert.deepEqual(said(100, NaN), [50, 1]);
  });

  it('learns nothing from the goal that a process starts with', () => {
    const heap = new GoalHeap();
    assert.equal(heap.liveBytes(4 * MB, 0.4 * MB), 2 * MB);
    assert.equal(heap.liveBytes(100 * MB, 60 * MB), 60 * MB);
  });
});
