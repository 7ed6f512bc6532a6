import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  T,
  MIB,
  HOUR,
  kill,
  log,
  killed,
  unit,
  sigkill,
  event,
  condition,
  scrape,
  life,
  stagesOf,
  textsOf,
} from '../../../test/cycle/observations.ts';
import type { CycleObservation, UnitChange } from '../../evidence/cycle/cycle.ts';
import { compareCycles, cycleOf } from './cycle-of.ts';

describe('the OOM cycle', () => {
  const whole = [
    ...life(T - HOUR, T, 0, at => 2000 * MIB * (0.5 + (at - T + HOUR) / HOUR / 2)),
    killed(T),
    unit(T + 1, sigkill),
    unit(T + 1, { kind: 'failed', result: 'oom-kill' }),
    unit(T + 11, { kind: 'restart-scheduled', counter: 1 }),
    unit(T + 11, { kind: 'started' }),
    event(T + 12, 'Starting'),
    ...life(T + 11, T + HOUR, 60),
  ];

  it('goes from healthy through the kill and the storm to rest', () => {
    const cycle = cycleOf('worker-17', whole);
    assert.equal(cycle.stage, 'recovered');
    assert.deepEqual(stagesOf(cycle), ['healthy', 'pre-oom', 'killed', 'storm', 'recovered']);
    assert.deepEqual(
      cycle.deaths.map(({ cause, atSeconds, kill: by }) => [cause, atSeconds, by?.scope, by?.limitCgroup]),
      [['oom', T, 'memcg', '/podruntime.slice']],
    );
    assert.match(
      cycle.sentence,
      /OOM-killed at 2026-11-15T07:00:00Z \(memcg OOM, pid 989, 1\.95 GiB resident, limit 2 GiB/,
    );
    assert.match(
      textsOf(cycle),
      /3,000 API requests in 1m \(50\/s at most, 0\.1\/s before\), 300 of them failed, relists up to 2 s/,
    );
    assert.match(cycle.reasons.join('\n'), /1 restart of the kubelet alone: the node did not reboot/);
    const preOom = cycle.timeline.find(({ stage }) => stage === 'pre-oom');
    assert.ok(Math.abs((preOom?.atSeconds ?? 0) - (T - 0.4 * HOUR)) < 60, 'at 80 % of the size at which it was killed');
  });

  it('is in each stage if the record ends there', () => {
    const until = (end: number): string =>
      cycleOf(
        'w',
        whole.filter(({ atSeconds }) => (atSeconds ?? 0) <= end),
      ).stage;
    assert.equal(until(T - HOUR / 2), 'healthy');
    assert.equal(until(T + 1), 'killed');
    assert.equal(until(T + 12), 'killed');
    assert.equal(until(T + 50), 'storm');
    assert.equal(until(T + 300), 'recovered');
  });

  it('does not depend on the order or repetition of observations', () => {
    const mixed = [
      ...whole.filter((_, i) => i % 20 === 0 || i > whole.length - 360),
      killed(undefined, { pid: 5 }),
      event(T + 14, 'SystemOOM', { kill: kill() }),
    ];
    const expected = cycleOf('w', mixed);
    fc.assert(
      fc.property(fc.shuffledSubarray(mixed, { minLength: mixed.length }), fc.subarray(mixed), (all, again) => {
        assert.deepEqual(cycleOf('w', [...all, ...again]), expected);
      }),
      { numRuns: 25 },
    );
  });

  it('is re-OOM after repeated kills, until a life outlasts the cycle', () => {
    const starts = [T + 10, T + 6 * HOUR + 10];
    const looping = [
      killed(T),
      ...starts.map(at => event(at, 'Starting')),
      killed(T + 6 * HOUR, { pid: 20_411 }),
      condition(T + 7 * HOUR, 'Ready', 'True'),
    ];
    const cycle = cycleOf('w', looping);
    assert.equal(cycle.stage, 're-oom');
    assert.match(cycle.sentence, /killed for memory 2 times, 6h apart/);
    assert.ok(stagesOf(cycle).includes('re-oom'));
    assert.equal(cycleOf('w', [...looping, condition(T + 20 * HOUR, 'Ready', 'True')]).stage, 'recovered');
  });
});

describe('a kill without a time', () => {
  it('explains a death that has no other explanation', () => {
    const cycle = cycleOf('w', [unit(T, sigkill), unit(T + 10, { kind: 'started' }), killed(undefined)]);
    assert.deepEqual(
      cycle.deaths.map(({ cause, atSeconds }) => [cause, atSeconds]),
      [['oom', T]],
    );
    assert.match(cycle.reasons.join('\n'), /use dmesg -T/);
  });

  it('alone still shows that the process was killed, and killed again', () => {
    assert.equal(cycleOf('w', [killed(undefined)]).stage, 'killed');
    assert.equal(cycleOf('w', [killed(undefined), killed(undefined, { pid: 990 })]).stage, 're-oom');
  });
});

describe('any observations', () => {
  it('are unknown if there are none', () => {
    assert.deepEqual(cycleOf('w', []).stage, 'unknown');
  });

  it('never make it fail, and give plain data', () => {
    const seconds = fc.option(fc.oneof(fc.integer({ min: T - 9000, max: T + 9000 }), fc.double({ noNaN: true })), {
      nil: undefined,
    });
    const text = fc.oneof(fc.constantFrom('kubelet', 'kubelet.service', 'java', ''), fc.string({ maxLength: 8 }));
    const change = fc.constantFrom<UnitChange>(
      sigkill,
      { kind: 'started' },
      { kind: 'oom' },
      { kind: 'stopping' },
      { kind: 'failed', result: 'x' },
    );
    const reason = fc.constantFrom('Starting', 'Rebooted', 'NodeReady', 'SystemOOM', 'Evicted', 'KubeletUnhealthy');
    const one: fc.Arbitrary<CycleObservation> = fc.oneof(
      fc.record({ at: seconds, process: text, pid: fc.nat(5) }).map(({ at, ...more }) => killed(at, more)),
      fc.record({ at: seconds, unit: text, change }).map(({ at, ...more }) => log(at, { kind: 'unit', ...more })),
      fc
        .record({ at: seconds, reason, hasKill: fc.boolean() })
        .map(({ at = 0, reason: why, hasKill }) => event(at, why, { kill: hasKill ? kill() : undefined })),
      fc
        .record({ at: seconds, type: text, status: text })
        .map(({ at = 0, type, status }) => condition(at, type, status)),
      fc
        .record({ at: seconds, value: fc.double(), start: fc.double(), isExact: fc.boolean() })
        .map(({ at = 0, value, start, isExact }) =>
          scrape(
            at,
            {
              startSeconds: start,
              relists: value,
              relistSeconds: start,
              apiRequests: value,
              residentBytes: value,
              cgroupLimitBytes: start,
              plegLastSeenSeconds: value,
            },
            isExact,
          ),
        ),
      fc
        .record({ at: seconds, bootId: text })
        .map(({ at, bootId }) => ({ kind: 'boot', atSeconds: at, source: 's', bootId }) as const),
    );
    fc.assert(
      fc.property(fc.array(one, { maxLength: 20 }), observations => {
        const cycle = cycleOf('w', observations);
        assert.ok(cycle.sentence !== '');
        assert.equal(typeof JSON.stringify(cycle), 'string');
        assert.deepEqual(cycleOf('w', [...observations].reverse()), cycle);
      }),
      { numRuns: 500 },
    );
  });

  it('are sorted worst first', () => {
    const stages = [cycleOf('b', life(T - HOUR, T)), cycleOf('a', life(T - HOUR, T)), cycleOf('c', [killed(T)])];
    assert.deepEqual(
      stages.sort(compareCycles).map(({ target }) => target),
      ['c', 'a', 'b'],
    );
  });
});
