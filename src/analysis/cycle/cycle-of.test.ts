import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type {
  ConditionObservation,
  CycleMetric,
  CycleObservation,
  KubeEventObservation,
  LogEvent,
  OomKill,
  UnitChange,
} from '../../model/cycle.ts';
import { compareCycles, cycleOf } from './cycle-of.ts';

const T = Date.UTC(2026, 10, 15, 7, 0, 0) / 1000;
const MIB = 2 ** 20;
const HOUR = 3600;

const kill = (more: Partial<OomKill> = {}): OomKill => ({
  process: 'kubelet',
  pid: 989,
  scope: 'memcg',
  limitCgroup: '/podruntime.slice',
  processCgroup: '/podruntime.slice/kubelet.service',
  limitBytes: 2048 * MIB,
  residentBytes: 2000 * MIB,
  oomScoreAdj: -999,
  invokedBy: 'kubelet',
  ...more,
});
const log = (atSeconds: number | undefined, event: LogEvent, source = 'kern.log:1'): CycleObservation => ({
  kind: 'log',
  atSeconds,
  source,
  event,
});
const killed = (at: number | undefined, more: Partial<OomKill> = {}, source?: string): CycleObservation =>
  log(at, { kind: 'oom-kill', kill: kill(more) }, source);
const unit = (at: number, change: UnitChange, name = 'kubelet.service'): CycleObservation =>
  log(at, { kind: 'unit', unit: name, change }, 'journal.log:1');
const sigkill: UnitChange = { kind: 'exited', code: 'killed', status: 9, name: 'KILL' };
const event = (atSeconds: number, reason: string, more: Partial<KubeEventObservation> = {}): CycleObservation => ({
  kind: 'kube-event',
  atSeconds,
  source: 'events.json',
  reason,
  message: '',
  component: 'kubelet',
  lastSeconds: atSeconds,
  count: 1,
  objectKind: 'Node',
  kill: undefined,
  ...more,
});
const condition = (
  atSeconds: number,
  type: string,
  status: string,
  more: Partial<ConditionObservation> = {},
): CycleObservation => ({
  kind: 'condition',
  atSeconds,
  source: 'nodes.json',
  type,
  status,
  reason: '',
  message: '',
  sinceSeconds: atSeconds,
  ...more,
});
const scrape = (atSeconds: number, values: Partial<Record<CycleMetric, number>>, isExact = true): CycleObservation => ({
  kind: 'metrics',
  atSeconds,
  source: 'metrics.prom',
  values,
  isExact,
});

/** A calm life: a relist a second of 5 ms, a request every ten seconds, with a storm in its first `stormSeconds`. */
function life(
  from: number,
  to: number,
  stormSeconds = 0,
  sizeBytes = (_: number): number => 100 * MIB,
): CycleObservation[] {
  const scrapes: CycleObservation[] = [];
  for (let at = from + 10; at <= to; at += 10) {
    const age = at - from;
    const stormed = Math.min(age, stormSeconds);
    scrapes.push(
      scrape(at, {
        startSeconds: from,
        relists: age,
        relistSeconds: 0.005 * (age - stormed) + 2 * stormed,
        workerRuns: age,
        workerSeconds: 0.01 * age,
        apiRequests: 0.1 * (age - stormed) + 50 * stormed,
        apiErrors: 5 * stormed,
        plegLastSeenSeconds: at - 1,
        residentBytes: sizeBytes(at),
      }),
    );
  }
  return scrapes;
}

const stagesOf = (cycle: ReturnType<typeof cycleOf>): string[] =>
  cycle.timeline.flatMap(({ stage }) => (stage === null ? [] : [stage]));
