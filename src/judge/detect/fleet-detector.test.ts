import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ResourceVerdict, TargetVerdict } from './detection.ts';
import { createFleetDetector } from './fleet-detector.ts';
import type { DetectorOptions } from './options.ts';

const START = 1_790_000_000;
const MIB = 1024 * 1024;

describe('fleet detector', () => {
  it('finds a heap-only leak of 15 MB a day: watched within a day and a half, a leak within three and a half', () => {
    const history = replay({ days: 6, heap: hour => (80 + (15 / 24) * hour) * MIB });
    assert.ok(firstOf(history, 'watch') <= 36, `watched after ${firstOf(history, 'watch')} h`);
    assert.ok(firstOf(history, 'leak') <= 84, `a leak after ${firstOf(history, 'leak')} h`);
    const { slopePerHour, slopeInterval, verdict, reasons } = heapOf(history.at(-1)?.verdict);
    assert.equal(verdict, 'leak');
    assert.ok(Math.abs(slopePerHour / ((15 / 24) * MIB) - 1) < 0.05);
    assert.ok(slopeInterval[0] < (15 / 24) * MIB && slopeInterval[1] > (15 / 24) * MIB);
    assert.match(
      reasons[0],
      /^live heap rises 1[45](?:\.\d)? MiB\/day \(1[345](?:\.\d)? MiB to 1[567](?:\.\d)? MiB\), which pods and their starts do not explain$/,
    );
    assert.match(reasons.at(-1) ?? '', /would clear it$/);
  });

  it('a calm process is healthy from the second day on, and never anything else', () => {
    const history = replay({ days: 14 });
    assert.deepEqual(
      [...new Set(history.filter(({ hour }) => hour >= 24).map(({ verdict }) => verdict.verdict))],
      ['healthy'],
    );
  });

  it('names a ramp of pods, which is not a leak', () => {
    const pods = (hour: number): number => Math.min(110, 20 + Math.floor(hour / 3));
    const history = replay({ days: 10, pods, perPod: 0.3 * MIB });
    assert.equal(firstOf(history, 'leak'), Infinity);
    const { verdict, explanation, reasons } = heapOf(history.at(-1)?.verdict);
    assert.equal(verdict, 'healthy');
    assert.equal(explanation, 'density');
    assert.match(reasons[0], /which more pods explain/);
    const unjudged = history.map(({ verdict: all }) => heapOf(all)).filter(one => one.verdict === 'unknown');
    assert.ok(unjudged.length > 0);
    for (const one of unjudged) assert.match(one.reasons[0], /too few to judge$/, 'an unknown is not explained');
  });

  it('finds a leak behind a drain', () => {
    const history = replay({
      days: 9,
      heap: hour => (80 + Math.max(0, hour - 72) * 0.6) * MIB,
      pods: hour => (hour > 96 && hour < 130 ? 12 : 40 + Math.round(3 * Math.sin(hour / 5))),
      perPod: 0.3 * MIB,
    });
    assert.ok(firstOf(history, 'leak') <= 200);
  });

  it('does not call a step or a filling cache a leak', () => {
    const step = replay({ days: 10, heap: hour => (hour < 100 ? 80 : 120) * MIB });
    assert.equal(firstOf(step, 'leak'), Infinity);
    const cache = replay({ days: 10, heap: hour => (80 + 60 * (1 - Math.exp(-Math.max(0, hour - 48) / 20))) * MIB });
    assert.equal(firstOf(cache, 'leak'), Infinity);
    const named = cache.map(({ verdict }) => heapOf(verdict).explanation);
    assert.ok(named.includes('plateau'), `named ${[...new Set(named)].join(', ')}`);
  });

  it('judges a column that never moves by chance, whatever the pods do', () => {
    const history = replay({ days: 5, more: () => ({ go_sched_threads_total_threads: 20 }) });
    const threads = history.at(-1)?.verdict.resources.find(({ resource }) => resource === 'threads');
    assert.equal(threads?.verdict, 'healthy');
    assert.doesNotMatch(threads.reasons.join(), /NaN/);
  });

  it('does not add up the threads that every life keeps', () => {
    const lifeHours = 60;
    const threads = (perLife: (age: number) => number): Row[] =>
      replay({
        days: 13,
        startedAt: hour => START + Math.floor(hour / lifeHours) * lifeHours * 3600,
        more: hour => ({ go_sched_threads_total_threads: 30 + Math.floor(perLife(hour % lifeHours)) }),
      });
    assert.equal(
      firstOf(
        threads(age => 0.15 * age),
        'leak',
      ),
      Infinity,
    );
    const leaking = firstOf(
      threads(age => 3 * age),
      'leak',
    );
    assert.ok(leaking <= 200, `a leak after ${leaking} h`);
  });

  it('sees a leak across restarts, but not a cache that fills after every start', () => {
    const restarted = (heap: (ageHours: number) => number): Row[] =>
      replay({
        days: 12,
        startedAt: hour => START + Math.floor(hour / 60) * 60 * 3600,
        heap: hour => heap(hour % 60),
      });
    assert.ok(
      firstOf(
        restarted(age => (60 + age * 0.8) * MIB),
        'leak',
      ) < 200,
    );
    assert.equal(
      firstOf(
        restarted(age => (60 + 40 * (1 - Math.exp(-age / 10))) * MIB),
        'leak',
      ),
      Infinity,
    );
  });

  it('does not add up the warm-ups of lives that end before they have settled', () => {
    const everyHours = 5.5;
    const history = replay({
      days: 7,
      startedAt: hour => START + Math.floor(hour / everyHours) * everyHours * 3600,
      heap: hour => 150 * (1 - 0.5 * Math.exp((-3 * (hour % everyHours)) / 6.7)) * MIB,
      more: () => ({ process_resident_memory_bytes: 300 * MIB }),
      options: { memoryLimitBytes: 450 * MIB },
    });
    assert.equal(firstOf(history, 'leak'), Infinity);
    const { verdict, explanation } = heapOf(history.at(-1)?.verdict);
    assert.notEqual(verdict, 'healthy');
    assert.equal(explanation, 'restart storm');
  });

  it('predicts when the limit is reached, as an interval', () => {
    const history = replay({
      days: 6,
      heap: hour => (80 + hour) * MIB,
      more: hour => ({
        process_resident_memory_bytes: (180 + 2 * hour) * MIB,
        container_spec_memory_limit_bytes: 800 * MIB,
      }),
    });
    const { timeToLimitHours } = heapOf(history.at(-1)?.verdict);
    assert.ok(timeToLimitHours !== undefined);
    const [low, high] = timeToLimitHours;
    // Half of the resident growth may be garbage that stops growing.
    assert.ok(low < (620 - 288) / 2 && low > 100, `from ${low} h`);
    assert.ok(high > (620 - 288) / 2 && high < 400, `to ${high} h`);
  });

  it('reports at once a leak that reaches the limit within days', () => {
    const history = replay({
      days: 2,
      heap: hour => (80 + 10 * Math.max(0, hour - 20)) * MIB,
      more: hour => ({
        process_resident_memory_bytes: (180 + 20 * Math.max(0, hour - 20)) * MIB,
        container_spec_memory_limit_bytes: 900 * MIB,
      }),
    });
    assert.ok(firstOf(history, 'leak') <= 48, `after ${firstOf(history, 'leak')} h`);
  });

  it('names what drives a leak', () => {
    let started = 0;
    let leaked = 0;
    const history = replay({
      days: 12,
      heap: hour => {
        const starts = Math.floor(hour / 24) % 3 === 0 ? 40 : 2;
        started += starts;
        leaked += starts * 30 * 1024;
        return 80 * MIB + leaked;
      },
      more: () => ({ kubelet_started_pods_total: started }),
    });
    const { clock } = heapOf(history.at(-1)?.verdict);
    assert.equal(clock?.per, 'pod start');
    assert.ok(Math.abs((clock?.amount ?? 0) / (30 * 1024) - 1) < 0.2, `${clock?.amount} bytes for each`);
  });

  it('explains resident memory that rises over a flat live heap as freed memory that was not returned', () => {
    const history = replay({
      days: 8,
      more: hour => ({
        process_resident_memory_bytes: (200 + hour) * MIB,
        go_memory_classes_heap_free_bytes: (20 + hour) * MIB,
      }),
    });
    const { verdict, explanation } = heapOf(history.at(-1)?.verdict);
    assert.equal(verdict, 'healthy');
    assert.equal(explanation, 'not returned');
  });

  it('names a peer whose calls began to fail with the rise, and goes no further than watch', () => {
    let errors = 0;
    const history = replay({
      days: 8,
      goroutines: hour => 300 + Math.max(0, hour - 72) * 3,
      more: hour => ({
        kubelet_runtime_operations_total: hour * 1000,
        kubelet_runtime_operations_errors_total: (errors += hour > 70 ? 200 : 1),
      }),
    });
    const goroutines = history.at(-1)?.verdict.resources.find(({ resource }) => resource === 'goroutines');
    assert.equal(goroutines?.explanation, 'hung peer');
    assert.equal(firstOf(history, 'leak'), Infinity);
  });

  it('is unknown with too little data, and says how much more is needed', () => {
    const history = replay({ days: 0.3 });
    const { verdict, reasons } = heapOf(history.at(-1)?.verdict);
    assert.equal(verdict, 'unknown');
    assert.match(reasons.at(-1) ?? '', /more of samples would give a verdict/);
    assert.deepEqual(createFleetDetector().evaluate(START), []);
  });

  it('judges an accelerated record like the slow one, with rates in real hours', () => {
    const slow = replay({ days: 6, heap: hour => (80 + hour) * MIB });
    const fast = replay({ days: 6, heap: hour => (80 + hour) * MIB, options: { timeScale: 100 } });
    assert.deepEqual(
      fast.map(({ verdict }) => verdict.verdict),
      slow.map(({ verdict }) => verdict.verdict),
    );
    assert.ok(
      Math.abs(heapOf(fast.at(-1)?.verdict).slopePerHour / (100 * heapOf(slow.at(-1)?.verdict).slopePerHour) - 1) <
        1e-6,
    );
  });

  it('says what would change a verdict in hours of the record', () => {
    const wouldChange = (timeScale: number): string =>
      heapOf(replay({ days: 6, options: { timeScale } }).at(-1)?.verdict).reasons.at(-1) ?? '';
    assert.match(wouldChange(1), /of 6 MiB or more within two weeks, would change it/);
    assert.match(wouldChange(240), /of 6 MiB or more within 1h24m, would change it/);
  });

  it('handles missing, strange and late samples', () => {
    const detector = createFleetDetector();
    detector.observe('a', NaN, { go_goroutines: 1 });
    detector.observe('a', START, {});
    detector.observe('a', START + 60, { go_goroutines: Infinity, go_gc_heap_live_bytes: NaN, unheard_of: 3 });
    detector.observe('a', START - 9e6, { go_goroutines: 5 });
    detector.observe('a', START + 4e8, { go_goroutines: 5 });
    assert.equal(detector.evaluate(START + 4e8)[0]?.verdict, 'unknown');
    assert.throws(() => createFleetDetector({ timeScale: 0 }), /timeScale must be above 0/);
  });

  it('remembers as much of what it learned as of what it said', () => {
    // A leak that ended is still one for some hours, if it was seen before.
    const scene = { days: 4, heap: (hour: number) => (80 + Math.min(hour, 84)) * MIB };
    const said = replay(scene).at(-1)?.verdict;
    assert.equal(heapOf(said).verdict, 'leak');
    assert.deepEqual(replay({ ...scene, learns: true }).at(-1)?.verdict, said);
  });

  it('keeps at most 5 KB of each target and resource', () => {
    const detector = createFleetDetector();
    const feed = (from: number, to: number): void => {
      for (let target = from; target < to; target++) {
        for (let hour = 0; hour < 400; hour += 2) {
          detector.observe(`node-${target}`, START + hour * 3600, everything(hour));
        }
      }
    };
    feed(0, 20);
    const collect = globalThis.gc;
    if (collect === undefined) return;
    collect();
    const before = process.memoryUsage();
    feed(20, 220);
    collect();
    const after = process.memoryUsage();
    const bytes = after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers;
    assert.ok(bytes / (200 * 6) < 5120, `${Math.round(bytes / (200 * 6))} bytes`);
  });
});

