/** A made-up fleet as the API answers it: most nodes healthy, a few of one version leak, one does not answer. */
import type { FleetRow, FleetView } from '../../src/watch/views/fleet.ts';
import { type MadeFleet, servedFleet } from '../double/served-fleet.ts';
import type { WatchStatus } from '../../src/watch/watch-model.ts';
import type { Verdict } from '../../src/judge/verdict.ts';
import { fleetParameters } from '../../src/watch/server/parameters.ts';

/** Wednesday, 5 August 2026, 12:00 UTC. */
export const NOW: number = Date.UTC(2026, 7, 5, 12) / 1000;
const MIB = 1024 * 1024;
const BINS = 96;

export function madeStatus(changes: Partial<WatchStatus> = {}): WatchStatus {
  return {
    schema: 'oakum.status/v1',
    version: '0.1.0',
    mode: 'cluster',
    cluster: 'prod-eu-1',
    startedAt: NOW - 30 * 86_400,
    now: NOW,
    pace: 1,
    targetCount: 24,
    lastRoundSeconds: 2.1,
    silent: [],
    capturesAllowed: true,
    missingRights: [],
    store: { bytes: 412 * MIB, degraded: null },
    grafana: null,
    story: [],
    ...changes,
  };
}

/** Deterministic noise in [0, 1). */
function noise(seed: number): number {
  const x = Math.sin(seed * 12.9898) * 43_758.5453;
  return x - Math.floor(x);
}

/** Answers what the page asks of it, as the server of a watch does. */
export function served(made: MadeFleet): (url: URL) => Promise<FleetView> {
  const { fleet } = servedFleet(made);
  return url => {
    const { hours, query } = fleetParameters(url);
    return fleet(hours, query);
  };
}

export function madeFleet(count = 24, hours = 168): MadeFleet {
  const rows = Array.from({ length: count }, (_, i) => madeRow(i, count));
  const counts: Record<Verdict, number> = { leak: 0, watch: 0, healthy: 0, unknown: 0 };
  for (const { verdict } of rows) counts[verdict]++;
  return {
    schema: 'oakum.fleet/v1',
    at: NOW,
    sentence: `${counts.leak} of ${count} nodes leak, all on v1.36.0; first limit in about 19 h (15-26 h).`,
    counts,
    bins: { from: NOW - hours * 3600, stepSeconds: (hours * 3600) / BINS, count: BINS },
    rows,
  };
}

function verdictAt(index: number, count: number): Verdict {
  const leaks = Math.max(3, Math.floor(count / 70));
  if (index < leaks) return 'leak';
  if (index < leaks + Math.max(2, Math.floor(count / 200))) return 'watch';
  return index === count - 1 ? 'unknown' : 'healthy';
}

function madeCause(verdict: Verdict, index: number): FleetRow['cause'] {
  if (verdict === 'leak')
    return {
      kind: 'known leak',
      text: 'kubernetes#139823, fixed in 1.36.3',
      ref: 'kubernetes#139823',
      isConfirmed: true,
      fixedIn: ['1.36.3'],
      title: 'A context stays behind after every pod sync',
    };
  const text = 'goroutines follow pods: 8 → 82';
  return verdict === 'healthy' && index % 9 === 0
    ? { kind: 'explained', text, ref: null, isConfirmed: false, fixedIn: [], title: text }
    : null;
}

function madeRow(index: number, count: number): FleetRow {
  const verdict = verdictAt(index, count);
  const onset = verdict === 'leak' ? 30 + ((index * 9) % 54) : verdict === 'watch' ? 80 : BINS;
  const base = (60 + 40 * noise(index)) * MIB;
  const perBin = verdict === 'leak' ? 1.3 * MIB : verdict === 'watch' ? 0.7 * MIB : 0;
  const heat = Array.from({ length: BINS }, (_, bin) => {
    if (verdict === 'unknown') return bin < 12 ? 'h' : '-';
    if (bin < onset) return 'h';
    return verdict === 'watch' || bin < onset + 10 ? 'w' : 'l';
  }).join('');
  const spark = Array.from(heat, (letter, bin) =>
    letter === '-' ? null : base + Math.max(0, bin - onset) * perBin + (noise(index * 131 + bin) - 0.5) * 3 * MIB,
  );
  const rising = verdict === 'leak' || verdict === 'watch';
  return {
    target: `node/worker-${String(index + 1).padStart(String(count).length, '0')}`,
    attributes: {
      version: rising || index % 7 === 0 ? 'v1.36.0' : index % 3 === 0 ? 'v1.35.4' : 'v1.36.3',
      pool: index % 4 === 0 ? 'batch' : 'general',
      kernel: index % 5 === 0 ? '6.1.0-28' : '6.12.9',
    },
    verdict,
    resource: verdict === 'unknown' ? null : 'live heap',
    unit: 'bytes',
    level: verdict === 'unknown' ? null : (spark[BINS - 1] ?? null),
    slopePerHour: verdict === 'unknown' ? null : rising ? (perBin * BINS) / 168 : (noise(index + 9) - 0.5) * 8192,
    timeToLimitHours: verdict === 'leak' ? [15 + index * 8, 26 + index * 11] : verdict === 'watch' ? [96, null] : null,
    reason:
      verdict === 'leak'
        ? 'Live heap grows 0.76 MiB/h (90 %: 0.71 to 0.82) while pods and churn are flat.'
        : verdict === 'watch'
          ? 'Live heap rises, for 9 h so far; 6 h more will tell.'
          : verdict === 'unknown'
            ? 'No sample for 6 d.'
            : 'Flat for 7 d.',
    cause: madeCause(verdict, index),
    lastSampleAt: verdict === 'unknown' ? NOW - 6 * 86_400 : NOW - 20,
    stale: verdict === 'unknown' ? 'connection refused since Thu 12:00' : null,
    incidentId: verdict === 'leak' ? `i-${index + 1}` : null,
    heat,
    spark,
  };
}
