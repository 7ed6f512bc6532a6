/** Follows an incident through a restart of its target. */
import { formatAge } from '../../base/say.ts';
import { afterRestart, medianOf, type LifeSeries } from '../../judge/cycle/after-restart.ts';
import { closeIncident, saveIncident } from './life-cycle.ts';
import { analysisOfIncident } from './incident-analysis.ts';
import { addStep, type TargetIncident, type TargetSubject } from '../state/incidents.ts';
import type { WatchState } from '../state/watch-state.ts';
import type { Restart } from '../state/target-samples.ts';
import type { WatchedTarget } from '../state/watched-target.ts';
import type { SampleSeries } from '../../store/records.ts';
import { logEvent } from '../state/story.ts';

/** In the detector's hours. */
const WARM_UP_HOURS = 8;
const MIN_HOURS = 24;
const MAX_POINTS = 600;
const PODS = 'kubelet_running_pods';

export function noteRestart(state: WatchState, target: WatchedTarget, { at, startSeconds }: Restart): void {
  const life = target.samples.lives.at(-2);
  const age = life === undefined ? '' : ` after ${formatAge((life.to ?? at) - life.from)}`;
  state.ports.store.put({
    kind: 'event',
    record: { target: target.name, at: startSeconds, kind: 'restart', text: `the process was restarted${age}` },
  });
  logEvent(state, at, target.name, `was restarted${age}`);
  const incident = state.incidents.ofTarget(target.incidentId);
  if (incident === undefined) return;
  incident.subject.restart = { at, startSeconds, lifeBeganAt: life?.from ?? incident.openedAt };
  incident.subject.afterRestart = { verdict: 'too early', text: 'it was restarted just now' };
  addStep(incident, { at: startSeconds, kind: 'restarted', text: `restarted${age}` });
  saveIncident(state, incident, at);
}

/** After each evaluation, until it is known whether the leak came back. */
export async function followRestart(state: WatchState, incident: TargetIncident, now: number): Promise<void> {
  const { subject, closedAt } = incident;
  const { restart, target } = subject;
  if (restart === null || closedAt !== null || subject.afterRestart?.verdict !== 'too early') return;
  const hour = state.options.hourSeconds;
  const before = await lifeSeries(state, subject, restart.lifeBeganAt + WARM_UP_HOURS * hour, restart.startSeconds - 1);
  const after = await lifeSeries(state, subject, restart.startSeconds + WARM_UP_HOURS * hour, now);
  const verdict = afterRestart({
    unit: subject.unit,
    before,
    after,
    leastSeconds: MIN_HOURS * hour,
    family: familyOf(state, incident),
  });
  subject.afterRestart = verdict;
  if (verdict.verdict === 'too early') return;
  subject.afterRestart = { ...verdict, at: now };
  addStep(incident, { at: now, kind: 'after restart', text: `${verdict.verdict}: ${verdict.text}` });
  state.ports.store.put({
    kind: 'event',
    record: { target, at: now, kind: 'note', text: `after the restart: ${verdict.verdict}` },
  });
  logEvent(state, now, target, `after the restart: ${verdict.verdict}; ${verdict.text}`);
  if (verdict.verdict === 'cleared, external trigger')
    closeIncident(state, incident, now, 'the restart cleared it: something outside triggered it');
}

async function lifeSeries(
  state: WatchState,
  { metric, target }: TargetSubject,
  from: number,
  to: number,
): Promise<LifeSeries> {
  const found =
    from < to
      ? await state.ports.store.query({ target, metrics: [metric, PODS], from, to, maxPoints: MAX_POINTS })
      : [];
  const of = (name: string): SampleSeries | undefined => found.find(one => one.metric === name);
  const series = of(metric);
  return { times: series?.times ?? [], values: series?.values ?? [], pods: medianOf(of(PODS)?.values ?? []) };
}

/** What grows according to the profiles of both lives. */
function familyOf(state: WatchState, incident: TargetIncident): string | undefined {
  const growing = (analysisOfIncident(state, incident)?.findings ?? []).filter(
    ({ verdict, growth }) => verdict === 'leak' && (growth?.delta ?? 0) > 0,
  );
  const counts = new Map<string, number>();
  for (const { family } of growing) counts.set(family.id, (counts.get(family.id) ?? 0) + 1);
  return growing.find(({ family }) => (counts.get(family.id) ?? 0) > 1)?.family.title;
}
