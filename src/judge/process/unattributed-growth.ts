/** Growth that metrics prove and no profile explains: a finding without a family. */
import type { MetricGrowth } from '../growth/metric-growth.ts';
import type { Finding } from '../analysis.ts';
import { weigh } from '../ledger/weigh.ts';
import { trendEvidence } from './heap-findings.ts';
import { type ResourceSlug, slugOf } from '../../evidence/resource.ts';

/** A rise that counts at a level of thousands is noise at a level of ten. */
const SMALL_COUNT = 20;
const SMALL_BYTES = 4 * 1024 * 1024;

export function unattributedFinding(
  target: string,
  growth: MetricGrowth,
  attributed: ReadonlySet<ResourceSlug>,
): Finding | undefined {
  if (growth.resource === 'resident memory') return undefined;
  const resource = slugOf(growth.resource);
  if (attributed.has(resource)) return undefined;
  if (growth.trend !== 'steady' && growth.trend !== 'rising') return undefined;
  if (growth.density?.follows === true || growth.lowPerHour <= 0) return undefined;
  if (growth.to - growth.from < (growth.unit === 'bytes' ? SMALL_BYTES : SMALL_COUNT)) return undefined;
  const ledger = weigh([trendEvidence(growth)]);
  return {
    target,
    verdict: ledger.verdict,
    resource,
    family: {
      id: '',
      title: `${growth.resource}, not attributed`,
      frames: [],
      places: [],
      at: null,
      createdBy: null,
      createdAt: null,
      state: null,
      labels: [],
    },
    count: growth.unit === 'count' ? growth.to : 0,
    bytes: growth.unit === 'bytes' ? growth.to : null,
    share: 1,
    life: null,
    growth: {
      from: growth.from,
      to: growth.to,
      delta: growth.to - growth.from,
      perHour: growth.perHour,
      perHourRange: [growth.lowPerHour, growth.highPerHour],
      perOperation: null,
      monotone: false,
      seconds: growth.hours * 3600,
      compared: null,
    },
    retention: null,
    waitMinutes: null,
    ages: null,
    holds: [],
    lock: null,
    owner: { name: 'unknown', inferred: true },
    cause: null,
    matches: [],
    reasons: [growth.sentence],
    ledger,
    advice: [],
  };
}
