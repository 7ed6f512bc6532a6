/** Turns the detector's verdicts into timelines and incidents. */
import { mixedHash } from '../../base/text.ts';
import type { TargetVerdict, ResourceVerdict } from '../../judge/detect/detection.ts';
import { mayLeak, compareVerdicts, worseOf, worst } from '../../judge/verdict.ts';
import { isSameLife } from '../../evidence/process-life.ts';
import { cohortEvidence, weighCohorts } from '../../judge/ledger/cohort-evidence.ts';
import { knownLeaksOf } from '../../judge/bisect/known-in-version.ts';
import { closeIncident, isQuiet, updateIncident } from './life-cycle.ts';
import { isOfKnownCohort } from './follow-cohorts.ts';
import { followRestart } from './follow-restart.ts';
import { addStep, type TargetIncident } from '../state/incidents.ts';
import { isSmallRise, isTooLittle } from './cause-phrases.ts';
import { riseText } from './phrases.ts';
import type { WatchedTarget } from '../state/watched-target.ts';
import type { WatchState } from '../state/watch-state.ts';
import type { ResourceLedger } from '../../judge/analysis.ts';
import type { Evidence } from '../../judge/ledger/ledger.ts';
import { type Resource, resourceOf, slugOf, verbOf } from '../../evidence/resource.ts';
import { amountIn, hourly } from '../../base/say.ts';
import { yieldToEventLoop } from '../../base/bounded-work.ts';
import { currentLedgers, raiseVerdict, weighTogether } from '../../judge/ledger/metric-evidence.ts';
import { logEvent } from '../state/story.ts';

/** Targets between two yields to the event loop: some milliseconds. */
const CHUNK = 250;
const RESENT_SECONDS = 1800;

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
  const weighed = weighTarget(detected, target.captures.ledgers, resource =>
    cohortEvidence(target.name, resource, { ...target.gates, ...target.attributes }, state.cohorts),
  );
  const verdict = withKnownLeaks(state, target, weighed);
  noteChanges(state, target, verdict, now);
  target.detected = detected;
  target.verdict = verdict;
  target.log.add(now, verdict.verdict);
  sendVerdict(state, target, now);
  const incident = followIncident(state, target, now);
  if (incident === undefined) return;
  await followRestart(state, incident, now);
  updateIncident(state, incident, now);
}

/**
 * What rises too little to judge may be a leak that this version is known for. Where one is known, a rise that would
 * otherwise be too small to matter is not called healthy.
 */
function withKnownLeaks({ ports }: WatchState, target: WatchedTarget, verdict: TargetVerdict): TargetVerdict {
  const { version } = target.attributes;
  if (version === undefined || !verdict.resources.some(mayBeKnown)) return verdict;
  const resources = verdict.resources.map(one => {
    const facts = { component: target.component, version };
    const known = mayBeKnown(one) ? knownLeaksOf(facts, one.resource, ports.catalogue) : [];
    if (known.length === 0) return one;
    const refs = known.map(({ ref }) => ref).join(', ');
    const amount = amountIn(one.unit);
    const [low, high] = one.slopeInterval;
    const rises = `${one.resource} ${verbOf(one.resource, 'rises')} ${hourly(amount(one.slopePerHour))} (${amount(low)} to ${amount(high)})`;
    const reason = `${rises}, too little to judge yet; ${version} has a known leak of ${one.resource}: ${refs}`;
    const reasons = [reason, ...one.reasons.slice(1)];
    return { ...one, verdict: 'unknown' as const, explanation: 'unproved' as const, reasons };
  });
  resources.sort((a, b) => compareVerdicts(a.verdict, b.verdict));
  return { ...verdict, verdict: worseOf(verdict.verdict, worst(resources.map(one => one.verdict))), resources };
}

function mayBeKnown(one: ResourceVerdict): boolean {
  return isTooLittle(one) || isSmallRise(one);
}

