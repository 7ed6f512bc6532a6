import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { MetricGrowth } from '../../judge/growth/metric-growth.ts';
import type { DetectedTarget } from '../../judge/detect/recorded-detection.ts';
import { noScrape } from './triage-scrape.ts';
import { type LimitFacts, timeToLimit } from './run-triage.ts';

const SEEN = { ...noScrape('', 0.1, undefined), problem: null };

describe('the time to the limit', () => {
  const rising: MetricGrowth = {
    resource: 'live heap',
    metric: 'go_gc_heap_live_bytes',
    unit: 'bytes',
    hours: 0.2,
    from: 90,
    to: 100,
    perHour: 10,
    lowPerHour: 5,
    highPerHour: 20,
    trend: 'steady',
    density: undefined,
    equalPods: undefined,
    sentence: '',
  };
  const facts: LimitFacts = {
    scrape: { ...SEEN, residentBytes: 200 },
    detected: undefined,
    growths: [rising],
    memoryLimitBytes: 1000,
  };

  it('is an interval: resident memory grows as much as the live heap, or twice that', () => {
    assert.deepEqual(timeToLimit(facts)?.hours, [800 / 40, 800 / 5]);
    const unsure = [{ ...rising, lowPerHour: -1 }];
    assert.deepEqual(timeToLimit({ ...facts, growths: unsure })?.hours, [20, null]);
  });

  it('comes with what it is computed from', () => {
    const basis = { value: 1000, from: 'given', of: 'resident memory', level: 200, perHour: [5, 40] };
    assert.deepEqual(timeToLimit(facts)?.basis, basis);
    const cgroup = {
      ...facts,
      memoryLimitBytes: undefined,
      scrape: { ...SEEN, residentBytes: 200, memoryLimit: { bytes: 900, from: 'cgroup' } },
    } as const;
    assert.deepEqual(timeToLimit(cgroup)?.basis, { ...basis, value: 900, from: 'cgroup' });
    assert.deepEqual(timeToLimit({ ...facts, memoryLimitBytes: 150 })?.basis, null);
  });

  it('is unknown if nothing rises, pods explain it, or no limit is known', () => {
    assert.equal(timeToLimit({ ...facts, growths: [{ ...rising, trend: 'flat' }] }), undefined);
    const density = { fromPods: 1, toPods: 9, perPod: 1, left: 0, follows: true };
    assert.equal(timeToLimit({ ...facts, growths: [{ ...rising, density }] }), undefined);
    assert.equal(timeToLimit({ ...facts, memoryLimitBytes: undefined }), undefined);
  });

  it('comes from the history if there is one', () => {
    const heap = { resource: 'live heap', verdict: 'leak', unit: 'bytes', timeToLimitHours: [50, 90], limit: null };
    const detected = { resources: [heap] } as unknown as DetectedTarget;
    assert.deepEqual(timeToLimit({ ...facts, detected }), {
      ...{ hours: [50, 90], resource: 'live heap', limit: 1000, unit: 'bytes', from: 'history', basis: null },
    });
  });
});
