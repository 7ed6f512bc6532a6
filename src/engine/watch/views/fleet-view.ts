/** The fleet: one row per target, worst first. */
import { formatCount } from '../../../base/quantities.ts';
import { finiteOrNull } from '../../../base/finite.ts';
import type { FleetRow, FleetView, TargetCause, TimeBins } from '../../../model/watch.ts';
import { type Verdict, compareVerdicts, mayLeak } from '../../../model/verdict.ts';
import { explanationOf, healthyCauseOf, shownResourceOf } from '../incidents/cause-phrases.ts';
import { limitText, targetSentence } from '../incidents/phrases.ts';
import { isSelf, type WatchedTarget } from '../state/watched-target.ts';
import type { WatchState } from '../state/watch-state.ts';
import { sparkValues } from './spark-values.ts';
import { binsOf } from './time-bins.ts';

export function fleetView(state: WatchState, hours: number): FleetView {
  const now = state.ports.clock.now();
  const bins = binsOf(state, hours, now);
  const rows = [...state.targets.values()].map(target => rowOf(state, target, bins, now)).sort(byWeight);
  // The headline and the counts are about what is watched, not about Oakum itself.
  const watched = rows.filter(({ target }) => !isSelf(target));
  const counts: Record<Verdict, number> = { leak: 0, watch: 0, healthy: 0, unknown: 0 };
  for (const { verdict } of watched) counts[verdict]++;
  return { schema: 'oakum.fleet/v1', at: now, sentence: sentenceOf(state, watched, counts), counts, bins, rows };
}

function rowOf(
  state: WatchState,
  target: WatchedTarget,
  { from, stepSeconds, count }: TimeBins,
  now: number,
): FleetRow {
  const { name } = target;
  const shown = shownResourceOf(target);
  const resource = shown?.resource ?? (target.lastSampleAt === undefined ? null : 'live heap');
  const limit = shown?.timeToLimitHours;
  return {
    target: name,
    attributes: target.attributes,
    verdict: target.verdict?.verdict ?? 'unknown',
    resource,
    unit: shown?.unit ?? 'bytes',
    level: finiteOrNull(shown?.level),
    slopePerHour: finiteOrNull(shown?.slopePerHour),
    timeToLimitHours: limit === undefined || !Number.isFinite(limit[0]) ? null : [limit[0], finiteOrNull(limit[1])],
    reason: targetSentence(target, now),
    cause: causeOf(state, target),
    lastSampleAt: target.lastSampleAt ?? null,
    stale: target.silentWhy ?? null,
    incidentId: target.incidentId ?? null,
    heat: target.log.heat(from, stepSeconds, count, now),
    spark:
      resource === null
        ? new Array<null>(count).fill(null)
        : sparkValues(target.levels.spark(resource, from, stepSeconds, count)),
  };
}

/** What the captures of the open incident show; of any other target, why it grows. */
export function causeOf({ incidents }: WatchState, target: WatchedTarget): TargetCause | null {
  const verdict = target.verdict?.verdict ?? 'unknown';
  if (!mayLeak(verdict)) return verdict === 'healthy' ? healthyCauseOf(target) : explanationOf(target);
  return (target.incidentId === undefined ? undefined : incidents.get(target.incidentId)?.cause) ?? null;
}

/** Worst first, then by time to the limit, then by name. */
function byWeight(a: FleetRow, b: FleetRow): number {
  if (a.verdict !== b.verdict) return compareVerdicts(a.verdict, b.verdict);
  const [x, y] = [a.timeToLimitHours?.[0] ?? Infinity, b.timeToLimitHours?.[0] ?? Infinity];
  return x !== y ? x - y : a.target < b.target ? -1 : 1;
}

function sentenceOf(state: WatchState, rows: readonly FleetRow[], counts: Readonly<Record<Verdict, number>>): string {
  if (rows.length === 0) return 'No targets yet.';
  const seen = rows.filter(({ lastSampleAt }) => lastSampleAt !== null).length;
  if (seen === 0) return `None of ${formatCount(rows.length)} targets has answered yet.`;
  const leaking = rows.filter(({ verdict }) => verdict === 'leak');
  const watched = counts.watch === 0 ? '' : `; ${formatCount(counts.watch)} more to watch`;
  if (leaking.length === 0) {
    if (counts.watch > 0) {
      const since = sinceRestarts(state, rows);
      return `No leak is proved${since}; ${formatCount(counts.watch)} of ${formatCount(rows.length)} to watch.`;
    }
    if (counts.healthy === 0) return `${formatCount(seen)} targets answer; too little is known about them yet.`;
    const early = counts.unknown === 0 ? '' : `; too little is known about ${formatCount(counts.unknown)}`;
    return `None of ${formatCount(rows.length)} targets leaks${early}.`;
  }
  const ofCohorts = cohortSentences(state, leaking);
  if (ofCohorts !== undefined) return ofCohorts;
  const first = leaking.find(({ timeToLimitHours }) => timeToLimitHours !== null)?.timeToLimitHours ?? undefined;
  const limit = limitText(first);
  const verb = leaking.length === 1 ? 'leaks' : 'leak';
  return `${formatCount(leaking.length)} of ${formatCount(rows.length)} targets ${verb}${cohort(rows)}${watched}${
    limit === undefined ? '' : `; first limit in ${limit}`
  }.`;
}

/** A leak that was proved before a restart must be proved again after it. */
function sinceRestarts({ incidents }: WatchState, rows: readonly FleetRow[]): string {
  const proved = rows.filter(({ incidentId }) => {
    const record = incidentId === null ? undefined : incidents.get(incidentId);
    return record?.worst === 'leak' && record.restart !== null;
  });
  const [first] = proved;
  if (first === undefined) return '';
  return ` again since ${proved.length === 1 ? `${first.target} was restarted` : `${formatCount(proved.length)} targets were restarted`}`;
}

/** Names what a cohort explains once, and then how many others leak. */
function cohortSentences(state: WatchState, leaking: readonly FleetRow[]): string | undefined {
  const open = state.cohortIncidents.allOpen();
  if (open.length === 0) return undefined;
  const isFolded = ({ incidentId }: FleetRow): boolean =>
    incidentId !== null && open.some(({ id }) => id === state.incidents.get(incidentId)?.partOf);
  const others = leaking.filter(row => !isFolded(row)).length;
  const rest = others === 0 ? '' : ` ${formatCount(others)} other ${others === 1 ? 'target leaks' : 'targets leak'}.`;
  return `${open.map(({ sentence }) => sentence).join(' ')}${rest}`;
}

/** If all leaking targets share a version that no other target has. */
function cohort(rows: readonly FleetRow[]): string {
  const versionOf = ({ attributes }: FleetRow): string => attributes['version'] ?? '';
  const leaking = rows.filter(({ verdict }) => verdict === 'leak');
  const versions = new Set(leaking.map(versionOf));
  const [version] = versions;
  if (versions.size !== 1 || version === '' || !rows.some(row => !mayLeak(row.verdict) && versionOf(row) !== version))
    return '';
  return `, ${leaking.length === 1 ? '' : 'all '}on ${version}`;
}