/** Other replicas show it. The numbers of a healthy target change all the time, and are sent now and then. */
function sendVerdict({ outgoing }: WatchState, target: WatchedTarget, at: number): void {
  const { name, detected, verdict, proved, sent } = target;
  if (outgoing === undefined || detected === undefined || verdict === undefined) return;
  const isWell = verdict.resources.every(one => !mayLeak(one.verdict));
  const essence = isWell ? verdict.resources.map(one => [one.resource, one.verdict, one.explanation]) : verdict;
  const print = mixedHash(JSON.stringify([verdict.verdict, essence, proved]));
  // Targets that were judged at the same time are not all sent again at the same time.
  const resentAfter = RESENT_SECONDS * (0.5 + mixedHash(name) / 2 ** 33);
  if (sent !== undefined && sent.print === print && (!isWell || at - sent.at < resentAfter)) return;
  target.sent = { print, at };
  outgoing.putVerdict({ target: name, at, detected, ...(verdict === detected ? {} : { verdict }), proved });
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
function followIncident(state: WatchState, target: WatchedTarget, now: number): TargetIncident | undefined {
  const { worst, verdict } = target;
  const isSuspect = worst !== undefined && verdict !== undefined && mayLeak(verdict.verdict);
  const incident = state.incidents.ofTarget(target.incidentId);
  if (incident === undefined) return isSuspect ? openIncident(state, target, worst, now) : undefined;
  const { subject } = incident;
  if (isSuspect) {
    incident.quietSince = null;
    if (worst.verdict === 'leak' && subject.verdict !== 'leak') {
      subject.resource = worst.resource;
      subject.unit = worst.unit;
      subject.metric = worst.metric;
      const text = `proved: ${riseText(worst, target, now)}`;
      addStep(incident, { at: now, kind: 'leak', text });
      if (!isOfKnownCohort(state, target)) logEvent(state, now, target.name, `leak ${text}`);
    }
    subject.verdict = worst.verdict;
    if (worst.verdict === 'leak') subject.worst = 'leak';
    return incident;
  }
  subject.verdict = verdict?.verdict ?? 'unknown';
  if (isQuiet(state, incident, now)) closeIncident(state, incident, now, 'nothing grows any more');
  return incident.closedAt === null ? incident : undefined;
}

function openIncident(state: WatchState, target: WatchedTarget, worst: ResourceVerdict, now: number): TargetIncident {
  const { resource, unit, metric, verdict, onsetSeconds } = worst;
  const { name } = target;
  const incident = state.incidents.open({ kind: 'target', target: name, resource, unit, metric, verdict }, now);
  target.incidentId = incident.id;
  if (onsetSeconds !== undefined)
    addStep(incident, { at: onsetSeconds, kind: 'slope', text: `${resource} begins to grow` });
  const text = riseText(worst, target, now);
  addStep(incident, { at: now, kind: verdict === 'leak' ? 'leak' : 'watch', text });
  // Captures of this life from before the suspicion are what later ones are compared with.
  const start = target.startSeconds;
  for (const capture of state.captures.values()) {
    if (capture.target === name && isSameLife(capture.processStartSeconds, start))
      incident.subject.captureIds.push(capture.id);
  }
  // The log says it once, of the cohort.
  if (!isOfKnownCohort(state, target)) logEvent(state, now, name, `${verdict}: ${text}`);
  state.ports.store.put({
    kind: 'event',
    record: { target: name, at: now, kind: 'note', text: `incident ${incident.id} opened` },
  });
  return incident;
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
    .map(one => {
      const ledger = ledgers.find(({ resource }) => resource === slugOf(one.resource));
      return ledger === undefined ? one : raiseVerdict(one, ledger);
    })
    .sort((a, b) => compareVerdicts(a.verdict, b.verdict));
  return { ...detected, verdict: resources.map(({ verdict }) => verdict).reduce(worseOf, detected.verdict), resources };
}
