/** Turns the detector's verdicts into timelines and incidents. */
import { mixedHash } from '../../base/mixed-hash.ts';
import type { TargetVerdict, ResourceVerdict } from '../../judge/detect/detection.ts';
import { mayLeak, compareVerdicts, worseOf } from '../../judge/verdict.ts';
import { isSameLife } from '../../evidence/process-life.ts';
import { cohortEvidence, weighCohorts } from '../../judge/ledger/cohort.ts';
import { closeIncident, updateSentence } from './change-incident.ts';
import { isOfKnownCohort } from './follow-cohorts.ts';
import { followRestart } from './follow-restart.ts';
import type { IncidentRecord } from '../state/incident-records.ts';
import { riseText } from './phrases.ts';
import type { WatchedTarget } from '../state/watched-target.ts';
import { tell, type WatchState } from '../state/watch-state.ts';
import type { ResourceLedger } from '../../judge/analysis.ts';
import type { Evidence } from '../../judge/ledger/ledger.ts';
import { type Resource, resourceOf, slugOf } from '../../evidence/resource.ts';
import { yieldToEventLoop } from '../../base/bounded-work.ts';
import { currentLedgers, weighTogether } from '../../judge/ledger/detected.ts';

/** Targets between two yields to the event loop: some milliseconds. */
const CHUNK = 250;
/** In the detector's hours: if nothing grows for this long, the incident is over. */
const QUIET_HOURS = 24;
const RETOLD_SECONDS = 1800;

export async function followVerdicts(
  state: WatchState,
  verdicts: readonly TargetVerdict[],
  now: number,
): Promise<void> {
  for (const [i, verdict] of verdicts.entries()) {
    if (i > 0 && i % CHUNK === 0) await yieldToEventLoop();
    const target = state.targets.get(verdict.target);
    if (target !== undefined) await followVerdict(state, target, verdict, now);
  }
}

/** What the detector says about a target, or what a new capture adds to it. */
export async function followVerdict(
  state: WatchState,
  target: WatchedTarget,
  detected: TargetVerdict,
  now: number,
): Promise<void> {
  const verdict = weighTarget(detected, target.captured, resource =>
    cohortEvidence(target.name, resource, { ...target.gates, ...target.attributes }, state.cohorts),
  );
  noteChanges(state, target, verdict, now);
  target.detected = detected;
  target.verdict = verdict;
  target.log.add(now, verdict.verdict);
  tellVerdict(state, target, now);
  const record = followIncident(state, target, now);
  if (record === undefined) return;
  await followRestart(state, target, record, now);
  updateSentence(state, target, record, now);
}

/** Other replicas show it. The numbers of a target that is well change all the time, and are told now and then. */
function tellVerdict({ news }: WatchState, target: WatchedTarget, at: number): void {
  const { name, detected, verdict, proved, told } = target;
  if (news === undefined || detected === undefined || verdict === undefined) return;
  const isWell = verdict.resources.every(one => !mayLeak(one.verdict));
  const essence = isWell ? verdict.resources.map(one => [one.resource, one.verdict, one.explanation]) : verdict;
  const print = mixedHash(JSON.stringify([verdict.verdict, essence, proved]));
  // Those that began together do not stay together.
  const retoldAfter = RETOLD_SECONDS * (0.5 + mixedHash(name) / 2 ** 33);
  if (told !== undefined && told.print === print && (!isWell || at - told.at < retoldAfter)) return;
  target.told = { print, at };
  news.putVerdict({ target: name, at, detected, ...(verdict === detected ? {} : { verdict }), proved });
}

function noteChanges({ ports }: WatchState, target: WatchedTarget, verdict: TargetVerdict, at: number): void {
  for (const one of verdict.resources) {
    const { resource, verdict: to } = one;
    const from = target.verdictOf(resource)?.verdict ?? 'unknown';
    if (from === to) continue;
    const reason = one.reasons[0] ?? '';
    ports.store.put({ kind: 'verdict-change', record: { at, target: target.name, resource, from, to, reason } });
    // A new target that turns out healthy is not an event.
    if (!mayLeak(from) && !mayLeak(to)) continue;
    const text = mayLeak(to) ? `${to}: ${riseText(one, target, at)}` : `${resource}: ${from}, now ${to}`;
    ports.store.put({ kind: 'event', record: { target: target.name, at, kind: 'verdict', text } });
  }
}

