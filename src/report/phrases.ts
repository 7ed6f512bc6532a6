/** Parts of a finding in words, shared by text and markdown so that they cannot drift. All of it is safe to print. */
import type { AnalysisInput, Finding, FindingAges, FindingGrowth } from '../judge/analysis.ts';
import { type Match, matchConsequences } from '../knowledge/known-leak-match.ts';
import { isToBlame } from '../knowledge/signature.ts';
import { keptPhrase, keptRatePhrase, keptSincePhrase } from '../judge/process/retention.ts';
import { factsOf, type Resource, resourceOf, type ResourceUnit } from '../evidence/resource.ts';
import { amountIn, formatAge, formatBytes, formatCount, formatShare, hourly, signed } from '../base/say.ts';
import { visible } from '../base/visible-text.ts';
import type { LimitBasis } from '../judge/detect/recorded-detection.ts';
import { shortName } from '../profile/families/normalise.ts';

/** Whether the numbers of a finding's growth are bytes. */
export function isMemory(finding: Finding): boolean {
  if (isOfObjects(finding)) return false;
  return factsOf(resourceOf(finding.resource)).unit === 'bytes';
}

/** A gate counts objects of the heap beside its bytes. */
function isOfObjects({ resource, bytes }: Finding): boolean {
  return resource === 'heap' && bytes === null;
}

/** `21.3 MiB in 44,310 objects, 61% of the live heap` */
export function amount(finding: Finding): string {
  const { count, bytes, share } = finding;
  const part = `${formatShare(share)} of ${finding.resource === 'heap' && bytes !== null ? 'the live heap' : 'all'}`;
  const things = formatCount(count);
  if (bytes !== null) {
    // Metrics have bytes but no objects.
    const objects = count === 0 ? '' : ` in ${things} ${count === 1 ? 'object' : 'objects'}`;
    return `${formatBytes(bytes)}${objects}, ${part}`;
  }
  return `${isMemory(finding) ? formatBytes(count) : countPhrase(count, resourceOf(finding.resource))}, ${part}`;
}

/** `4 goroutines`, `1 thread` */
export function countPhrase(count: number, resource: Resource): string {
  // Objects, where nobody knows their bytes.
  if (resource === 'live heap') return `${formatCount(count)} ${count === 1 ? 'object' : 'objects'}`;
  return `${formatCount(count)} ${count === 1 ? resource.replace(/(?<!serie)s$/, '') : resource}`;
}

/** Where the code is: `leak/main.go:21`, and `created by main.start at leak/main.go:34`. */
export function placePhrases({ family: { at, createdBy, createdAt, caller } }: Finding): string[] {
  const placed = (role: string, name: string, place: string | null): string =>
    visible(`${role} ${shortName(name)}${place === null ? '' : ` at ${place}`}`);
  return [
    ...(at === null ? [] : [visible(at)]),
    ...(createdBy === null ? [] : [placed('created by', createdBy, createdAt)]),
    // Analyses that older versions stored have none.
    ...(caller == null ? [] : [placed('called from', caller.function, caller.at)]),
  ];
}

/** The stack as Go prints it, the place of each call below it. */
export function stackText({ family }: Finding, maxFrames: number = Infinity): string[] {
  const { frames, places, createdBy, createdAt } = family;
  const below = (place: string | null | undefined): string[] => (place == null ? [] : [`    ${place}`]);
  const lines = frames.slice(0, maxFrames).flatMap((frame, i) => [frame, ...below(places[i])]);
  if (frames.length > maxFrames) lines.push(`... ${frames.length - maxFrames} more`);
  return createdBy === null ? lines : [...lines, `created by ${createdBy}`, ...below(createdAt)];
}

/** `1.2 MiB -> 21.3 MiB (+20.1 MiB), 39.9 MiB/h over 31m, 486 B per operation, never fell` */
export function growthPhrase(growth: FindingGrowth, memory: boolean): string {
  const value = amountIn(memory ? 'bytes' : 'count');
  const parts = [`${value(growth.from)} -> ${value(growth.to)} (${signed(value(growth.delta))})`];
  const rate = (amount: number): string => (memory ? hourly(value(amount)) : `${value(amount)} per hour`);
  if (growth.perHour !== null) {
    const range = growth.perHourRange?.map(rate).join(' to ');
    const span = growth.seconds === null ? '' : ` over ${formatAge(growth.seconds)}`;
    parts.push(`${rate(growth.perHour)}${range === undefined ? '' : ` (${range})`}${span}`);
  }
  if (growth.perOperation !== null) parts.push(`${value(growth.perOperation)} per operation`);
  if (growth.monotone && growth.from < growth.to) parts.push('never fell');
  return parts.join(', ');
}

/** The reasons that no other part of the finding tells. */
export function otherReasons({ reasons, growth, lock }: Finding): readonly string[] {
  const shownElsewhere = [`its rate is ${growth?.compared}`, `the lock ${lock?.sentences.join('; ')}`];
  return reasons.filter(reason => !shownElsewhere.includes(reason));
}

/** Why this rate is not the one that metrics show. */
export function comparedPhrase({ compared }: FindingGrowth): string[] {
  return compared === null ? [] : [visible(compared)];
}

/** `1.35 MiB of descriptors, 1.2 MiB of label sets`; '' if unknown. */
export function heldPhrase({ holds }: Finding): string {
  return holds.map(({ what, bytes }) => `${formatBytes(bytes)} of ${what}`).join(', ');
}

