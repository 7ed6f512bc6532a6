import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  T,
  MIB,
  HOUR,
  log,
  killed,
  event,
  condition,
  scrape,
  life,
  textsOf,
} from '../../../test/cycle/observations.ts';
import type { CycleObservation, OomKill } from '../../evidence/cycle/cycle.ts';
import { cycleOf } from './cycle-of.ts';

describe('the process before a kill', () => {
  const limited = (bytes: number): CycleObservation[] =>
    life(T - HOUR, T).map(one =>
      one.kind === 'metrics' ? { ...one, values: { ...one.values, cgroupLimitBytes: bytes } } : one,
    );

  it('is near the limit of its cgroup', () => {
    const cycle = cycleOf('w', limited(120 * MIB));
    assert.equal(cycle.stage, 'pre-oom');
    assert.match(cycle.sentence, /100 MiB is 83 % of the cgroup's limit \(120 MiB\)/);
    assert.match(cycle.advice.join('\n'), /nodes\/w\/proxy\/debug\/pprof\/heap/);
    assert.equal(cycleOf('w', limited(1000 * MIB)).stage, 'healthy');
  });

  it('will reach the limit soon at its rate, but not by noise', () => {
    const rising = life(T - HOUR, T, 0, at => 100 * MIB + ((at - T + HOUR) / HOUR) * 100 * MIB);
    const limit = scrape(T, { cgroupLimitBytes: 400 * MIB });
    assert.match(cycleOf('w', [...rising, limit]).sentence, /\+100 MiB\/h: the cgroup's limit \(400 MiB\) in 2h/);
    const wavy = life(T - HOUR, T, 0, at => 100 * MIB + (at % 70) * 1000);
    assert.equal(cycleOf('w', [...wavy, limit]).stage, 'healthy');
  });

  it('is on a node that is short of memory, unlike a container at its own limit', () => {
    const java: Partial<OomKill> = { process: 'java', pid: 7, scope: 'global', limitCgroup: '' };
    assert.match(
      cycleOf('w', [...life(T - HOUR, T), killed(T - 60, java)]).sentence,
      /the whole node ran out of memory: java killed/,
    );
    assert.equal(cycleOf('w', [...life(T - HOUR, T), killed(T - 60, { ...java, scope: 'memcg' })]).stage, 'healthy');
    assert.equal(cycleOf('w', [condition(T, 'MemoryPressure', 'True'), ...life(T - HOUR, T)]).stage, 'pre-oom');
    assert.equal(cycleOf('w', [event(T - 60, 'NodeHasInsufficientMemory')]).stage, 'pre-oom');
    const over = [
      event(T - 60, 'NodeHasInsufficientMemory'),
      event(T, 'NodeHasSufficientMemory'),
      event(T, 'NodeReady'),
    ];
    assert.equal(cycleOf('w', over).stage, 'healthy');
    const evicting = [scrape(T - 300, { memoryEvictions: 1 }), scrape(T, { memoryEvictions: 4 })];
    assert.match(cycleOf('w', [...life(T - HOUR, T), ...evicting]).sentence, /3 evictions for memory in 5m/);
  });

  it('has a stalled PLEG, if the time of the scrape is exact', () => {
    const stalled = (isExact: boolean): CycleObservation[] =>
      [T - 60, T].map(at => scrape(at, { relists: 5, plegLastSeenSeconds: T - 240, startSeconds: T - HOUR }, isExact));
    assert.match(textsOf(cycleOf('w', stalled(true))), /PLEG not seen for up to 4m/);
    assert.doesNotMatch(textsOf(cycleOf('w', stalled(false))), /PLEG/);
    const logged = log(T, { kind: 'pleg-stalled', ageSeconds: 187 });
    assert.match(textsOf(cycleOf('w', [logged])), /PLEG not seen for up to 3m7s/);
  });
});
