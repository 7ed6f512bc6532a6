import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ResourceVerdict } from '../../../src/judge/detect/detection.ts';
import type { Leak } from '../simulate/plan.ts';
import { bootstrap } from './bootstrap.ts';
import { precisionAt, quantile, ratesOf, summarise } from './summary.ts';
import { Tally, type Call, type NodeScore } from './tally.ts';
import type { Truth } from './truth.ts';

const HOURS = 672;
const LEAK: Leak = {
  resource: 'goroutines',
  clock: 'hour',
  unitsPerHour: 2,
  stairHours: undefined,
  onsetHours: 100,
  stopHours: 400,
  heapBytesPerUnit: 0,
};

const ALARM: Call = { alarm: true, watch: false };
const WATCH: Call = { alarm: false, watch: true };
const QUIET: Call = { alarm: false, watch: false };

function truthOf(leak: Leak | undefined): Truth {
  return { seed: 1, target: 'a', scenario: 'test', hours: HOURS, leak, level: 400, notes: {} };
}

/** These verdicts at their hours, quiet at all others. */
function scoreOf(leak: Leak | undefined, calls: Readonly<Record<number, Call>>): NodeScore {
  const tally = new Tally(truthOf(leak));
  for (let at = 6; at <= HOURS; at += 6) {
    const now = { leakPerHour: () => leak?.unitsPerHour ?? 0, hoursToLimit: 50 };
    tally.note(at, calls[at] ?? QUIET, now, 0);
  }
  return tally.score();
}

function verdictOf(overrides: Partial<ResourceVerdict>): ResourceVerdict {
  return {
    resource: 'goroutines',
    verdict: 'leak',
    metric: 'go_goroutines',
    unit: 'count',
    level: 500,
    slopePerHour: 2.2,
    slopeInterval: [1.5, 3],
    onsetSeconds: 96 * 3600,
    timeToLimitHours: [40, 60],
    clock: { per: 'hour', amount: 2.2 },
    explanation: undefined,
    reasons: ['rises'],
    ...overrides,
  };
}

describe('a tally', () => {
  it('counts an alarm during the leak as found, with its delay', () => {
    const score = scoreOf(LEAK, { 120: WATCH, 150: ALARM, 156: ALARM });
    assert.equal(score.detected, true);
    assert.equal(score.delayHours, 50);
    assert.equal(score.watchDelayHours, 20);
    assert.equal(score.growthAtAlarm, 0.25);
    assert.deepEqual(score.falseAlarms, []);
  });

  it('counts an alarm before the onset, long after the end, or without a leak as false', () => {
    assert.deepEqual(scoreOf(LEAK, { 60: ALARM }).falseAlarms, [60]);
    assert.equal(scoreOf(LEAK, { 60: ALARM }).detected, false);
    assert.deepEqual(scoreOf(LEAK, { 480: ALARM }).falseAlarms, [480]);
    assert.deepEqual(scoreOf(undefined, { 60: ALARM }).falseAlarms, [60]);
  });

  it('attributes an alarm soon after the end to the leak', () => {
    assert.deepEqual(scoreOf(LEAK, { 420: ALARM }).falseAlarms, []);
    assert.equal(scoreOf(LEAK, { 420: ALARM }).detected, true);
  });

  it('counts an alarm once until it has been off for two days', () => {
    assert.deepEqual(scoreOf(undefined, { 60: ALARM, 66: ALARM, 108: ALARM }).falseAlarms, [60]);
    assert.deepEqual(scoreOf(undefined, { 60: ALARM, 114: ALARM }).falseAlarms, [60, 114]);
  });

  it('compares what was said with the truth', () => {
    const { details } = scoreOf(LEAK, { 150: { alarm: true, watch: false, resources: [verdictOf({})] } });
    assert.equal(details.rightResource, true);
    assert.equal(details.rightClock, true);
    assert.ok(Math.abs((details.slopeError ?? 0) - 0.1) < 1e-9);
    assert.deepEqual(details.slopeInside, { inside: 1, of: 1 });
    assert.equal(details.onsetErrorHours, 4);
    assert.deepEqual(details.timeToLimitInside, { inside: 1, of: 1 });
  });

  it('keeps the verdict that was wrong', () => {
    const wrong = verdictOf({ resource: 'live heap', timeToLimitHours: undefined });
    const { details } = scoreOf(undefined, { 48: { alarm: true, watch: false, resources: [wrong] } });
    assert.equal(details.said, 'day 2.0: live heap leak: rises');
    const missed = verdictOf({ verdict: 'watch' });
    assert.match(
      scoreOf(LEAK, { 396: { alarm: false, watch: true, resources: [missed] } }).details.said ?? '',
      /watch/,
    );
  });
});

describe('a summary', () => {
  const found = scoreOf(LEAK, { 150: ALARM });
  const missed = scoreOf(LEAK, {});
  const quiet = scoreOf(undefined, {});
  const falsely = scoreOf(undefined, { 60: ALARM, 300: ALARM });
  const scores = [found, found, found, missed, quiet, quiet, quiet, falsely];

  it('has the textbook rates', () => {
    const rates = ratesOf(scores);
    assert.equal(rates.precision, 0.75);
    assert.equal(rates.recall, 0.75);
    assert.equal(rates.f1, 0.75);
    assert.equal(rates.falseNodes, 0.25);
    const healthyHours = 4 * HOURS + 4 * (HOURS - 372);
    assert.ok(Math.abs(rates.falseAlarmsPerYear - (2 * 8766) / healthyHours) < 1e-9);
  });

  it('computes the precision if fewer leak', () => {
    const rates = ratesOf(scores);
    assert.equal(precisionAt(0.5, rates), 0.75);
    assert.ok(precisionAt(0.01, rates) < 0.03);
  });

  it('has intervals around its rates', () => {
    const { recall } = bootstrap(scores);
    assert.ok(recall[0] < 0.75 && recall[1] > 0.75 && recall[0] >= 0 && recall[1] <= 1);
  });

  it('shows nothing if there is no data', () => {
    const { recall, delayHours } = summarise([quiet]);
    assert.ok(Number.isNaN(recall) && Number.isNaN(delayHours.median));
    assert.equal(quantile([1, 2, 3, 4], 0.5), 2.5);
  });
});