/** What a heap family kept of all it allocated; none where the profile does not tell, or where nothing recurs. */
export function keptPhrases({ retention }: Finding, wide: boolean): string[] {
  if (retention === null || retention.isOneTime) return [];
  const since = wide ? keptSincePhrase(retention) : '';
  const parts = [keptPhrase(retention), keptRatePhrase(retention), since, retention.undecided ?? ''];
  return parts.filter(part => part !== '').map(visible);
}

/** Undefined when unknown. */
export function knownOwner({ owner }: Finding): string | undefined {
  return owner.name === '' || owner.name === 'unknown' ? undefined : owner.name;
}

export function waitPhrase(finding: Finding): string | undefined {
  const { waitMinutes } = finding;
  const state = finding.family.state;
  if (waitMinutes === null) return state === null ? undefined : visible(state);
  const age = (minutes: number): string => formatAge(minutes * 60);
  return `${visible(state ?? 'waiting')} for ${age(waitMinutes.median)} (median), ${age(waitMinutes.max)} at most`;
}

/** `arrive at a steady 7,205 per hour (6,622 to 7,839) for 12m, and stay` */
export function agesPhrase({ shape, perHour, sinceMinutes, binMinutes, bins }: FindingAges): string {
  const age = (minutes: number): string => formatAge(minutes * 60);
  const since = age(sinceMinutes ?? 0);
  const [low, middle, high] = (perHour ?? []).map(formatCount);
  switch (shape) {
    case 'steady':
      return `arrive at a steady ${middle} per hour (${low} to ${high}) for ${since}, and stay`;
    case 'slowing':
      return `have arrived ever less often for ${since}, and stay`;
    case 'stopped':
      return `began to arrive ${since} ago, no longer arrive, and stay`;
    case 'one-age':
      return `came at once ${since} ago: a pool or a burst`;
    case 'decaying':
      return 'leave: the older, the fewer';
    case 'short':
      return `wake or leave within ${age(bins.length * binMinutes)}`;
    case 'irregular':
      return 'come and stay in no steady way';
  }
}

/** `kubernetes#139823 (confirmed): title`, the function to blame if this stack does not have it, and its consequences. */
export function matchPhrases(match: Match, frames: readonly string[]): string[] {
  const blame = isToBlame(match, frames)
    ? []
    : [visible(`made by ${shortName(match.culprit)}; this stack only holds it`)];
  return [visible(`${match.ref} (${match.grade}): ${match.title}`), ...blame, ...matchConsequences(match)];
}

/** What to do: the finding's own advice, else that of the match and the cause. */
export function actions(finding: Finding): string[] {
  if (finding.advice.length > 0) return distinct(finding.advice);
  const workaround = finding.matches[0]?.workaround ?? '';
  return distinct([workaround, ...(finding.cause?.act ?? [])]);
}

export function warnings(finding: Finding): string[] {
  return distinct([...(finding.matches[0]?.hazards ?? []), ...(finding.cause?.avoid ?? [])]);
}

/** When an input was taken: the first and last moment of a recording; empty when unknown. */
export function timesOf({ since, takenAt }: AnalysisInput): string[] {
  return [since, takenAt].filter(time => time !== null);
}

/** `9 of 10 files read: 8 heap, 1 metrics; 2026-11-15T07:12:25Z to 2026-11-15T07:43:12Z` */
export function inputsPhrase(inputs: readonly AnalysisInput[]): string {
  const read = inputs.filter(input => input.error === null);
  const kinds = new Map<string, number>();
  for (const { kind } of read) kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  const parts = [...kinds].map(([kind, count]) => `${count} ${kind}`).join(', ');
  const files = `${inputs.length} ${inputs.length === 1 ? 'file' : 'files'}`;
  const some = read.length === inputs.length ? `${files} read` : `${read.length} of ${files} read`;
  const times = read.flatMap(timesOf).sort();
  const from = times[0];
  const to = times[times.length - 1];
  const span = from === undefined ? '' : from === to ? `; ${from}` : `; ${from} to ${to}`;
  return visible(`${some}${parts === '' ? '' : `: ${parts}`}${span}`);
}

function distinct(texts: readonly string[]): string[] {
  return [...new Set(texts.filter(text => text !== '').map(visible))];
}

/** How a time to a limit is computed: `200 MiB (given) less 157 MiB of resident memory leaves 43 MiB, which grows by 35 MiB/h to 97.4 MiB/h` */
export function limitArithmetic(
  { value, from, of, level, perHour: [low, high] }: LimitBasis,
  unit: ResourceUnit,
): string {
  const text = amountIn(unit);
  const rate = low > 0 ? `${hourly(text(low))} to ${hourly(text(high))}` : `at most ${hourly(text(high))}`;
  return `${text(value)} (${from}) less ${text(level)} of ${of} leaves ${text(value - level)}; it grows ${rate}`;
}

/**
 * Goroutines by age in one line, the youngest first; `_` where there are none.
 *
 *     now ▁▇▆▆▆▆█▇▆▇▇▇ 12m        or, where the terminal has no such characters:        now :#***#@#*### 12m
 */
const BLOCKS = '▁▂▃▄▅▆▇█';
const ASCII = '.:-=+*#@';

export function ageHistogram({ bins, binMinutes }: FindingAges, ascii = false): string {
  return `now ${drawBins(bins, ascii)} ${formatAge(bins.length * binMinutes * 60)}`;
}

export function drawBins(bins: readonly number[], ascii: boolean): string {
  const levels = ascii ? ASCII : BLOCKS;
  const most = bins.reduce((a, b) => Math.max(a, b), 1);
  const draw = (count: number): string =>
    count === 0 ? '_' : levels.charAt(Math.min(levels.length - 1, Math.floor((count / most) * levels.length)));
  return bins.map(draw).join('');
}