interface Scene {
  readonly days: number;
  readonly heap?: (hour: number) => number;
  readonly goroutines?: (hour: number) => number;
  readonly pods?: (hour: number) => number;
  readonly perPod?: number;
  readonly startedAt?: (hour: number) => number;
  readonly more?: (hour: number) => Record<string, number>;
  readonly options?: DetectorOptions;
  /** Only the last evaluation is asked for. */
  readonly learns?: boolean;
}

interface Row {
  readonly hour: number;
  readonly verdict: TargetVerdict;
}

/** One target, sampled every half hour with a little noise, judged every six hours. */
function replay(scene: Scene): Row[] {
  const detector = createFleetDetector(scene.options);
  const pace = scene.options?.timeScale ?? 1;
  const rows: Row[] = [];
  let wander = 0;
  let seed = 1;
  const random = (): number => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return seed / 2 ** 32 - 0.5;
  };
  for (let hour = 0; hour <= scene.days * 24; hour += 0.5) {
    wander = 0.95 * wander + random();
    const pods = scene.pods?.(hour) ?? 40 + Math.round(2 * Math.sin(hour / 7));
    detector.observe('node', START + (hour * 3600) / pace, {
      go_goroutines: (scene.goroutines?.(hour) ?? 300) + wander,
      go_gc_heap_live_bytes: (scene.heap?.(hour) ?? 80 * MIB) + (scene.perPod ?? 0.1 * MIB) * pods + wander * 0.2 * MIB,
      process_start_time_seconds: scene.startedAt?.(hour) ?? START - 1e6,
      kubelet_running_pods: pods,
      ...scene.more?.(hour),
    });
    if (hour === 0 || hour % 6 !== 0) continue;
    const at = START + (hour * 3600) / pace;
    if (scene.learns === true && hour < scene.days * 24) detector.learn(at);
    else rows.push({ hour, verdict: detector.evaluate(at)[0] });
  }
  return rows;
}

