/** How long until a limit is reached: from weeks of history if there are, else from the minutes of the capture. */
import type { MetricGrowth } from '../../judge/growth/metric-growth.ts';
import type { DetectedTarget, ResourceDetection } from '../../judge/detect/recorded-detection.ts';
import type { TimeToLimit, TriageScrape } from './triage.ts';
import { mayLeak } from '../../judge/verdict.ts';
import { GO_THREAD_LIMIT } from '../../evidence/resource.ts';

/** Resident memory grows at most twice as much as the live heap, because the collector waits until it has doubled. */
const MOST_RESIDENT_PER_LIVE = 2;

export interface LimitFacts {
  readonly scrape: TriageScrape | undefined;
  readonly detected: DetectedTarget | undefined;
  /** The capture's last process. */
  readonly growths: readonly MetricGrowth[];
  /** The limit that the user gave. */
  readonly memoryLimitBytes: number | undefined;
}

export function timeToLimit(facts: LimitFacts): TimeToLimit | undefined {
  const all = [...fromHistory(facts), ...fromCapture(facts)];
  // Weeks tell more than minutes.
  const preferred = all.some(({ from }) => from === 'history') ? all.filter(({ from }) => from === 'history') : all;
  return preferred.sort((a, b) => a.hours[0] - b.hours[0])[0];
}

function fromHistory(facts: LimitFacts): TimeToLimit[] {
  const rising = (facts.detected?.resources ?? []).filter(({ verdict }) => mayLeak(verdict));
  return rising.flatMap(({ resource, timeToLimitHours: hours, unit, limit: basis }) => {
    // The detector may know a limit that no option gives, such as that of the cgroup.
    const limit = limitOf(resource, facts) ?? null;
    return hours === null
      ? []
      : [{ hours, resource, limit: limit ?? basis?.value ?? null, unit, from: 'history' as const, basis }];
  });
}

function fromCapture(facts: LimitFacts): TimeToLimit[] {
  return facts.growths.flatMap(({ resource, unit, trend, density, to, lowPerHour, highPerHour }) => {
    if ((trend !== 'steady' && trend !== 'rising') || density?.follows === true || highPerHour <= 0) return [];
    const limit = limitOf(resource, facts);
    if (limit === undefined) return [];
    const isHeap = resource === 'live heap';
    const resident = isHeap ? facts.scrape?.residentBytes : undefined;
    const level = resident ?? to;
    const room = Math.max(0, limit - level);
    const perHour = [Math.max(0, lowPerHour), highPerHour * (isHeap ? MOST_RESIDENT_PER_LIVE : 1)] as const;
    const hours = [room / perHour[1], lowPerHour > 0 ? room / lowPerHour : null] as const;
    const of = resident === undefined || resident === null ? resource : 'resident memory';
    const basis = room > 0 ? { value: limit, from: sourceOf(resource, facts), of, level, perHour } : null;
    return [{ hours, resource, limit, unit, from: 'capture' as const, basis }];
  });
}

/** Where `limitOf` has it from. */
function sourceOf(resource: MetricGrowth['resource'], { scrape, memoryLimitBytes }: LimitFacts): string {
  if (resource === 'threads') return 'the Go runtime';
  if (resource === 'file descriptors') return 'process_max_fds';
  return memoryLimitBytes === undefined ? (scrape?.memoryLimit?.from ?? 'given') : 'given';
}

function limitOf(
  resource: MetricGrowth['resource'] | ResourceDetection['resource'],
  { scrape, memoryLimitBytes }: LimitFacts,
): number | undefined {
  switch (resource) {
    case 'live heap':
      return memoryLimitBytes ?? scrape?.memoryLimit?.bytes;
    case 'file descriptors':
      return scrape?.maxFiles ?? undefined;
    case 'threads':
      return GO_THREAD_LIMIT;
    default:
      return undefined;
  }
}