/** The open incident, if there is one now. */
function followIncident(state: WatchState, target: WatchedTarget, now: number): IncidentRecord | undefined {
  const { incidents } = state;
  const { worst, verdict } = target;
  const record = target.incidentId === undefined ? undefined : incidents.get(target.incidentId);
  if (record === undefined) {
    if (worst === undefined || verdict === undefined || !mayLeak(verdict.verdict)) return undefined;
    return openIncident(state, target, now);
  }
  if (worst !== undefined && verdict !== undefined && mayLeak(verdict.verdict)) {
    if (record.quietSince !== null) record.quietSince = null;
    if (worst.verdict === 'leak' && record.verdict !== 'leak') {
      record.resource = worst.resource;
      record.unit = worst.unit;
      record.metric = worst.metric;
      const text = `proved: ${riseText(worst, target, now)}`;
      incidents.addStep(record, { at: now, kind: 'leak', text });
      if (!isOfKnownCohort(state, target)) tell(state, now, target.name, `leak ${text}`);
    }
    record.verdict = worst.verdict;
    if (worst.verdict === 'leak') record.worst = 'leak';
    return record;
  }
  record.quietSince ??= now;
  record.verdict = verdict?.verdict ?? 'unknown';
  const quietSeconds = (QUIET_HOURS * 3600) / state.options.timeScale;
  if (now - record.quietSince >= quietSeconds) closeIncident(state, target, record, now, 'nothing grows any more');
  return record.closedAt === null ? record : undefined;
}

function openIncident(state: WatchState, target: WatchedTarget, now: number): IncidentRecord | undefined {
  const { worst } = target;
  if (worst === undefined) return undefined;
  const { incidents, ports } = state;
  const { resource, unit, metric, verdict, onsetSeconds } = worst;
  const record = incidents.open({
    target: target.name,
    resource,
    unit,
    metric,
    verdict,
    openedAt: now,
    sentence: '',
  });
  target.incidentId = record.id;
  if (onsetSeconds !== undefined)
    incidents.addStep(record, { at: onsetSeconds, kind: 'slope', text: `${resource} begins to grow` });
  const text = riseText(worst, target, now);
  incidents.addStep(record, { at: now, kind: verdict === 'leak' ? 'leak' : 'watch', text });
  // Captures of this life from before the suspicion are what later ones are compared with.
  const start = target.startSeconds;
  for (const capture of state.captures.values()) {
    if (capture.target === target.name && isSameLife(capture.processStartSeconds, start))
      record.captureIds.push(capture.id);
  }
  // Its cohort has been told.
  if (!isOfKnownCohort(state, target)) tell(state, now, target.name, `${verdict}: ${text}`);
  ports.store.put({
    kind: 'event',
    record: { target: target.name, at: now, kind: 'note', text: `incident ${record.id} opened` },
  });
  return record;
}

/** The detector's verdict on a target, weighed together with what the captures of its life show. */
function weighTarget(
  detected: TargetVerdict,
  ofCaptures: readonly ResourceLedger[],
  ofCohorts: (resource: Resource) => readonly Evidence[],
): TargetVerdict {
  if (ofCaptures.length === 0 && detected.resources.every(({ resource }) => ofCohorts(resource).length === 0))
    return detected;
  const together = weighTogether(detected.target, currentLedgers(ofCaptures), detected.resources);
  const ledgers = together.map(ledger => ({
    ...ledger,
    ...weighCohorts(ledger, ofCohorts(resourceOf(ledger.resource))),
  }));
  const resources = detected.resources
    .map(one => weighResource(one, ledgers))
    .sort((a, b) => compareVerdicts(a.verdict, b.verdict));
  return { ...detected, verdict: resources.map(({ verdict }) => verdict).reduce(worseOf, detected.verdict), resources };
}

/**
 * Captures and cohorts may prove what the metrics of the target only suspect. They never clear it: a family may hide
 * below the sampling of a profile.
 */
function weighResource(one: ResourceVerdict, ledgers: readonly ResourceLedger[]): ResourceVerdict {
  const ledger = ledgers.find(({ resource }) => resource === slugOf(one.resource));
  if (ledger === undefined || !mayLeak(ledger.verdict) || compareVerdicts(ledger.verdict, one.verdict) >= 0) return one;
  const proof = ledger.entries.find(({ logOdds, kind }) => logOdds > 0 && kind !== 'metric-trend');
  const said = proof?.kind === 'cohort' ? proof.sentence : `captures: ${proof?.sentence ?? ''}`;
  const reasons = proof === undefined ? one.reasons : [said, ...one.reasons];
  return { ...one, verdict: ledger.verdict, reasons };
}
