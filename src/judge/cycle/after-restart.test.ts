import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { afterRestart, type LifeSeries } from './after-restart.ts';

const MIB = 1024 * 1024;

/** A day of samples, one every five minutes, with some noise. */
function life(perHour: number, hours: number, pods: number | undefined = 50, from = 0): LifeSeries {
  const times = Array.from({ length: hours * 12 }, (_, i) => from + i * 300);
  const values = times.map(
    (time, i) => 40 * MIB + (perHour * (time - from)) / 3600 + (((i * 7919) % 13) - 6) * 0.02 * MIB,
  );
  return { times, values, pods };
}

const verdict = (before: LifeSeries, after: LifeSeries, family?: string): ReturnType<typeof afterRestart> =>
  afterRestart({ unit: 'bytes', before, after, leastSeconds: 86_000, family });

describe('after a restart', () => {
  it('has the same slope at the same pods: the program leaks', () => {
    const { verdict: said, text } = verdict(life(MIB, 48), life(0.9 * MIB, 25), 'startPodSync');
    assert.equal(said, 'came back, intrinsic');
    assert.match(text, /\+1 MiB\/h before the restart, .*at 50 pods.*grows again: startPodSync/);
  });

  it('has no slope: something outside triggered it', () => {
    assert.equal(verdict(life(MIB, 48), life(0, 25)).verdict, 'cleared, external trigger');
    assert.equal(verdict(life(MIB, 48), life(-0.1 * MIB, 25)).verdict, 'cleared, external trigger');
  });

  it('gets no verdict too early, at different pods, or without a life before', () => {
    assert.match(verdict(life(MIB, 48), life(MIB, 5)).text, /seen for 4h55m since the restart/);
    const other = verdict(life(MIB, 48, 50), life(MIB, 25, 20));
    assert.deepEqual([other.verdict, /50 pods before and 20 after/.test(other.text)], ['too early', true]);
    assert.equal(verdict({ times: [], values: [], pods: undefined }, life(MIB, 25)).verdict, 'too early');
    assert.equal(verdict(life(0, 48), life(MIB, 25)).verdict, 'too early');
  });
});
