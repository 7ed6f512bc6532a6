import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { aFinding } from '../../../test/double/plan-facts.ts';
import type { Snapshot } from '../../evidence/snapshots/snapshot.ts';
import { withScrapedSlope } from './evidence-findings.ts';

const MB = 1e6;
const T0 = 1_794_000_000;

/** Scrapes of a live heap that grows by so many MB an hour, one file each. */
function scrapes(
  perHour: number,
  { count = 20, node = 'worker-1', key = 'p', noise = 0.05, from = T0 } = {},
): Snapshot[] {
  return Array.from({ length: count }, (_, i) => {
    const at = from + i * 15;
    const heap = (60 + (perHour * (i * 15)) / 3600 + (((i * 7919) % 13) - 6) * noise) * MB;
    const series = (name: string, value: number) => ({
      name,
      labels: {},
      times: Float64Array.of(at),
      values: Float64Array.of(value),
    });
    return {
      path: `metrics-${at}.prom`,
      kind: 'metrics',
      process: { key, target: node, startTimeSeconds: from },
      takenAtSeconds: at,
      series: new Map([
        ['go_gc_heap_live_bytes', series('go_gc_heap_live_bytes', heap)],
        ['go_goroutines', series('go_goroutines', 700)],
      ]),
    } as unknown as Snapshot;
  });
}

describe('the slope of a finding', () => {
  it('is that of the whole resource, by the scrapes beside the profiles', () => {
    const finding = aFinding('worker-1', { slopePerHour: 19 * MB, slopeInterval: [-13 * MB, 51 * MB] });
    const { slopePerHour, slopeInterval } = withScrapedSlope(finding, scrapes(90));
    assert.ok(Math.abs((slopePerHour ?? 0) - 90 * MB) < 10 * MB, String(slopePerHour));
    assert.ok((slopeInterval?.[0] ?? 0) > 0 && (slopeInterval?.[1] ?? 0) > 90 * MB);
  });

  it('stays that of the families without enough scrapes of the node, or when they show no sure rise', () => {
    const finding = aFinding('worker-1', { slopePerHour: 19 * MB });
    const same = [
      [],
      scrapes(90, { count: 5 }),
      scrapes(90, { node: 'worker-2' }),
      scrapes(0, { noise: 2 }),
      scrapes(-50),
    ];
    for (const snapshots of same) assert.deepEqual(withScrapedSlope(finding, snapshots), finding);
    const other = aFinding('worker-1', { resource: null });
    assert.deepEqual(withScrapedSlope(other, scrapes(90)), other);
    // Goroutines do not grow here.
    const goroutines = aFinding('worker-1', { resource: 'goroutines', unit: 'count', slopePerHour: 3 });
    assert.equal(withScrapedSlope(goroutines, scrapes(90)).slopePerHour, 3);
  });

  it('is of the last process, not across a restart', () => {
    const both = [...scrapes(0, { key: 'old' }), ...scrapes(120, { key: 'new', from: T0 + 3600 })];
    const { slopePerHour } = withScrapedSlope(aFinding('worker-1'), both);
    assert.ok(Math.abs((slopePerHour ?? 0) - 120 * MB) < 12 * MB, String(slopePerHour));
  });
});
