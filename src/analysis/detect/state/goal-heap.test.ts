import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { GoalHeap } from './goal-heap.ts';

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

  it('takes half of the goal before it knows more', () => {
    assert.equal(new GoalHeap().liveBytes(100, 90), 50);
    assert.equal(new GoalHeap().liveBytes(100, NaN), 50);
    const restarted = new GoalHeap();
    for (let i = 0; i < 40; i++) restarted.liveBytes(100, 20);
    restarted.restart();
    assert.equal(restarted.liveBytes(100, 90), 50);
  });
});
