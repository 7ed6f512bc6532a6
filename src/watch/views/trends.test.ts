import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ResourceVerdict } from '../../judge/detect/detection.ts';
import { trendsOf } from './target-view.ts';
import type { SampleSeries } from '../../store/records.ts';

const HEAP = 'go_gc_heap_live_bytes';
const RESIDENT = 'process_resident_memory_bytes';
const HOUR = 3600;

function verdict(changes: Partial<ResourceVerdict> = {}): ResourceVerdict {
  return {
    resource: 'live heap',
    verdict: 'leak',
    metric: HEAP,
    unit: 'bytes',
    // The detector's level may still be that of the life before.
    level: 500,
    slopePerHour: 10,
    slopeInterval: [8, 12],
    onsetSeconds: undefined,
    timeToLimitHours: [4, 8],
    limit: { value: 1000, level: 600, perHour: [50, 100] },
    clock: undefined,
    explanation: undefined,
    reasons: [],
    ...changes,
  };
}

/** Restarted after ten hours: 500 at the end of the first life, 100 to 150 in the second. */
function series(metric: string, value: (hour: number) => number): SampleSeries {
  const times = Array.from({ length: 16 }, (_, hour) => hour * HOUR);
  return {
    metric,
    times: Float64Array.from(times),
    values: Float64Array.from(times.map((_, hour) => value(hour))),
  } as unknown as SampleSeries;
}

const HEAPS = series(HEAP, hour => (hour < 10 ? 400 + 10 * hour : 100 + 10 * (hour - 10)));
const RESIDENTS = series(RESIDENT, hour => (hour < 10 ? 900 : 600));
const TIMES = { from: 0, lifeFrom: 10 * HOUR, now: 15 * HOUR };

describe('trends', () => {
  it('begin at the level of the present life, and never before its start', () => {
    const [heap] = trendsOf(verdict(), [HEAPS], TIMES);
    assert.equal(heap?.from, 10 * HOUR);
    assert.equal(heap?.at, 15 * HOUR);
    // The median of the present life, without the 500 before.
    assert.equal(heap?.valueAt, 125);
    assert.equal(heap?.valueFrom, 125 - 5 * 10);
    assert.deepEqual(
      [heap?.lowTo, heap?.valueTo, heap?.highTo],
      [8, 10, 12].map(slope => 125 + slope * 7.5),
    );
    assert.equal(heap?.to, 22.5 * HOUR, 'half of the time shown');
  });

  it('reach the limit of resident memory at both ends of the time to it', () => {
    const [, resident] = trendsOf(verdict(), [HEAPS, RESIDENTS], { ...TIMES, from: -10 * HOUR });
    assert.equal(resident?.metric, RESIDENT);
    assert.equal(resident?.valueAt, 600);
    assert.equal(resident?.valueTo, null);
    assert.equal(resident?.to, 23 * HOUR);
    assert.equal(resident?.lowTo, 1000, 'the slow edge is at the limit after eight hours');
    assert.equal(600 + (((resident?.highTo ?? 0) - 600) / 8) * 4, 1000, 'the fast edge after four');
  });

  it('are not drawn for what does not rise, nor without a sample of this life', () => {
    assert.deepEqual(trendsOf(verdict({ verdict: 'healthy' }), [HEAPS, RESIDENTS], TIMES), []);
    assert.deepEqual(trendsOf(verdict({ slopePerHour: -3, limit: undefined }), [HEAPS], TIMES), []);
    assert.deepEqual(trendsOf(verdict(), [HEAPS, RESIDENTS], { ...TIMES, lifeFrom: 16 * HOUR }), []);
  });
});
