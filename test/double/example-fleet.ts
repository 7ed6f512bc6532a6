/** The fleet of the example in docs/api.md: three nodes, of which one leaks and one never answered. */
import type { MadeFleet } from './served-fleet.ts';

const NOW = 1_794_772_000;
const HOUR = 3600;
const MIB = 1024 * 1024;

export const EXAMPLE_FLEET: MadeFleet = {
  schema: 'oakum.fleet/v1',
  at: NOW,
  sentence: '1 of 3 nodes leaks, on v1.36.0; limit in about 19 h (15-26 h).',
  counts: { leak: 1, watch: 0, healthy: 1, unknown: 1 },
  bins: { from: NOW - 168 * HOUR, stepSeconds: 42 * HOUR, count: 4 },
  rows: [
    {
      target: 'node/worker-1',
      attributes: { version: 'v1.36.0', pool: 'general' },
      verdict: 'leak',
      resource: 'live heap',
      unit: 'bytes',
      level: 116 * MIB,
      slopePerHour: 796_918,
      timeToLimitHours: [15, 26],
      reason: 'live heap grows 0.76 MiB/h, pods flat',
      cause: {
        kind: 'known leak',
        text: 'kubernetes#139823, fixed in 1.36.3',
        ref: 'kubernetes#139823',
        isConfirmed: true,
        fixedIn: ['1.36.3'],
        title: 'A context stays behind after every pod sync',
      },
      lastSampleAt: NOW - 20,
      stale: null,
      incidentId: 'i-1',
      heat: 'hhwl',
      spark: [96_468_992, 97_517_568, 104_857_600, 121_634_816],
    },
    {
      target: 'node/worker-2',
      attributes: { version: 'v1.36.3', pool: 'general' },
      verdict: 'healthy',
      resource: 'goroutines',
      unit: 'count',
      level: 486,
      slopePerHour: 0,
      timeToLimitHours: null,
      reason: 'goroutines flat at 486',
      cause: null,
      lastSampleAt: NOW - 18,
      stale: null,
      incidentId: null,
      heat: 'hhhh',
      spark: [484, 487, 485, 486],
    },
    {
      target: 'node/worker-3',
      attributes: {},
      verdict: 'unknown',
      resource: null,
      unit: 'count',
      level: null,
      slopePerHour: null,
      timeToLimitHours: null,
      reason: 'never answered',
      cause: null,
      lastSampleAt: null,
      stale: 'connection refused',
      incidentId: null,
      heat: '----',
      spark: [null, null, null, null],
    },
  ],
};