const textsOf = (cycle: ReturnType<typeof cycleOf>): string => cycle.timeline.map(({ text }) => text).join('\n');

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

  it('from healthy through the kill and the storm to rest', () => {
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

  it('cut after each stage, it is in that stage', () => {
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

  it('neither order nor repetition of the observations matters', () => {
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

  it('killed again and again: re-OOM, until it outlives the cycle', () => {
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

describe('why it died', () => {
  const causeOf = (...observations: CycleObservation[]): string =>
    cycleOf('w', observations).deaths.at(-1)?.cause ?? '';

  it('by the kernel, by systemd-oomd, or as systemd says', () => {
    assert.equal(causeOf(killed(T), unit(T + 1, sigkill)), 'oom');
    assert.equal(causeOf(unit(T, sigkill), unit(T, { kind: 'failed', result: 'oom-kill' })), 'oom');
    assert.equal(causeOf(unit(T, { kind: 'oom' }), unit(T + 1, sigkill)), 'oom');
    assert.equal(causeOf(killed(T, { scope: 'oomd', pid: 0, limitCgroup: '' })), 'oom');
  });

  it('a signal, an exit and a stop are no OOM', () => {
    assert.equal(causeOf(unit(T, sigkill), unit(T, { kind: 'failed', result: 'signal' })), 'signal');
    assert.equal(causeOf(unit(T, { kind: 'exited', code: 'exited', status: 1, name: 'FAILURE' })), 'exit');
    assert.equal(causeOf(unit(T, { kind: 'exited', code: 'exited', status: 137, name: '' })), 'signal');
    assert.equal(
      causeOf(unit(T, { kind: 'stopping' }), unit(T + 2, { ...sigkill, status: 15, name: 'TERM' })),
      'stopped',
    );
    assert.equal(causeOf(...life(T - HOUR, T), ...life(T + 5, T + 600)), 'unknown');
  });

  it('the Go runtime’s own deaths', () => {
    const dying = (cause: 'go-threads' | 'go-out-of-memory', message: string): CycleObservation =>
      log(T, { kind: 'go-death', process: 'kubelet', cause, message });
    const exit = unit(T + 1, { kind: 'exited', code: 'exited', status: 2, name: '' });
    assert.equal(causeOf(dying('go-threads', 'fatal error: thread exhaustion'), exit), 'go-threads');
    assert.equal(causeOf(dying('go-out-of-memory', 'fatal error: runtime: out of memory'), exit), 'go-out-of-memory');
  });

  it('a restarter repairer is named, and its kill is no OOM', () => {
    const repair = log(T - 2, {
      kind: 'repair',
      component: 'kubelet',
      acts: true,
      message: 'kubelet cooldown period of 2m0s exceeded, repairing',
    });
    const cycle = cycleOf('w', [repair, unit(T, sigkill), event(T + 11, 'Starting')]);
    assert.equal(cycle.deaths[0].cause, 'repairer');
    assert.deepEqual(
      cycle.rivals.map(({ name, isActive }) => [name, isActive]),
      [["node-problem-detector's health-checker", true]],
    );
    const unhealthy = event(T - 100, 'KubeletUnhealthy', { component: 'health-checker' });
    assert.equal(causeOf(unhealthy, unit(T, sigkill)), 'repairer');
    assert.equal(causeOf(unhealthy, killed(T), unit(T, sigkill)), 'oom', 'the kernel’s word counts more');
  });

  it('other restarters that are only there', () => {
    const cycle = cycleOf('w', [
      condition(T, 'KubeletUnhealthy', 'False'),
      condition(T, 'FrequentKubeletRestart', 'True'),
      ...life(T - HOUR, T),
    ]);
    assert.deepEqual(
      cycle.rivals.map(({ isActive }) => isActive),
      [true, false],
    );
    assert.equal(cycle.stage, 'healthy');
  });

  it('other units and processes are not the kubelet', () => {
    const cycle = cycleOf('w', [unit(T, sigkill, 'kubelet-monitor.service'), killed(T, { process: 'kube-proxy' })]);
    assert.deepEqual([cycle.stage, cycle.deaths], ['unknown', []]);
    const containerd = [unit(T, sigkill, 'containerd.service'), killed(T, { process: 'containerd' })];
    assert.equal(cycleOf('w', containerd, { process: 'containerd' }).deaths[0].cause, 'oom');
  });
});

describe('old OOM events', () => {
  const oom = (at: number, pid = 4711): CycleObservation =>
    event(at, 'SystemOOM', { kill: kill({ process: 'java', pid, scope: 'global', limitCgroup: '' }) });

  it('are removed by pid after a restart, and told', () => {
    const cycle = cycleOf('w', [oom(T), event(T + HOUR, 'Starting'), oom(T + HOUR + 2), oom(T + HOUR + 3, 4712)]);
    assert.match(cycle.reasons.join('\n'), /1 old OOM event was re-emitted/);
    assert.match(cycle.reasons.join('\n'), /1 OOM event right after a start may be old/);
    assert.equal(cycle.timeline.filter(({ text }) => /^java OOM-killed/.test(text)).length, 2);
  });

  it('also where only the kernel log has the first', () => {
    const cycle = cycleOf('w', [
      killed(T, { process: 'java', pid: 4711, scope: 'global' }),
      event(T + HOUR, 'Starting'),
      oom(T + HOUR + 2),
    ]);
    assert.match(cycle.reasons.join('\n'), /1 old OOM event was re-emitted/);
  });

  it('but not after a reboot, nor long after the start: then the pid is another process', () => {
    const reboot = [oom(T), event(T + HOUR, 'Starting'), event(T + HOUR, 'Rebooted'), oom(T + HOUR + 5)];
    assert.doesNotMatch(cycleOf('w', reboot).reasons.join('\n'), /re-emitted/);
    const later = [oom(T), event(T + HOUR, 'Starting'), oom(T + 3 * HOUR)];
    assert.doesNotMatch(cycleOf('w', later).reasons.join('\n'), /re-emitted/);
  });

  it('a death that comes again is one death', () => {
    const again = event(T + 12, 'SystemOOM', { kill: kill({ scope: 'global' }) });
    assert.equal(cycleOf('w', [killed(T), event(T + 11, 'Starting'), again]).deaths.length, 1);
  });
});

describe('restart or reboot', () => {
  const restarted = [...life(T - HOUR, T), ...life(T + 60, T + 600)];
  const rebootOf = (...more: CycleObservation[]): string => {
    const { reasons } = cycleOf('w', [...restarted, ...more]);
    const reason = reasons.find(text => /^1 restart/.test(text)) ?? '';
    return /with a reboot/.test(reason)
      ? 'reboot'
      : /did not reboot/.test(reason)
        ? 'restart'
        : reason === ''
          ? 'none'
          : 'unknown';
  };
  const boot = (atSeconds: number, bootId: string): CycleObservation => ({
    kind: 'boot',
    atSeconds,
    source: 'x',
    bootId,
  });

  it('by events, boot ids, kernel lines and the boot time', () => {
    assert.equal(rebootOf(), 'unknown');
    assert.equal(rebootOf(event(T + 61, 'Starting')), 'restart');
    assert.equal(rebootOf(event(T + 61, 'Starting'), event(T + 62, 'Rebooted')), 'reboot');
    assert.equal(rebootOf(boot(T, 'a'), boot(T + 300, 'b')), 'reboot');
    assert.equal(rebootOf(boot(T, 'a'), boot(T + 300, 'a')), 'restart');
    assert.equal(rebootOf(boot(T + 40, '')), 'reboot');
    assert.equal(rebootOf(scrape(T + 305, { bootSeconds: T + 30 })), 'reboot');
    assert.equal(rebootOf(scrape(T + 305, { bootSeconds: T - 900 * HOUR })), 'restart');
    assert.equal(rebootOf(unit(T + 59, { kind: 'restart-scheduled', counter: 1 })), 'restart');
  });

  it('the first start of a node is no restart', () => {
    const first = [condition(T, 'Registered', 'True'), event(T + 1, 'Starting'), event(T + 5, 'NodeReady')];
    assert.deepEqual([cycleOf('w', first).stage, cycleOf('w', first).deaths], ['healthy', []]);
    const later = [
      condition(T - 900 * HOUR, 'Registered', 'True'),
      event(T + 1, 'Starting'),
      event(T + 5, 'NodeReady'),
    ];
    assert.equal(cycleOf('w', later).stage, 'recovered');
  });
});

describe('before the kill', () => {
  const limited = (bytes: number): CycleObservation[] =>
    life(T - HOUR, T).map(one =>
      one.kind === 'metrics' ? { ...one, values: { ...one.values, cgroupLimitBytes: bytes } } : one,
    );

  it('near the limit of its cgroup', () => {
    const cycle = cycleOf('w', limited(120 * MIB));
    assert.equal(cycle.stage, 'pre-oom');
    assert.match(cycle.sentence, /100 MiB is 83 % of the cgroup's limit \(120 MiB\)/);
    assert.match(cycle.advice.join('\n'), /nodes\/w\/proxy\/debug\/pprof\/heap/);
    assert.equal(cycleOf('w', limited(1000 * MIB)).stage, 'healthy');
  });

  it('soon there at its rate, but not by noise', () => {
    const rising = life(T - HOUR, T, 0, at => 100 * MIB + ((at - T + HOUR) / HOUR) * 100 * MIB);
    const limit = scrape(T, { cgroupLimitBytes: 400 * MIB });
    assert.match(cycleOf('w', [...rising, limit]).sentence, /\+100 MiB\/h: the cgroup's limit \(400 MiB\) in 2h/);
    const wavy = life(T - HOUR, T, 0, at => 100 * MIB + (at % 70) * 1000);
    assert.equal(cycleOf('w', [...wavy, limit]).stage, 'healthy');
  });

  it('a node short of memory; a container in its own limit is none', () => {
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

  it('the age of the PLEG is the time since it was last seen, and needs an exact time', () => {
    const stalled = (isExact: boolean): CycleObservation[] =>
      [T - 60, T].map(at => scrape(at, { relists: 5, plegLastSeenSeconds: T - 240, startSeconds: T - HOUR }, isExact));
    assert.match(textsOf(cycleOf('w', stalled(true))), /PLEG not seen for up to 4m/);
    assert.doesNotMatch(textsOf(cycleOf('w', stalled(false))), /PLEG/);
    const logged = log(T, { kind: 'pleg-stalled', ageSeconds: 187 });
    assert.match(textsOf(cycleOf('w', [logged])), /PLEG not seen for up to 3m7s/);
  });
});

describe('what has no time', () => {
  it('a kill from a ring buffer without clock explains a death that nothing else does', () => {
    const cycle = cycleOf('w', [unit(T, sigkill), unit(T + 10, { kind: 'started' }), killed(undefined)]);
    assert.deepEqual(
      cycle.deaths.map(({ cause, atSeconds }) => [cause, atSeconds]),
      [['oom', T]],
    );
    assert.match(cycle.reasons.join('\n'), /use dmesg -T/);
  });

  it('alone, it still tells that it was killed, and again', () => {
    assert.equal(cycleOf('w', [killed(undefined)]).stage, 'killed');
    assert.equal(cycleOf('w', [killed(undefined), killed(undefined, { pid: 990 })]).stage, 're-oom');
  });
});

describe('anything', () => {
  it('nothing at all is unknown', () => {
    assert.deepEqual(cycleOf('w', []).stage, 'unknown');
  });

  it('no observations make it fail, and what it says is plain data', () => {
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

  it('worst first', () => {
    const stages = [cycleOf('b', life(T - HOUR, T)), cycleOf('a', life(T - HOUR, T)), cycleOf('c', [killed(T)])];
    assert.deepEqual(
      stages.sort(compareCycles).map(({ target }) => target),
      ['c', 'a', 'b'],
    );
  });
});
