/** Makes a finding from a family: what it is, who owns it, what it means, whether it is known, and what to do. */
import { findingAges } from '../ages/finding-ages.ts';
import { leadingFrame } from '../../profile/families/shared-packages.ts';
import type { MetricGrowth } from '../growth/metric-growth.ts';
import { actionsOf, causeOf, type FamilyEvidence, isTiedToPods, lifetimeOf } from '../../knowledge/cause-of.ts';
import { matchFamily } from '../../knowledge/match.ts';
import { ownerOf } from '../../knowledge/owner-of.ts';
import type { TargetFacts } from '../../knowledge/preconditions.ts';
import type { Ages } from '../ages/ages.ts';
import type { Finding, FindingFamily, FindingGrowth, LockChain } from '../analysis.ts';
import type { Cause, Lifetime } from '../../knowledge/records.ts';
import type { FamilyCount } from '../../profile/families/family.ts';
import type { Growth } from '../growth/growth.ts';
import type { KnownLeak } from '../../knowledge/known-leak.ts';
import type { Match } from '../../knowledge/known-leak-match.ts';
import type { Retention } from './retention.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { mayLeak, type Verdict } from '../verdict.ts';
import { formatBytes, hourly, isInCalendar, timeText } from '../../base/say.ts';

export interface FindingInput {
  readonly target: string;
  readonly ledger: Ledger;
  readonly count: FamilyCount;
  /** The resource's total, of which the family is a share. */
  readonly total: number;
  readonly growth: Growth | undefined;
  /** Heap only: the rise of the whole live heap by metrics. */
  readonly rise?: MetricGrowth | undefined;
  /** Heap only. */
  readonly retention?: Retention | undefined;
  readonly ages?: Ages | undefined;
  readonly lock?: LockChain | undefined;
  /** When the last snapshot was taken, and when the process began, as far as that is known. */
  readonly atSeconds: number | undefined;
  readonly startedAtSeconds: number | undefined;
  /** What the evidence does not answer. */
  readonly notes?: readonly string[];
  readonly matches: readonly Match[];
}

export const ONE_SNAPSHOT = 'one snapshot shows what is there, not whether it grows';

/** The largest families of a single snapshot are shown, whatever the verdict. */
export function isProminent(size: number, total: number): boolean {
  return size >= total * 0.1;
}

export function findingOf(input: FindingInput): Finding {
  const { count, growth, matches } = input;
  const isHeap = count.family.kind === 'heap';
  const cause = causeOfCount(count);
  const size = isHeap ? count.bytes : count.count;
  const grown = growth === undefined ? null : findingGrowth(growth, input.rise);
  return {
    target: input.target,
    verdict: input.ledger.verdict,
    resource: isHeap ? 'heap' : 'goroutines',
    family: findingFamily(count),
    count: count.count,
    bytes: isHeap ? count.bytes : null,
    share: input.total === 0 ? 0 : size / input.total,
    life: null,
    growth: grown,
    retention: input.retention ?? null,
    waitMinutes: count.waitMinutes ?? null,
    ages: input.ages === undefined ? null : findingAges(input.ages),
    holds: [],
    lock: input.lock ?? null,
    owner: ownerOf(count.family, count.labelSets, count.creators),
    cause: cause ?? null,
    matches,
    reasons: [
      ...input.ledger.entries.map(({ sentence }) => sentence),
      ...(input.notes ?? []),
      ...(grown?.compared == null ? [] : [`its rate is ${grown.compared}`]),
      ...(input.lock === undefined ? [] : [`the lock ${input.lock.sentences.join('; ')}`]),
      ...(count.labelsAreOlder === true
        ? ['its labels are those of an earlier snapshot: the last one shows none']
        : []),
    ],
    ledger: input.ledger,
    decides: decidesOf(input.ledger, input.atSeconds, input.startedAtSeconds),
    advice: adviceOf(cause, matches, input.ledger.verdict),
  };
}

/** From this age on, growth at the average pace since the start is no fill. */
const OLD_SECONDS = 2 * 3600;
const NEXT_SET_SECONDS = 600;

/** What would show whether something that is worth watching leaks, and when; null of any other verdict. */
export function decidesOf(
  { verdict, claims }: Ledger,
  atSeconds: number | undefined,
  startedAtSeconds: number | undefined,
  question = 'whether those that are there now stay',
): string | null {
  if (verdict !== 'watch') return null;
  const from = (seconds: number): string => (isInCalendar(seconds) ? `, from ${timeText(seconds)} on` : '');
  if (claims.stays < STAYS_SURELY) {
    const when = atSeconds === undefined ? '' : from(atSeconds + NEXT_SET_SECONDS);
    return `another set 10 minutes later${when}: ${question}`;
  }
  const isYoung =
    atSeconds !== undefined && startedAtSeconds !== undefined && atSeconds - startedAtSeconds < OLD_SECONDS;
  const fill = 'what fills looks the same, but slows down';
  if (isYoung) return `${fill}: a set when the process is 2h old${from(startedAtSeconds + OLD_SECONDS)}`;
  return `${fill}: a set an hour later${atSeconds === undefined ? '' : from(atSeconds + 3600)}`;
}

