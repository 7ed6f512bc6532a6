import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { makeFleet } from './fleet.ts';
import { leakLikeness } from './leak-likeness.ts';
import type { Process } from './process.ts';

const FLEET = makeFleet({ seed: 5, days: 7, healthyEach: 2, leaksEach: 1, scenario: undefined });

describe('similarity to a leak', () => {
  it('is that of a leak at its deadline', () => {
    for (const process of FLEET.processes) {
      const { leak, levels, course } = process;
      if (leak === undefined || leak.arrival !== 'steady' || leak.sinceStart || leak.deadlineMinutes < 120) continue;
      const key = leak.speed.resource === 'goroutines' ? 'goroutines' : 'heapBytes';
      const perMinute = leak.speed.unitsPerHour / 60;
      const grown = levels[key].map((level, minute) => level + Math.max(0, minute - leak.onset) * perMinute);
      const leaky: Process = { ...process, levels: { ...levels, [key]: grown } };
      const share = leakLikeness(leaky);
      assert.ok(share > 0.6 && share < 1.5, `${leak.speed.name}: ${share} in ${course.minutes} min`);
    }
  });

  it('is low for healthy processes, except one whose container runtime hangs and says so', () => {
    for (const process of FLEET.processes) {
      if (process.leak !== undefined || process.course.failedCalls.some(count => count > 0)) continue;
      assert.ok(leakLikeness(process) < 1, `${process.scenario} ${process.recording.target}: ${leakLikeness(process)}`);
    }
  });
});
