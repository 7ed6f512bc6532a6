import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { FleetDetector, ResourceVerdict } from '../../../src/judge/detect/detection.ts';
import type { Resource } from '../../../src/evidence/resource.ts';
import type { Verdict } from '../../../src/judge/verdict.ts';
import { runFleet, USUAL_PACE } from './run-fleet.ts';
import { makeFleet } from './simulate/fleet.ts';
import { secondsOf } from './simulate/recording.ts';
import type { ProcessScore } from './tally.ts';

const FLEET = makeFleet({ seed: 3, days: 2, healthyEach: 1, leaksEach: 1, scenario: undefined });
const PROCESSES = new Map(FLEET.processes.map(process => [process.recording.target, process]));

/** Gives each target the verdict of `say` once it was observed. */
function stub(say: (target: string, minute: number) => readonly [Resource, Verdict]): FleetDetector {
  const seen = new Set<string>();
  return {
    observe: (target, _atSeconds, values) => {
      assert.ok(values.go_goroutines > 0);
      seen.add(target);
    },
    evaluate: atSeconds =>
      [...seen].map(target => {
        const [resource, verdict] = say(target, (atSeconds - secondsOf(0)) / 60);
        return { target, verdict, resources: [verdictOf(resource, verdict)] };
      }),
    learn: () => {},
    describe: () => [],
    evaluateCohorts: () => [],
    forget: () => {},
    adopt: () => {},
  };
}

function verdictOf(resource: Resource, verdict: Verdict): ResourceVerdict {
  return {
    resource,
    verdict,
    metric: '',
    unit: 'count',
    level: 1,
    slopePerHour: 0,
    slopeInterval: [0, 0],
    onsetSeconds: undefined,
    timeToLimitHours: undefined,
    clock: undefined,
    explanation: undefined,
    reasons: [],
  };
}

function scoresOf(say: (target: string, minute: number) => readonly [Resource, Verdict]): readonly ProcessScore[] {
  return runFleet(FLEET, stub(say), { cpuSeconds: 0, verdicts: 0 });
}

function onsetOf(target: string): number {
  const process = PROCESSES.get(target);
  return process?.leak === undefined ? Infinity : process.recording.fleetMinute + process.leak.onset;
}

function alarmsOf(scores: readonly ProcessScore[]): number {
  return scores.flatMap(({ healthy }) => healthy.flatMap(({ falseAlarms }) => falseAlarms)).length;
}

describe('a fast fleet is scored', () => {
  it('with the time from the onset to the next judgement, for a detector that knows the truth', () => {
    const scores = scoresOf((target, minute) => {
      const resource = PROCESSES.get(target)?.leak?.speed.resource ?? 'goroutines';
      return [resource, minute >= onsetOf(target) ? 'leak' : 'healthy'];
    });
    assert.equal(alarmsOf(scores), 0);
    for (const { leak } of scores) {
      if (leak === undefined) continue;
      assert.ok(
        leak.leakMinutes !== undefined && leak.leakMinutes <= USUAL_PACE.judgedEveryMinutes + 2,
        `${leak.leakMinutes}`,
      );
      assert.ok(leak.watchMinutes === leak.leakMinutes && leak.rightResource);
    }
  });

  it('with nothing for an alarm that was always on, except a false alarm', () => {
    const scores = scoresOf(() => ['live heap', 'leak']);
    for (const { leak, healthy, target } of scores) {
      if (leak === undefined) assert.equal(healthy[0].falseAlarms.length, 1, target);
      else if (healthy[0].minutes > 0) assert.equal(leak.leakMinutes, undefined, target);
    }
  });

  it('with a false alarm for a leak of another resource', () => {
    const scores = scoresOf((target, minute) => ['threads', minute >= onsetOf(target) ? 'leak' : 'healthy']);
    const leaks = scores.filter(({ leak }) => leak !== undefined);
    assert.equal(alarmsOf(scores), leaks.length);
    assert.ok(leaks.every(({ leak }) => leak?.leakMinutes === undefined && leak?.watchMinutes === undefined));
  });

  it('over all of the healthy time', () => {
    const scores = scoresOf(() => ['goroutines', 'watch']);
    for (const { target, healthy } of scores) {
      const process = PROCESSES.get(target);
      if (process === undefined || process.leak !== undefined) continue;
      assert.ok(Math.abs(healthy[0].minutes - process.recording.minutes) <= 2 * USUAL_PACE.judgedEveryMinutes);
      assert.deepEqual([healthy[0].falseWatches, healthy[0].watchedMinutes], [1, healthy[0].minutes]);
    }
  });
});