const STAYS_SURELY = 0.95;

export function causeOfCount(count: FamilyCount): Cause | undefined {
  return causeOf(evidenceOf(count));
}

export function lifetimeOfCount(count: FamilyCount): Lifetime | undefined {
  return lifetimeOf(evidenceOf(count));
}

/** There is one for each pod or container, however many those are. */
export function isOfPods(count: FamilyCount): boolean {
  return isTiedToPods(evidenceOf(count));
}

function evidenceOf({ family: { kind, frames }, states, creators, waitMinutes }: FamilyCount): FamilyEvidence {
  return { kind, frames, states, creators, waitMinutes };
}

export function matchesOf(
  count: FamilyCount,
  grows: boolean | undefined,
  facts: TargetFacts,
  catalogue: readonly KnownLeak[],
): Match[] {
  const { kind, frames } = count.family;
  return matchFamily(
    { kind, frames, creators: [...count.creators.keys()], states: [...count.states.keys()], grows },
    facts,
    catalogue,
  );
}

export function findingFamily(count: FamilyCount): FindingFamily {
  const largest = (counts: ReadonlyMap<string, number>): string | null =>
    [...counts].reduce<[string, number] | null>(
      (best, entry) => (best !== null && best[1] >= entry[1] ? best : entry),
      null,
    )?.[0] ?? null;
  const { id, title, frames } = count.family;
  const createdBy = largest(count.creators);
  const places = frames.map((_, i) => count.places[i] || null);
  return {
    id,
    title,
    frames,
    places,
    at: places[leadingFrame(frames)] ?? null,
    createdBy,
    createdAt: createdBy === null ? null : count.creatorPlaces.get(createdBy) || null,
    caller: null,
    state: largest(count.states),
    labels: count.labelSets
      .filter(({ labels }) => labels.length > 0)
      .map(({ labels, count: goroutines }) => ({ labels: Object.fromEntries(labels), count: goroutines })),
  };
}

function findingGrowth(growth: Growth, rise: MetricGrowth | undefined): FindingGrowth {
  const { from, to, delta, perHour, perHourRange, perOperation, monotone, points } = growth;
  const [first, last] = [points[0]?.atSeconds, points.at(-1)?.atSeconds];
  return {
    from,
    to,
    delta,
    perHour: perHour ?? null,
    perHourRange: perHourRange ?? null,
    perOperation: perOperation ?? null,
    monotone,
    seconds: first === undefined || last === undefined ? null : last - first,
    compared: rise === undefined ? null : comparedRate(growth, rise),
  };
}

const FIND_WHO_MAKES_THEM = 'Find what makes them (created by, called from), and end or bound each.';

/** Advice about the known bug goes before general advice about its cause. */
export function adviceOf(cause: Cause | undefined, matches: readonly Match[], verdict: Verdict): string[] {
  const open = matches.find(({ affected }) => affected === 'affected' || affected === 'unknown');
  if (open !== undefined) {
    const advice: string[] = [];
    if (open.fixedIn.length > 0) advice.push(`upgrade to ${open.fixedIn.join(', ')} or later: fixes ${open.ref}`);
    if (open.workaround !== '') advice.push(`until then: ${open.workaround}`);
    advice.push(...open.hazards.map(hazard => `caution: ${hazard}`));
    return advice;
  }
  const [fixed] = matches;
  if (fixed !== undefined) {
    return [
      `this version has the fix for ${fixed.ref}: check that this version is really running (kubernetes_build_info)`,
      'if it is, this is another leak with the same stack: report it with these files',
    ];
  }
  if (cause === undefined) return [];
  const actions = actionsOf(cause, mayLeak(verdict));
  return actions.length > 0 ? [...actions] : [FIND_WHO_MAKES_THEM];
}

/**
 * Why two rates of the live heap differ: a profile samples and shows one family, metrics count all of it.
 *
 * Null if the profiles give no rate.
 */
export function comparedRate({ perHour, perHourRange }: Growth, rise: MetricGrowth): string | null {
  if (perHour === undefined) return null;
  const [low, high] = perHourRange ?? [perHour, perHour];
  const counted = `${hourly(formatBytes(rise.perHour))}`;
  if (rise.perHour > high) {
    const why = 'the rest is in other families, or in stacks too rare for the sampling';
    return `sampled, and of this family alone; the live heap, counted, rises ${counted}: ${why}`;
  }
  if (rise.perHour < low)
    return `sampled; the live heap, counted, rises only ${counted}: other families shrank, or the samples exaggerate`;
  return `sampled, and of this family alone; the live heap, counted, rises ${counted} in all`;
}
