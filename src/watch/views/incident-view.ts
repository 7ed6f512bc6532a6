/** One incident with everything that is known about it. */
import { cycleOf } from '../../judge/cycle/cycle-of.ts';
import { cohortEvidence, weighCohorts } from '../../judge/ledger/cohort-evidence.ts';
import { resourceOf } from '../../evidence/resource.ts';
import type { Analysis, ResourceLedger } from '../../judge/analysis.ts';
import type { CycleObservation, OomCycle } from '../../evidence/cycle/cycle.ts';
import type { IncidentView } from '../watch-model.ts';
import { nodeName } from '../../evidence/target.ts';
import { cycleObservation, KEPT_CYCLE_METRICS } from '../../evidence/cycle/metrics-evidence.ts';
import type { TargetIncident } from '../state/incidents.ts';
import { analyzeCaptures, incidentCaptures } from '../incidents/incident-analysis.ts';
import type { WatchedTarget } from '../state/watched-target.ts';
import type { WatchState } from '../state/watch-state.ts';
import { elementAt } from '../../base/errors.ts';
import { currentLedgers, weighTogether } from '../../judge/ledger/metric-evidence.ts';
import { incidentSummary } from './incidents-view.ts';
import { captureView } from './evidence-view.ts';

const CYCLE_POINTS = 400;
/** How far to look back before the incident was opened. */
const LEAD_SECONDS = 24 * 3600;

export async function incidentView(state: WatchState, incident: TargetIncident): Promise<IncidentView> {
  const { subject, closedAt, openedAt, timeline, notes } = incident;
  const { target, cause } = subject;
  const captures = incidentCaptures(state, incident);
  const analysis = (await analyzeCaptures(state, incident.id, captures)) ?? null;
  const cycle = await cycleView(state, target, openedAt - LEAD_SECONDS, closedAt ?? state.ports.clock.now());
  return {
    schema: 'oakum.incident/v1',
    ...incidentSummary(state, incident),
    timeline: [...timeline].sort((a, b) => a.at - b.at),
    captures: captures.map(captureView),
    cycle,
    afterRestart: restartView(state, incident),
    cause,
    notes,
    analysis,
    // For a closed incident, only what its captures show: the metrics have moved on.
    ledgers: ledgersOf(state, closedAt === null ? state.targets.get(target) : undefined, analysis),
    todo: todoOf(state, incident, analysis, cycle),
    avoid: avoidOf(analysis),
  };
}

function restartView({ targets }: WatchState, { subject, closedAt }: TargetIncident): IncidentView['afterRestart'] {
  if (subject.afterRestart === null) return null;
  const { verdict, text, slopes = null, at = null } = subject.afterRestart;
  const target = at === null || closedAt !== null ? undefined : targets.get(subject.target);
  const current = target?.verdictOf(subject.resource);
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
  { subject: { target, captureIds }, closedAt }: TargetIncident,
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
