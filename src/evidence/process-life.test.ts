import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { distinctStarts, isRestart, isSameLife, lifeBeginnings, type LifeSigns } from './process-life.ts';

const signs = (startSeconds?: number, cpuSeconds?: number, atSeconds?: number): LifeSigns => ({
  startSeconds,
  cpuSeconds,
  atSeconds,
});

describe('the same life', () => {
  it('is recognised by start times that are equal up to clock drift', () => {
    assert.equal(isSameLife(1000, 1000), true);
    assert.equal(isSameLife(1000, 1001.9), true);
    assert.equal(isSameLife(1000, 1002), true);
    assert.equal(isSameLife(1000, 1002.1), false);
    assert.equal(isSameLife(1002.1, 1000), false);
  });

  it('is assumed if a start time is unknown', () => {
    assert.equal(isSameLife(undefined, 1000), true);
    assert.equal(isSameLife(1000, NaN), true);
    assert.equal(isSameLife(undefined, undefined), true);
  });
});

describe('a restart', () => {
  it('moves the start time and resets the CPU seconds', () => {
    assert.equal(isRestart(signs(1000, 50), signs(5000, 1)), true);
    assert.equal(isRestart(signs(1000, 50), signs(1001, 60)), false);
  });

  it('is recognised by either alone if the other is missing', () => {
    assert.equal(isRestart(signs(1000), signs(5000)), true);
    assert.equal(isRestart(signs(undefined, 50), signs(undefined, 1)), true);
    assert.equal(isRestart(signs(undefined, 50), signs(undefined, 51)), false);
    assert.equal(isRestart(signs(), signs()), false);
  });

  it('is not a clock that was adjusted', () => {
    assert.equal(isRestart(signs(1000, 50, 9000), signs(1600, 51, 9060)), false);
    assert.equal(isRestart(signs(1000, 50), signs(1600, 51)), false);
  });

  it('is not hidden by a new process that was busier than the old one', () => {
    assert.equal(isRestart(signs(1000, 50, 2000), signs(3000, 900, 90_000)), true);
  });

  it('is not a start time that is not a number', () => {
    assert.equal(isRestart(signs(NaN, 50), signs(NaN, 51)), false);
    assert.equal(isRestart(signs(1000, 50), signs(NaN, 51)), false);
  });
});

describe('lives', () => {
  it('begin at the first sample and at each restart', () => {
    const samples = [signs(1000, 1), signs(1000, 5), signs(2000, 1), signs(2001, 3), signs(9000, 0)];
    assert.deepEqual(lifeBeginnings(samples), [0, 2, 4]);
    assert.deepEqual(lifeBeginnings([]), []);
  });

  it('continue across samples without times', () => {
    assert.deepEqual(lifeBeginnings([signs(1000, 5), signs(), signs(1000, 6), signs(), signs(4000, 1)]), [0, 4]);
    assert.deepEqual(lifeBeginnings([signs(), signs(1000, 5), signs(undefined, 4), signs(2000)]), [0, 2]);
  });

  it('have distinct starts, in order', () => {
    assert.deepEqual(distinctStarts([5000, 1001, 1000, NaN, 5001.5, 1000.4]), [1000, 5000]);
    assert.deepEqual(distinctStarts([]), []);
  });
});
