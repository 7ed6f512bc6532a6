import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { makeFleet, type FleetOptions } from './fleet.ts';
import { HEALTHY_SCENARIOS } from './healthy-scenarios.ts';
import { deadlineMinutes, SPEEDS } from './leak.ts';
import type { Process } from './process.ts';

const OPTIONS: FleetOptions = { seed: 7, days: 7, healthyEach: 1, leaksEach: 2, scenario: undefined };
const FLEET = makeFleet(OPTIONS);

function column({ recording }: Process, metric: string): Float64Array {
  const found = recording.metrics.get(metric);
  assert.ok(found !== undefined, metric);
  return found.subarray(0, recording.minutes);
}

describe('a fleet of fast leaks and healthy bursts', () => {
  it('is the same for the same seed, and different for another', () => {
    const small = { ...OPTIONS, days: 2, scenario: 'y' };
    const recordings = (seed: number) => makeFleet({ ...small, seed }).processes.map(({ recording }) => recording);
    assert.deepEqual(recordings(7), recordings(7));
    assert.notDeepEqual(recordings(7), recordings(8));
  });

  it('has every scenario and every speed', () => {
    const wanted = [...HEALTHY_SCENARIOS, ...SPEEDS].map(({ name }) => name);
    assert.deepEqual(new Set(FLEET.processes.map(({ scenario }) => scenario)), new Set(wanted));
  });

  it('exposes finite numbers, and counters that fall only when the process is a new one', () => {
    for (const process of FLEET.processes) {
      const starts = column(process, 'process_start_time_seconds');
      const cpu = column(process, 'process_cpu_seconds_total');
      for (const metric of process.recording.metrics.keys()) {
        assert.ok(column(process, metric).every(Number.isFinite), `${metric} of ${process.scenario}`);
      }
      for (let minute = 1; minute < cpu.length; minute++) {
        if (starts[minute] === starts[minute - 1]) assert.ok(cpu[minute] >= cpu[minute - 1], process.scenario);
        else assert.ok(cpu[minute] < cpu[minute - 1], `${process.scenario} at ${minute}`);
      }
    }
  });

  it('scrapes once a minute, with jitter and losses', () => {
    for (const { recording } of FLEET.processes) {
      const delays = recording.delaySeconds.subarray(0, recording.minutes);
      const lost = delays.filter(Number.isNaN).length / delays.length;
      assert.ok(lost < 0.3, `${recording.target}: ${lost} lost`);
      assert.ok(delays.every(delay => Number.isNaN(delay) || (delay >= 0 && delay < 60)));
    }
  });

  it('has processes without pods, with only go_memstats_*, and with a limit that none reaches', () => {
    const shown = (metric: string): number => FLEET.processes.filter(p => p.recording.metrics.has(metric)).length;
    const all = FLEET.processes.length;
    for (const metric of ['kubelet_running_pods', 'go_gc_heap_live_bytes', 'container_spec_memory_limit_bytes']) {
      assert.ok(shown(metric) > 0 && shown(metric) < all, metric);
    }
    assert.equal(shown('go_memstats_heap_inuse_bytes'), all);
    for (const process of FLEET.processes) {
      const limit = process.recording.metrics.get('container_spec_memory_limit_bytes')?.[0] ?? Infinity;
      assert.ok(column(process, 'process_resident_memory_bytes').every(bytes => bytes < limit));
    }
  });
});

describe('a fast leak', () => {
  const leaking = FLEET.processes.filter(({ leak }) => leak !== undefined);

  it('has 30 min and two doubling times, and a record that ends soon after', () => {
    for (const { leak, recording, traits } of leaking) {
      assert.ok(leak !== undefined);
      const doublingHours = leak.level / leak.speed.unitsPerHour;
      assert.ok(Math.abs(leak.deadlineMinutes - (30 + 120 * doublingHours)) < 1e-6);
      assert.equal(leak.deadlineMinutes, deadlineMinutes(leak.speed, leak.level));
      const left = recording.minutes - leak.onset - leak.deadlineMinutes;
      assert.ok(left >= 10 && left <= 13, `${leak.speed.name}: ${left} min left`);
      const usual = leak.speed.resource === 'goroutines' ? traits.goroutines : traits.heapBytes;
      assert.ok(usual / leak.speed.unitsPerHour <= 48 && leak.level > usual / 4 && leak.level <= usual * 3);
    }
  });

  it('adds what its speed implies, and nothing before its onset', () => {
    for (const process of leaking) {
      const { leak, levels, recording } = process;
      assert.ok(leak !== undefined);
      const end = recording.minutes - 1;
      const hours = (end - leak.onset) / 60;
      const wanted = leak.speed.unitsPerHour * hours;
      const onset = Math.max(0, Math.floor(leak.onset));
      const inGoroutines = leak.speed.resource === 'goroutines';
      const seen = column(process, inGoroutines ? 'go_goroutines' : 'go_memstats_heap_alloc_bytes');
      const healthy = inGoroutines ? levels.goroutines : levels.heapBytes;
      // The heap rises above the live heap by its garbage, and is below it between two collections.
      const least = Math.min(...seen.subarray(end - 9).map((value, i) => value - healthy[end - 9 + i]));
      const most = Math.max(...seen.subarray(end - 9).map((value, i) => value - healthy[end - 9 + i]));
      // Batches come at random: twenty of them vary by a fifth, rarely by three fifths.
      assert.ok(most > 0.4 * wanted, `${leak.speed.name}, ${leak.arrival}: ${most} of ${wanted}`);
      assert.ok(least < 1.6 * wanted + (inGoroutines ? 1 : healthy[end]), `${leak.speed.name}: ${least} of ${wanted}`);
      if (inGoroutines && leak.onset > 0)
        assert.ok(Math.abs(seen[onset] - healthy[onset]) <= 4, `before: ${seen[onset]}`);
    }
  });

  it('comes after minutes to days, and for some with the start', () => {
    const many = makeFleet({ ...OPTIONS, healthyEach: 0, leaksEach: 5 }).processes.flatMap(({ leak }) => leak ?? []);
    assert.ok(many.some(({ onset, sinceStart }) => !sinceStart && onset < 30));
    assert.ok(many.some(({ onset }) => onset > 2 * 1440));
    assert.ok(many.some(({ onset, sinceStart }) => sinceStart && onset <= 0));
    assert.ok(many.some(({ onset, sinceStart }) => sinceStart && onset > 0));
    for (const arrival of ['steady', 'with the load', 'batches', 'per pod start']) {
      assert.ok(many.filter(leak => leak.arrival === arrival).length >= 4, arrival);
    }
  });
});
