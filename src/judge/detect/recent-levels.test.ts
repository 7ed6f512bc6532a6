import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { RecentLevels } from './target-state.ts';

describe('recent levels', () => {
  it('say what was gained since a minute of the last two hours', () => {
    const levels = new RecentLevels();
    for (let minute = 1000; minute < 1600; minute++) levels.add(minute, minute / 2);
    assert.ok(Math.abs(levels.gainSince(1550) - 25) <= 8);
    assert.ok(Math.abs(levels.gainSince(1480) - 60) <= 8);
    assert.ok(Number.isNaN(levels.gainSince(1460)), 'no longer kept');
  });

  it('are unknown before the first sample, after a restart and across a gap', () => {
    const levels = new RecentLevels();
    assert.ok(Number.isNaN(levels.gainSince(0)));
    for (let minute = 0; minute < 40; minute++) levels.add(minute, 10);
    levels.add(1000, 30);
    assert.ok(Number.isNaN(levels.gainSince(20)));
    levels.restart();
    assert.ok(Number.isNaN(levels.gainSince(990)));
    levels.add(1008, 50);
    levels.add(1020, 54);
    assert.equal(levels.gainSince(990), 4);
  });
});