function firstOf(rows: readonly Row[], verdict: string): number {
  return rows.find(row => row.verdict.verdict === verdict)?.hour ?? Infinity;
}

function heapOf(verdict: TargetVerdict | undefined): ResourceVerdict {
  const heap = verdict?.resources.find(({ resource }) => resource === 'live heap');
  assert.ok(heap !== undefined);
  return heap;
}

function everything(hour: number): Record<string, number> {
  return {
    go_goroutines: 300 + hour,
    go_gc_heap_live_bytes: 8e7,
    go_memory_classes_heap_stacks_bytes: 2e6,
    go_sched_threads_total_threads: 20,
    process_open_fds: 100,
    oakum_scrape_series: 5000,
    process_resident_memory_bytes: 2e8,
    process_start_time_seconds: START - 1e6,
    kubelet_running_pods: 40,
    kubelet_started_pods_total: hour,
    kubelet_started_containers_total: hour,
    prober_probe_total: hour * 100,
    rest_client_requests_total: hour * 10,
    rest_client_transport_create_calls_total: hour,
    go_memstats_heap_inuse_bytes: 1e8,
    go_memory_classes_heap_free_bytes: 1e7,
    go_memory_classes_heap_released_bytes: 1e7,
    go_memory_classes_profiling_buckets_bytes: 1e6,
    kubelet_runtime_operations_total: hour,
    kubelet_runtime_operations_errors_total: 1,
  };
}
