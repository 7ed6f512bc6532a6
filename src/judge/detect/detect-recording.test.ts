import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { FleetDetector, ResourceVerdict } from './detection.ts';
import type { Verdict } from '../verdict.ts';
import type { Recording } from '../../evidence/recording/read-recording.ts';
import { detectionOf, runDetection } from './detect-recording.ts';
import { FleetReplay, NothingToJudge } from './fleet-replay.ts';
import { Timeline } from '../../evidence/recording/timeline.ts';

const DAY = Date.UTC(2026, 7, 4) / 1000;
const HOUR = 3600;

/** Goroutines of each target, hourly. */
function recordingOf(targets: Readonly<Record<string, readonly number[]>>): Recording {
  return {
    targets: Object.entries(targets).map(([name, levels]) => ({
      name,
      timeline: new Timeline([
        {
          metrics: ['go_goroutines'],
          times: Float64Array.from(levels, (_, hour) => DAY + hour * HOUR),
          values: Float64Array.from(levels),
          isDated: false,
          described: [],
        },
      ]),
    })),
    readPaths: ['a'],
    otherCount: 0,
    unread: [],
    notes: [],
  };
}

/** Calls more than 100 goroutines a leak and more than 50 a watch; records its input. */
function thresholdDetector(): FleetDetector & { readonly given: string[] } {
  const levels = new Map<string, number>();
  const given: string[] = [];
  return {
    given,
    observe(target, atSeconds, values) {
      given.push(`${target} ${(atSeconds - DAY) / HOUR}`);
      levels.set(target, values['go_goroutines']);
    },
    evaluate: () =>
      [...levels].map(([target, level]) => {
        const verdict = level > 100 ? 'leak' : level > 50 ? 'watch' : 'healthy';
        return { target, verdict, resources: [resourceVerdict(verdict, level)] };
      }),
    learn: () => {},
    describe: () => [],
    evaluateCohorts: () => [],
    forget: () => {},
    adopt: () => {},
  };
}

function resourceVerdict(verdict: Verdict, level: number): ResourceVerdict {
  return {
    resource: 'goroutines',
    verdict,
    metric: 'go_goroutines',
    unit: 'count',
    level,
    slopePerHour: 1,
    slopeInterval: [0.5, Infinity],
    onsetSeconds: DAY,
    timeToLimitHours: [level === 0 ? 1 : 1000 / level, Infinity],
    clock: undefined,
    explanation: undefined,
    reasons: [`${level} goroutines`],
  };
}

describe('running a detection', () => {
  it('says the same of a fleet that comes in parts', () => {
    const whole = (): Recording => recordingOf({ a: [10, 20, 120], b: [10, 60, 60], c: [10, 10, 10] });
    const options = { firstSeconds: DAY, endSeconds: DAY + 2 * HOUR, everySeconds: HOUR };
    const parts = new FleetReplay({ ...options, detector: thresholdDetector() });
    for (const target of whole().targets) parts.add({ ...whole(), targets: [target] });
    const detector = thresholdDetector();
    const detection = detectionOf(parts.finish(), { ...options, detector });
    const expected = runDetection(whole(), { detector, everySeconds: HOUR });
    assert.deepEqual({ ...detection, inputs: null }, { ...expected, inputs: null });
    assert.equal(detection.inputs.readCount, 3);
  });

  it('judges at the last sample, worst first, with values that JSON can hold', () => {
    const recording = recordingOf({ calm: [1, 1], bad: [1, 120], worse: [1, 200], so: [60, 60] });
    const detection = runDetection(recording, { detector: thresholdDetector() });
    assert.deepEqual(
      detection.targets.map(({ target, verdict }) => `${target} ${verdict}`),
      ['worse leak', 'bad leak', 'so watch', 'calm healthy'],
    );
    assert.equal(detection.at, '2026-08-04T01:00:00Z');
    assert.equal(detection.verdict, 'leak');
    assert.equal(detection.changes, null);
    const [{ from, to, sampleCount, resources }] = detection.targets;
    assert.deepEqual([from, to, sampleCount], ['2026-08-04T00:00:00Z', '2026-08-04T01:00:00Z', 2]);
    const [{ onset, slopeInterval, timeToLimitHours, history }] = resources;
    assert.equal(onset, '2026-08-04T00:00:00Z');
    assert.equal(slopeInterval, null);
    assert.deepEqual(timeToLimitHours, [5, null]);
    assert.equal(history.length, 48);
    assert.deepEqual([history[0], history[1], history[47]], [1, null, 200]);
    assert.deepEqual(JSON.parse(JSON.stringify(detection)), detection, 'nothing is lost in JSON');
  });

  it('uses no sample from after the moment it judges', () => {
    const detector = thresholdDetector();
    const recording = recordingOf({ a: [1, 1, 1, 200], b: [1] });
    const detection = runDetection(recording, { detector, atSeconds: DAY + 2.5 * HOUR });
    assert.deepEqual(detector.given, ['a 0', 'a 1', 'a 2', 'b 0']);
    assert.deepEqual(
      detection.targets.map(({ target, verdict, to }) => `${target} ${verdict} ${to}`),
      ['b healthy 2026-08-04T00:00:00Z', 'a healthy 2026-08-04T02:00:00Z'].sort(),
    );
    assert.throws(
      () => runDetection(recordingOf({ a: [1] }), { detector: thresholdDetector(), atSeconds: DAY - 1 }),
      (error: Error) =>
        error instanceof NothingToJudge && /the first sample is from 2026-08-04T00:00:00Z/.test(error.message),
    );
  });

  it('replays each change at the time it would have appeared', () => {
    const recording = recordingOf({ a: [1, 1, 60, 60, 120, 120, 1], b: [1, 1, 1] });
    const detector = thresholdDetector();
    const { changes } = runDetection(recording, { detector, everySeconds: 2 * HOUR });
    assert.deepEqual(
      changes?.map(({ at, target, from, to, reason }) => `${at.slice(11, 16)} ${target} ${from} -> ${to}: ${reason}`),
      [
        '02:00 a unknown -> watch: 60 goroutines',
        '02:00 b unknown -> healthy: 1 goroutines',
        '04:00 a watch -> leak: 120 goroutines',
        '06:00 a leak -> healthy: 1 goroutines',
      ],
    );
    assert.throws(
      () => runDetection(recordingOf({ a: Array(100).fill(1) as number[] }), { detector, everySeconds: 1 }),
      /--every gives 356400 evaluations/,
    );
  });
});
