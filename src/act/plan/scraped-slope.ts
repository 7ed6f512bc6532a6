/**
 * How fast a whole resource grows, from the scrapes among the evidence. What a plan expects and what verify compares
 * with is the resource; the growth of one family is only a part of it.
 */
import { theilSen } from '../../judge/growth/theil-sen.ts';
import { seriesOfProcess } from '../../evidence/snapshots/process-series.ts';
import type { NodeFinding } from './cluster-facts.ts';
import { factsOf } from '../../evidence/resource.ts';
import type { Snapshot } from '../../evidence/snapshots/snapshot.ts';
import { nameInEvidence } from '../../evidence/target.ts';

const MIN_SAMPLES = 6;
const MIN_SECONDS = 120;
/** Theil-Sen compares all pairs. */
const MAX_SAMPLES = 600;

/** With the slope of the scrapes if that is surely a rise; otherwise as it is. */
export function withScrapedSlope(finding: NodeFinding, snapshots: readonly Snapshot[]): NodeFinding {
  if (finding.resource === null) return finding;
  const own = snapshots.filter(
    ({ kind, process }) => kind === 'metrics' && nameInEvidence(process.target) === finding.node,
  );
  const last = own.reduce<Snapshot | undefined>(
    (newest, one) => ((one.takenAtSeconds ?? 0) >= (newest?.takenAtSeconds ?? 0) ? one : newest),
    undefined,
  );
  if (last === undefined) return finding;
  const all = [...seriesOfProcess(snapshots, last.process.key).values()];
  for (const metric of factsOf(finding.resource).metrics) {
    const series = all.find(({ name }) => name === metric);
    const rows = Array.from(series?.times ?? [], (at, i) => ({ at, value: series?.values[i] ?? NaN })).filter(
      ({ at, value }) => Number.isFinite(at) && Number.isFinite(value),
    );
    const every = Math.ceil(rows.length / MAX_SAMPLES);
    const used = every <= 1 ? rows : rows.filter((_, i) => i % every === 0);
    const span = (used.at(-1)?.at ?? 0) - (used[0]?.at ?? 0);
    if (used.length < MIN_SAMPLES || span < MIN_SECONDS) continue;
    const fitted = theilSen(
      used.map(({ at }) => at / 3600),
      used.map(({ value }) => value),
    );
    if (fitted === undefined || !(fitted.low > 0)) continue;
    return { ...finding, slopePerHour: fitted.slope, slopeInterval: [fitted.low, fitted.high] };
  }
  return finding;
}
