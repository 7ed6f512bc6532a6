/** The sentences of watch. */
import { formatAmount, formatCount, formatRate, limitIn } from '../../base/say.ts';
import type { Analysis } from '../../judge/analysis.ts';
import type { ResourceVerdict } from '../../judge/detect/detection.ts';
import { fixedInText } from '../../knowledge/known-leak-match.ts';
import { mayLeak } from '../../judge/verdict.ts';
import { changeableAliases, clustersText } from '../../judge/cohorts/cohort-model.ts';
import { GATE_PREFIX } from '../../evidence/attributes-of-series.ts';
import { nodeName } from '../../evidence/target.ts';
import { factsOf, verbOf } from '../../evidence/resource.ts';
import type { CohortIncident, TargetIncident } from '../state/incidents.ts';
import type { WatchState } from '../state/watch-state.ts';
import type { WatchedTarget } from '../state/watched-target.ts';
import { isTooLittle, smallRiseOf, smallRiseText } from './cause-phrases.ts';

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** `19:57 UTC`, or `Nov 14 19:57 UTC` on another day. */
export function timeOfDay(at: number, now: number): string {
  const text = new Date(at * 1000).toUTCString();
  const [, day, month] = text.split(' ');
  const clock = `${text.slice(17, 22)} UTC`;
  return Math.abs(now - at) < 20 * 3600 ? clock : `${month} ${day} ${clock}`;
}

/** `live heap grows 41.8 MiB/h since 19:50 UTC, at 50 pods; limit in 15h to 1d2h` */
export function riseText(verdict: ResourceVerdict, target: WatchedTarget, now: number): string {
  const { resource, unit, slopePerHour, onsetSeconds } = verdict;
  // Captures may raise the verdict of a resource whose metric does not rise.
  if (Number.isFinite(slopePerHour) && slopePerHour <= 0) return verdict.reasons[0] ?? `${resource} may leak`;
  const slope = Number.isFinite(slopePerHour) ? ` ${formatRate(unit, slopePerHour)}` : '';
  const since = sinceText(onsetSeconds, target.samples.firstAt, now);
  const pods = target.samples.latest['kubelet_running_pods'];
  const load = pods === undefined ? '' : `, at ${formatCount(pods)} pods`;
  const limit = limitIn(verdict.timeToLimitHours);
  const none = resource === 'live heap' && target.limitSource === undefined ? '; no memory limit is known' : '';
  const { limitSource } = target;
  // A limit that the user gave needs no source.
  const source = limit === undefined || limitSource === undefined || limitSource === 'given' ? '' : ` (${limitSource})`;
  const end = limit === undefined ? none : `; ${limit}${resource === 'live heap' ? source : ''}`;
  return `${resource} ${verbOf(resource, 'grows')}${slope}${since}${load}${end}`;
}

/** `; goroutines grow 1,240/h, too`: every other resource with the same verdict. */
function alsoText({ worst, verdict }: WatchedTarget): string {
  const others = verdict?.resources.filter(one => one !== worst && one.verdict === worst?.verdict) ?? [];
  return others
    .map(({ resource, unit, slopePerHour }) => {
      if (!(slopePerHour > 0)) return `; ${resource} may leak, too`;
      return `; ${resource} ${verbOf(resource, 'grows')} ${formatRate(unit, slopePerHour)}, too`;
    })
    .join('');
}

/** A rise without an onset began before the first sample. */
function sinceText(onsetSeconds: number | undefined, firstSampleAt: number | undefined, now: number): string {
  if (onsetSeconds !== undefined) return ` since ${timeOfDay(onsetSeconds, now)}`;
  return firstSampleAt === undefined ? '' : ` since before ${timeOfDay(firstSampleAt, now)}`;
}

/** The verdict of a target in one line, and where its samples come from if it has no metrics. */
export function targetSentence(target: WatchedTarget, now: number): string {
  const { sampled } = target.attributes;
  const sentence = verdictSentence(target, now);
  return sampled === undefined ? sentence : `${sentence} It has no /metrics: sampled from ${sampled}.`;
}

function verdictSentence(target: WatchedTarget, now: number): string {
  const { worst } = target;
  if (target.awaitsHistory) return 'Its past is being read; a verdict follows.';
  if (target.verdict === undefined || worst === undefined)
    return target.samples.lastAt === undefined ? 'It was not seen yet.' : 'Too little is known about it yet.';
  switch (target.verdict.verdict) {
    case 'leak':
      return `${capital(riseText(worst, target, now))}${alsoText(target)}.`;
    case 'watch':
      return `${capital(riseText(worst, target, now))}${alsoText(target)}; not proved to be a leak yet.`;
    case 'healthy':
      return healthySentence(target);
    case 'unknown':
      return unknownSentence(target, worst);
  }
}

function unknownSentence({ verdict }: WatchedTarget, worst: ResourceVerdict): string {
  const rising = verdict?.resources.find(isTooLittle)?.reasons[0];
  if (rising !== undefined) return `${capital(rising)}.`;
  // The last reason of the detector says what would change the verdict.
  return `Too little is known about it yet: ${worst.reasons.at(-1)}.`;
}

