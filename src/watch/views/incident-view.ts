/** One incident with everything that is known about it. */
import { cycleOf } from '../../judge/cycle/cycle-of.ts';
import { cohortEvidence, weighCohorts } from '../../judge/ledger/cohort.ts';
import { resourceOf, type ResourceUnit } from '../../evidence/resource.ts';
import type { Analysis, ResourceLedger } from '../../judge/analysis.ts';
import type { CycleObservation, OomCycle } from '../../evidence/cycle/cycle.ts';
import type { CaptureView, IncidentSummary, IncidentView } from '../watch-model.ts';
import { nodeName } from '../../evidence/target.ts';
import { cycleObservation, KEPT_CYCLE_METRICS } from '../../evidence/kept-cycle-metrics.ts';
import {
  type CohortIncident,
  type Incident,
  isOfCohort,
  subjectName,
  type TargetIncident,
} from '../state/incidents.ts';
import type { CohortName, CohortSummary } from '../../judge/cohorts/cohort-model.ts';
import { analyzeCaptures, incidentCaptures } from '../incidents/incident-analysis.ts';
import type { WatchedTarget } from '../state/watched-target.ts';
import type { WatchState } from '../state/watch-state.ts';
import type { StoredCapture } from '../../store/records.ts';
import { elementAt } from '../../base/errors.ts';
import { currentLedgers, weighTogether } from '../../judge/ledger/detected.ts';

const CYCLE_POINTS = 400;
/** How far to look back before the incident was opened. */
const LEAD_SECONDS = 24 * 3600;

export function incidentSummary(state: WatchState, incident: Incident): IncidentSummary {
  const { id, openedAt, closedAt, sentence } = incident;
  const common = { id, target: subjectName(incident), openedAt, closedAt, sentence };
  if (isOfCohort(incident)) {
    const { cohort, verdicts } = incident.subject;
    return {
      ...common,
      resource: verdicts[0]?.resource ?? 'live heap',
      verdict: 'leak',
      acknowledged: acknowledgedIn(incident),
      cohort: cohortSummary(state, id, cohort),
      partOf: null,
    };
  }
  const { resource, worst, partOf } = incident.subject;
  const whole = state.incidents.ofCohort(partOf);
  return {
    ...common,
    resource,
    // What is proved stays proved: after a restart the target itself is judged anew.
    verdict: worst,
    // Whoever takes care of the cohort takes care of its targets.
    acknowledged: acknowledgedIn(incident) ?? (whole === undefined ? null : acknowledgedIn(whole)),
    cohort: null,
    partOf: whole?.id ?? null,
  };
}

export function cohortSummary({ incidents }: WatchState, id: string, cohort: CohortName): CohortSummary {
  const folded = incidents.foldedInto(id);
  return { ...cohort, folded: folded.length, open: folded.filter(({ closedAt }) => closedAt === null).length };
}

/** The last one who acknowledged it. */
function acknowledgedIn({ notes }: Incident): IncidentSummary['acknowledged'] {
  const note = notes.findLast(({ acknowledges }) => acknowledges);
  return note === undefined ? null : { at: note.at, by: note.by };
}

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

/** The figures of an open incident, as they are now. */
export interface IncidentFigures {
  /** What its captures show, such as `kubernetes#139823, fixed in 1.36.3`. */
  readonly cause: string | null;
  readonly unit: ResourceUnit | null;
  readonly slopePerHour: number | null;
  readonly timeToLimitHours: readonly [number, number | null] | null;
  /** Of a cohort in several clusters: those in which it leaks, sorted. */
  readonly clusters?: readonly string[];
}

export function incidentFigures(state: WatchState, id: string): IncidentFigures {
  const cohort = state.incidents.ofCohort(id);
  return cohort === undefined ? ofTarget(state, id) : ofCohort(state, cohort);
}

/** How much faster its targets grow than others, and what the captures of one of them show. */
function ofCohort({ incidents }: WatchState, { id, subject: { verdicts } }: CohortIncident): IncidentFigures {
  const [worst] = verdicts;
  const clusters = verdicts.flatMap(one => one.clusters?.leaking ?? []);
  const known = incidents.foldedInto(id).find(({ subject }) => subject.cause !== null);
  return {
    cause: known?.subject.cause?.text ?? null,
    unit: worst?.unit ?? null,
    slopePerHour: worst?.ratePerHour?.[1] ?? null,
    timeToLimitHours: null,
    ...(worst?.clusters === undefined ? {} : { clusters: [...new Set(clusters)].sort() }),
  };
}

function ofTarget({ incidents, targets }: WatchState, id: string): IncidentFigures {
  const subject = incidents.ofTarget(id)?.subject;
  const judged = subject && targets.get(subject.target)?.verdictOf(subject.resource);
  const [low, high] = judged?.timeToLimitHours ?? [NaN, NaN];
  return {
    cause: subject?.cause?.text ?? null,
    unit: subject?.unit ?? null,
    slopePerHour: judged !== undefined && Number.isFinite(judged.slopePerHour) ? judged.slopePerHour : null,
    timeToLimitHours: Number.isFinite(low) ? [low, Number.isFinite(high) ? high : null] : null,
  };
}
