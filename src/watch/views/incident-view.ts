/** One incident with everything that is known about it. */
import { cycleOf } from '../../judge/cycle/cycle-of.ts';
import { cohortEvidence, weighCohorts } from '../../judge/ledger/cohort.ts';
import { resourceOf } from '../../evidence/resource.ts';
import type { Analysis, ResourceLedger } from '../../judge/analysis.ts';
import type { CycleObservation, OomCycle } from '../../evidence/cycle/cycle.ts';
import type { CaptureView, IncidentSummary, IncidentView } from '../watch-model.ts';
import { nodeName } from '../../evidence/target.ts';
import { KEPT_CYCLE_METRICS, cycleObservation } from '../../evidence/kept-cycle-metrics.ts';
import type { IncidentRecord } from '../state/incident-records.ts';
import { acknowledgedIn } from '../incidents/annotate.ts';
import { analyzeCaptures, incidentCaptures } from '../incidents/incident-analysis.ts';
import type { WatchedTarget } from '../state/watched-target.ts';
import type { WatchState } from '../state/watch-state.ts';
import type { StoredCapture } from '../../store/records.ts';
import { elementAt } from '../../base/errors.ts';
import { currentLedgers, weighTogether } from '../../judge/ledger/detected.ts';

const CYCLE_POINTS = 400;
/** How far to look back before the incident was opened. */
const LEAD_SECONDS = 24 * 3600;

export function incidentSummary({ cohortIncidents }: WatchState, record: IncidentRecord): IncidentSummary {
  const { id, target, resource, openedAt, closedAt, sentence, partOf = null } = record;
  const whole = partOf === null ? undefined : cohortIncidents.get(partOf);
  return {
    id,
    target,
    resource,
    // What is proved stays proved: after a restart the target itself is judged anew.
    verdict: record.worst,
    openedAt,
    closedAt,
    sentence,
    // Whoever takes care of the cohort takes care of its targets.
    acknowledged: acknowledgedIn(record) ?? (whole === undefined ? null : acknowledgedIn(whole)),
    cohort: null,
    partOf: whole === undefined ? null : partOf,
  };
}

export async function incidentView(state: WatchState, record: IncidentRecord): Promise<IncidentView> {
  const captures = incidentCaptures(state, record);
  const analysis = (await analyzeCaptures(state, record.id, captures)) ?? null;
  const to = record.closedAt ?? state.ports.clock.now();
  const cycle = await cycleView(state, record.target, record.openedAt - LEAD_SECONDS, to);
  return {
    schema: 'oakum.incident/v1',
    ...incidentSummary(state, record),
    timeline: [...record.timeline].sort((a, b) => a.at - b.at),
    captures: captures.map(captureView),
    cycle,
    afterRestart: restartView(state, record),
    cause: record.cause ?? null,
    notes: record.notes ?? [],
    analysis,
    // For a closed incident, only what its captures show: the metrics have moved on.
    ledgers: ledgersOf(state, record.closedAt === null ? state.targets.get(record.target) : undefined, analysis),
    todo: todoOf(state, record, analysis, cycle),
    avoid: avoidOf(analysis),
  };
}

function restartView({ targets }: WatchState, record: IncidentRecord): IncidentView['afterRestart'] {
  const { afterRestart, closedAt, resource } = record;
  if (afterRestart === null) return null;
  const { verdict, text, slopes = null, at = null } = afterRestart;
  const resources = closedAt === null ? targets.get(record.target)?.verdict?.resources : undefined;
  const current = at === null ? undefined : resources?.find(one => one.resource === resource);
  const now =
    current === undefined || !current.slopeInterval.every(Number.isFinite)
      ? null
      : { perHour: current.slopePerHour, interval: current.slopeInterval };
  return { verdict, text, slopes, at, now };
}

/** What captures show, weighed together with what the metrics of the target and its cohorts show now. */
export function ledgersOf(
  { cohorts }: WatchState,
  target: WatchedTarget | undefined,
  analysis: Analysis | null,
): ResourceLedger[] {
  const ofCaptures = currentLedgers(analysis?.ledgers ?? []);
  const name = target?.name ?? ofCaptures[0]?.target ?? '';
  const attributes = { ...target?.gates, ...target?.attributes };
  const ledgers = weighTogether(name, ofCaptures, target?.detected?.resources ?? []).map(ledger => ({
    ...ledger,
    ...weighCohorts(ledger, cohortEvidence(name, resourceOf(ledger.resource), attributes, cohorts)),
  }));
  return ledgers.filter(({ entries }) => entries.length > 0).sort((a, b) => b.probability - a.probability);
}

export function captureView({ id, target, at, trigger, reason, files }: StoredCapture): CaptureView {
  return {
    id,
    target,
    at,
    trigger,
    reason,
    files: files.map(({ kind, sha256, bytes, at: takenAt, truncated }) => ({
      kind,
      sha256,
      bytes,
      at: takenAt,
      truncated,
    })),
  };
}

/** Null when nothing is known about its lives. */
export async function cycleView(
  { ports, nodes }: WatchState,
  target: string,
  from: number,
  to: number,
): Promise<OomCycle | null> {
  const series = await ports.store.query({ target, metrics: KEPT_CYCLE_METRICS, from, to, maxPoints: CYCLE_POINTS });
  const byTime = new Map<number, Record<string, number>>();
  for (const { metric, times, values } of series) {
    times.forEach((time, i) => {
      let row = byTime.get(time);
      if (row === undefined) byTime.set(time, (row = {}));
      row[metric] = elementAt(values, i);
    });
  }
  const observations: CycleObservation[] = [...nodes.of(target)];
  for (const [at, values] of byTime) {
    const observation = cycleObservation(at, values);
    if (observation !== undefined) observations.push(observation);
  }
  if (observations.length === 0) return null;
  const node = nodeName(target);
  return node === undefined ? cycleOf(target, observations, { process: target }) : cycleOf(node, observations);
}

const MAX_ADVICE = 6;

export function todoOf(
  { options }: WatchState,
  { target, captureIds, closedAt }: IncidentRecord,
  analysis: Analysis | null,
  cycle: OomCycle | null,
): string[] {
  const advice = [...new Set(analysis?.findings.flatMap(finding => finding.advice) ?? [])];
  if (captureIds.length === 0 && closedAt === null)
    advice.unshift(`save evidence before any restart: oakum capture ${target}`);
  else if (captureIds.length === 1 && !options.capturesAllowed && closedAt === null)
    advice.unshift(`take a second capture, to see what grows: oakum capture ${target}`);
  return [...advice, ...(cycle?.advice ?? [])].slice(0, MAX_ADVICE);
}

function avoidOf(analysis: Analysis | null): string[] {
  const causes = analysis?.findings.flatMap(({ cause }) => cause?.avoid ?? []) ?? [];
  return [...new Set(causes)].slice(0, MAX_ADVICE);
}
