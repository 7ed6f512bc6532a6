import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { FleetDetector, ResourceVerdict, TargetVerdict } from '../detection.ts';
import { createFleetDetector } from '../fleet-detector.ts';

const START = 1_794_700_800;
const MINUTE = 60;
const HOUR = 60;

type Values = Record<string, number>;

/** Feeds one sample a minute and evaluates every ten; the first minute with that verdict, NaN when it never comes. */
function firstMinute(
  valuesAt: (minute: number) => Values,
  minutes: number,
  verdict: ResourceVerdict['verdict'],
  detector: FleetDetector = createFleetDetector(),
): { readonly minute: number; readonly last: TargetVerdict | undefined } {
  let last: TargetVerdict | undefined;
  let found = NaN;
  for (let minute = 0; minute < minutes; minute++) {
    detector.observe('node-1', START + minute * MINUTE, valuesAt(minute));
    if (minute % 10 !== 9) continue;
    [last] = detector.evaluate(START + minute * MINUTE + 1);
    if (Number.isNaN(found) && last?.verdict === verdict) found = minute;
  }
  return { minute: found, last };
}

/** A fixed wobble of a few percent. */
function wobble(minute: number): number {
  return 1 + 0.02 * Math.sin(minute * 1.7) + 0.01 * Math.sin(minute * 0.31);
}

function kubelet(minute: number, goroutines: number, heapBytes = 60e6, pods = 40): Values {
  return {
    go_goroutines: Math.round(goroutines * wobble(minute)),
    go_gc_heap_live_bytes: heapBytes * wobble(minute + 7),
    process_resident_memory_bytes: 2 * heapBytes,
    process_start_time_seconds: START - 5 * 86_400,
    kubelet_running_pods: pods,
  };
}

const onset = 8 * HOUR;
const since = (minute: number): number => Math.max(0, minute - onset);