function healthySentence(target: WatchedTarget): string {
  const { verdict, samples } = target;
  const following = samples.podFollowing.followed();
  if (following !== undefined) {
    const { resource, level, pods } = following;
    const [from, to] = level.map(value => formatAmount(factsOf(resource).unit, value));
    const [fewest, most] = pods.map(formatCount);
    return `${capital(resource)} went from ${from} to ${to} while pods went from ${fewest} to ${most}: no leak.`;
  }
  const [why] = verdict?.resources.find(one => one.explanation !== undefined)?.reasons ?? [];
  if (why !== undefined) return `${capital(why)}: no leak.`;
  const rise = smallRiseOf(target);
  return rise === undefined ? 'Nothing grows beyond what pods and churn explain.' : `${capital(smallRiseText(rise))}.`;
}

/** First what it is, then the evidence, then the time left. */
export function incidentSentence(
  { subject, closedAt }: Pick<TargetIncident, 'subject' | 'closedAt'>,
  target: WatchedTarget | undefined,
  analysis: Analysis | undefined,
  now: number,
): string {
  const parts: string[] = [];
  const known = analysis?.findings.flatMap(({ matches }) => matches).find(({ affected }) => affected !== 'fixed');
  const worst = target?.worst;
  if (known !== undefined && known.grade !== 'possible') {
    // A confirmed match stays confirmed, whichever captures are compared later.
    const isConfirmed = subject.matches.includes(`${known.ref} (confirmed)`);
    parts.push(`${isConfirmed ? 'Known' : 'Probably known'} leak ${known.ref}, ${fixedInText(known)}`);
  } else if (worst !== undefined && target !== undefined && mayLeak(worst.verdict)) {
    parts.push(capital(riseText(worst, target, now) + alsoText(target)));
  } else parts.push(`${subject.resource} grew`);
  if (closedAt !== null) parts.push('it is over');
  else if (subject.afterRestart?.verdict === 'came back, intrinsic') parts.push('it came back after the restart');
  parts.push(subject.captureIds.length > 0 ? 'Evidence saved' : 'No evidence saved yet');
  const limit = known === undefined ? undefined : limitIn(worst?.timeToLimitHours);
  if (limit !== undefined && closedAt === null) parts.push(limit);
  return `${parts.map(capital).join('. ')}.`;
}

const ROLLED_OUT = /^(?:version|go|kernel|os|runtime|image|config|daemonset\/.*)$/;

/**
 * The sentence of a cohort's incident: what leaks, on how many, and what to do about it.
 *
 * `v1.36.0 leaks on 20 of 20 nodes, 0 of 60 elsewhere: stop the rollout`; over several clusters
 * `v1.36.0 leaks in 7 of 7 clusters that have it, on 20 of 20 nodes, 0 of 60 elsewhere: stop the rollout`
 */
export function cohortSentence(state: Pick<WatchState, 'targets'>, { subject, closedAt }: CohortIncident): string {
  const [worst] = subject.verdicts;
  if (worst === undefined) return '';
  const { attribute, value, leaking, observed, targets, controls, controlsLeaking, clusters } = worst;
  const name = [worst, ...changeableAliases(worst)].map(one => cohortName(one)).join(' or ');
  const things = leaking.every(target => nodeName(target) !== undefined) ? 'node' : 'target';
  const early = targets > observed ? `, ${formatCount(targets - observed)} not yet compared` : '';
  const verb = closedAt === null ? 'leaks' : 'leaked';
  const where = clusters === undefined ? '' : `${clustersText(clusters)}, `;
  const found =
    `${name} ${verb} ${where}on ${formatCount(leaking.length)} of ${formatCount(observed)} ${things}${observed === 1 ? '' : 's'}${early}, ` +
    `${formatCount(controlsLeaking)} of ${formatCount(controls)} elsewhere`;
  if (closedAt !== null) return `${found}; it is over.`;
  return `${found}${actionFor(state, attribute, value)}.`;
}

/** A version says what it is by itself. */
function cohortName({ attribute, value }: { readonly attribute: string; readonly value: string }): string {
  return attribute === 'version' ? value : `${attribute} ${value}`;
}

function actionFor({ targets }: Pick<WatchState, 'targets'>, attribute: string, value: string): string {
  if (attribute.startsWith(GATE_PREFIX)) return `: turn it ${value === 'on' ? 'off' : 'on'}`;
  // A pool or a zone is not rolled out.
  if (!ROLLED_OUT.test(attribute)) return '';
  const isEverywhere = [...targets.values()].every(
    ({ attributes }) => attributes[attribute] === undefined || attributes[attribute] === value,
  );
  return isEverywhere ? ': no target is left without it' : ': stop the rollout';
}

/** The change of an attribute in one line, and back: `version: v1.35.7 -> v1.36.0`. */
interface ValueChange {
  readonly attribute: string;
  readonly from: string;
  readonly to: string;
}

const ARROW = ' -> ';

export function changeText({ attribute, from, to }: ValueChange): string {
  return `${attribute.replace(/\s/g, '_')}: ${withoutArrow(from)}${ARROW}${withoutArrow(to)}`;
}

/** Undefined if the text is no change. */
export function readChangeText(text: string): ValueChange | undefined {
  const [, attribute, from, to] = /^(\S+): (.*?) -> (.*)$/s.exec(text) ?? [];
  return attribute === undefined || from === undefined || to === undefined ? undefined : { attribute, from, to };
}

/** A value that holds the arrow could not be read back. */
function withoutArrow(value: string): string {
  return value.replaceAll(ARROW, ' to ');
}