describe('the fast scale', () => {
  for (const perHour of [100, 1_000, 20_000]) {
    it(`proves ${perHour} goroutines an hour within 30 minutes and two doublings`, () => {
      const deadline = 30 + (2 * 300 * 60) / perHour;
      const { minute } = firstMinute(at => kubelet(at, 300 + (since(at) * perHour) / 60), onset + deadline + 1, 'leak');
      assert.ok(minute > onset && minute <= onset + deadline, `at ${minute - onset}, deadline ${deadline}`);
    });
  }

  it('proves a live heap of 300 MB an hour, with its rate and its limit', () => {
    const valuesAt = (at: number): Values => ({
      ...kubelet(at, 300, 60e6 + since(at) * 5e6),
      go_gc_gomemlimit_bytes: 4e9,
    });
    const { minute, last } = firstMinute(valuesAt, onset + 54, 'leak');
    assert.ok(minute <= onset + 54);
    const heap = last?.resources.find(one => one.resource === 'live heap');
    assert.ok(heap !== undefined);
    assert.ok(Math.abs(heap.slopePerHour / 300e6 - 1) < 0.1, `${heap.slopePerHour}`);
    const [low, high] = heap.timeToLimitHours ?? [NaN, NaN];
    // 3.3 GB of room at 300 to 600 MB of resident memory an hour.
    assert.ok(low < 6 && high > 8, `${low} to ${high}`);
    assert.ok(heap.reasons.length >= 4);
  });

  const MIB = 1024 * 1024;
  const others: readonly (readonly [resource: string, shows: RegExp, valuesAt: (rise: number) => Values])[] = [
    ['file descriptors', /ls -l \/proc/, rise => ({ process_open_fds: 40 + 20 * rise, process_max_fds: 65_536 })],
    ['threads', /in syscall/, rise => ({ go_threads: 20 + 5 * rise })],
    ['metric series', /oakum analyze/, rise => ({ oakum_scrape_series: 2_000 + 300 * rise })],
    [
      'memory outside the Go heap',
      /RssAnon/,
      rise => ({
        process_resident_memory_bytes: 150 * MIB + 8 * MIB * rise,
        go_memory_classes_total_bytes: 140 * MIB,
        go_memory_classes_heap_released_bytes: 20 * MIB,
      }),
    ],
  ];
  for (const [resource, shows, valuesAt] of others) {
    it(`tells within half an hour that ${resource} rise, with what shows whose they are, and proves nothing`, () => {
      const at = (minute: number): Values => ({ ...kubelet(minute, 300), ...valuesAt(since(minute) * wobble(minute)) });
      const { minute, last } = firstMinute(at, onset + 180, 'watch');
      assert.ok(minute > onset && minute <= onset + 30, `at ${minute - onset}`);
      const found = last?.resources.find(one => one.resource === resource);
      assert.equal(found?.verdict, 'watch');
      assert.match(found?.reasons.at(-1) ?? '', shows);
    });
  }

  it('does not take a storm for a leak, whether it decays within an hour or six', () => {
    for (const tau of [20, 180]) {
      const storm = (at: number): number => (since(at) === 0 ? 0 : 450 * Math.exp(-since(at) / tau));
      const { minute } = firstMinute(at => kubelet(at, 300 + storm(at)), onset + 10 * HOUR, 'leak');
      assert.ok(Number.isNaN(minute), `tau ${tau}: leak at ${minute - onset}`);
    }
  });

  it('does not take a wave of pods, a cache that fills or a step for a leak', () => {
    const healthy: Record<string, (at: number) => Values> = {
      pods: at => kubelet(at, 300 + 8 * Math.min(40, since(at)), 60e6, 40 + Math.min(40, since(at))),
      cache: at => kubelet(at, 300, 60e6 * (2.5 - 1.5 * Math.exp(-since(at) / 180))),
      step: at => kubelet(at, since(at) === 0 ? 300 : 900),
    };
    for (const [name, valuesAt] of Object.entries(healthy)) {
      const { minute } = firstMinute(valuesAt, onset + 12 * HOUR, 'leak');
      assert.ok(Number.isNaN(minute), `${name}: leak ${minute - onset} minutes in`);
    }
  });

  it('does not take the next warm-up for a leak: the life before went as high', () => {
    const restart = onset;
    const valuesAt = (at: number): Values => ({
      ...kubelet(at, at < restart ? 600 : 600 - 480 * Math.exp(-(at - restart) / 400)),
      process_start_time_seconds: at < restart ? START - 5 * 86_400 : START + restart * MINUTE,
    });
    const { minute } = firstMinute(valuesAt, onset + 12 * HOUR, 'leak');
    assert.ok(Number.isNaN(minute), `leak ${minute - onset} minutes after the restart`);
  });

  it('compares a process that was restarted with its lives before, although it starts above its level', () => {
    const age = (at: number): number => at - onset;
    const valuesAt = (at: number): Values => ({
      go_goroutines: Math.round(
        (at < onset ? 300 : 300 * (1 + 0.5 * Math.exp(-age(at) / 40)) + age(at) * 10) * wobble(at),
      ),
      process_start_time_seconds: at < onset ? START - 5 * 86_400 : START + onset * MINUTE,
    });
    const deadline = 30 + (2 * 300) / 10;
    const { minute, last } = firstMinute(valuesAt, onset + deadline, 'leak');
    assert.ok(minute > onset && minute <= onset + deadline, `leak at ${minute - onset}`);
    assert.match(last?.resources[0]?.reasons.join('\n') ?? '', /its lives before had 29\d/);
    const watch = firstMinute(valuesAt, onset + deadline / 2, 'watch').minute;
    assert.ok(watch > onset && watch <= onset + deadline / 2, `watch at ${watch - onset}`);
  });

  it('watches what piles up behind a container runtime that hangs, also for the second time', () => {
    const valuesAt = (at: number): Values => ({
      ...kubelet(at, 300 + since(at) * 40),
      kubelet_runtime_operations_total: at * 100,
      kubelet_runtime_operations_errors_total: since(at) * 60,
    });
    const { minute, last } = firstMinute(valuesAt, onset + 90, 'leak');
    assert.ok(Number.isNaN(minute), `leak ${minute - onset} minutes in`);
    assert.equal(last?.resources[0]?.explanation, 'hung peer');
    const hungBefore = (at: number): number => Math.min(150, Math.max(0, at - 60));
    const again = firstMinute(
      at => ({
        ...kubelet(at, 300 + since(at) * 40),
        kubelet_runtime_operations_total: at * 100,
        kubelet_runtime_operations_errors_total: (hungBefore(at) + since(at)) * 60,
      }),
      onset + 90,
      'leak',
    );
    assert.ok(Number.isNaN(again.minute), `leak ${again.minute - onset} minutes in`);
  });

  it('watches what comes with more pod starts than before, and proves what comes without them', () => {
    const starting = (perMinute: (at: number) => number) => {
      let started = 0;
      return (at: number): Values => {
        started += perMinute(at);
        return { ...kubelet(at, 300 + since(at) * 5), kubelet_started_pods_total: Math.floor(started) };
      };
    };
    const steady = firstMinute(
      starting(() => 0.1),
      onset + 4 * HOUR,
      'leak',
    );
    assert.ok(steady.minute <= onset + 150, `steady starts: ${steady.minute - onset}`);
    const busy = firstMinute(
      starting(at => (since(at) > 0 ? 0.6 : 0.1)),
      onset + 4 * HOUR,
      'leak',
    );
    assert.ok(Number.isNaN(busy.minute), `more starts: leak ${busy.minute - onset} minutes in`);
    assert.equal(busy.last?.resources[0]?.explanation, 'churn');
    const few = starting(at => (since(at) > 0 ? 0.05 : 0));
    const beyond = firstMinute(at => ({ ...few(at), go_goroutines: 300 + since(at) * 100 }), onset + 40, 'leak');
    assert.ok(beyond.minute <= onset + 40, 'a few starts do not explain thousands');
  });

  it('proves what leaks in batches', () => {
    const batches = (at: number): number => 80 * Math.floor((since(at) * 0.7 + 5 * Math.sin(since(at) / 9)) / 8);
    const deadline = 30 + (2 * 300 * 60) / 420;
    const { minute } = firstMinute(at => kubelet(at, 300 + Math.max(0, batches(at))), onset + deadline + 10, 'leak');
    assert.ok(minute > onset && minute <= onset + deadline + 10, `at ${minute - onset}, deadline ${deadline}`);
  });

  it('does not take a batch job, sessions or a first day for a leak', () => {
    const ramp = (at: number, minutes: number): number => Math.min(1, since(at) / minutes);
    const daemon = (at: number, goroutines: number, heapBytes: number, descriptors = 40): Values => ({
      go_goroutines: Math.round(goroutines * wobble(at)),
      go_gc_heap_live_bytes: heapBytes * wobble(at + 7),
      process_open_fds: descriptors,
      process_start_time_seconds: START - 5 * 86_400,
    });
    const healthy: Record<string, (at: number) => Values> = {
      'batch job': at => daemon(at, 300, 60e6 * (1 + 2.1 * ramp(at, 60))),
      sessions: at => daemon(at, 300 * (1 + 3 * ramp(at, 50)), 60e6, 40 + 300 * ramp(at, 50)),
      day: at => daemon(at, 300 * (1 + 1.8 * ramp(at, 200)), 60e6 * (1 + 1.8 * ramp(at, 200))),
    };
    for (const [name, valuesAt] of Object.entries(healthy)) {
      const { minute } = firstMinute(valuesAt, onset + 5 * HOUR, 'leak');
      assert.ok(Number.isNaN(minute), `${name}: leak ${minute - onset} minutes in`);
    }
  });

  it('proves goroutines without descriptors sooner than such that may be clients', () => {
    const growing =
      (descriptorsEach: number) =>
      (at: number): Values => ({
        go_goroutines: Math.round((300 + since(at) * 20) * wobble(at)),
        process_open_fds: 40 + since(at) * 20 * descriptorsEach,
        process_start_time_seconds: START - 5 * 86_400,
      });
    const [alone, clients] = [0, 0.5].map(each => firstMinute(growing(each), onset + 90, 'leak').minute);
    assert.ok(alone < clients && clients <= onset + 60, `${alone - onset} and ${clients - onset}`);
  });

  it('proves a rise of many hours in a process that was seen for longer than is kept', () => {
    const began = 16 * 24 * HOUR;
    const detector = createFleetDetector();
    const goroutines = (at: number): number => 300 + Math.max(0, at - began) / 3;
    for (let at = 0; at < began; at += 10) detector.observe('node-1', START + at * MINUTE, kubelet(at, goroutines(at)));
    // The doubling time is 15 hours.
    let proved = NaN;
    for (let at = began; Number.isNaN(proved) && at <= began + 30 * HOUR + 30; at++) {
      detector.observe('node-1', START + at * MINUTE, kubelet(at, goroutines(at)));
      if (at % 60 === 0 && detector.evaluate(START + at * MINUTE)[0]?.verdict === 'leak') proved = at - began;
    }
    assert.ok(proved > 0, 'not proved in two doubling times');
  });

  describe('of a process that has just started', () => {
    const daemon = (at: number, heapBytes: number, ageMinutes = at): Values => ({
      go_gc_heap_live_bytes: heapBytes * wobble(at),
      process_start_time_seconds: START + (at - ageMinutes) * MINUTE,
    });
    const loading = (at: number): Values => daemon(at, 60e6 + 0.6e6 * Math.min(400, at));
    /** With another replica that has had so much for days. */
    const withPeer = (heapBytes: number, valuesAt: (at: number) => Values, minutes: number): number => {
      const detector = createFleetDetector();
      for (const name of ['node-1', 'peer']) detector.describe(name, { job: 'indexer' });
      // The first one is judged.
      detector.observe('node-1', START - 12 * HOUR * MINUTE, {});
      for (let at = -12 * HOUR; at < minutes; at++) {
        detector.observe('peer', START + at * MINUTE, daemon(at, heapBytes, 9000 + at));
      }
      return firstMinute(valuesAt, minutes, 'leak', detector).minute;
    };

    it('a heap that loads five times what it began with is watched, not proved', () => {
      const [watch, leak] = (['watch', 'leak'] as const).map(
        verdict => firstMinute(loading, 10 * HOUR, verdict).minute,
      );
      assert.ok(watch > 0 && Number.isNaN(leak), `watch at ${watch}, leak at ${leak}`);
    });

    it('a peer that has as much explains it, one that has far less makes it a leak', () => {
      const [alike, less] = [280e6, 70e6].map(heapBytes => withPeer(heapBytes, loading, 10 * HOUR));
      assert.ok(Number.isNaN(alike) && less > 0, `leak at ${alike} and ${less}`);
    });

    it('its level is known once it has settled', () => {
      const valuesAt = (at: number): Values => daemon(at, 60e6 + 0.5e6 * Math.max(0, at - 90));
      const { minute } = firstMinute(valuesAt, 90 + 30 + 240, 'leak');
      assert.ok(minute > 90 && minute <= 90 + 30 + 240, `at ${minute}`);
    });
  });

  it('says at once when a limit is hours away, before anything is proved', () => {
    const valuesAt = (at: number): Values => ({
      ...kubelet(at, 300, 800e6 + since(at) * 1e6),
      process_resident_memory_bytes: 1_000e6 + since(at) * 1e6,
      go_gc_gomemlimit_bytes: 1_200e6,
    });
    const { last } = firstMinute(valuesAt, onset + 70, 'leak');
    const heap = last?.resources.find(one => one.resource === 'live heap');
    assert.equal(heap?.verdict, 'watch');
    assert.match(heap?.reasons[0] ?? '', /limit in/);
  });

  it('keeps a proved leak while its level stays, and clears it when it goes', () => {
    const peak = onset + 60;
    const valuesAt = (at: number): Values =>
      kubelet(at, at < peak ? 300 + since(at) * 60 : at < peak + 120 ? 3_900 : 310);
    const detector = createFleetDetector();
    assert.ok(firstMinute(valuesAt, peak + 100, 'leak', detector).minute <= peak);
    assert.equal(detector.evaluate(START + (peak + 100) * MINUTE)[0]?.verdict, 'leak');
    for (let at = peak + 100; at < peak + 150; at++) detector.observe('node-1', START + at * MINUTE, valuesAt(at));
    assert.notEqual(detector.evaluate(START + (peak + 150) * MINUTE)[0]?.verdict, 'leak');
  });
});
