/**
 * What the ages of a family say about a leak. One dump proves it where goroutines arrive at a steady rate to the very end,
 * departures are excluded, and nothing but another goroutine could wake them.
 */
import { agesOf, type FamilyAges, type Stayers, survivors } from '../ages/ages-of.ts';
import { dumpClock } from '../ages/dump-clock.ts';
import { formatAge, formatCount } from '../../base/say.ts';
import type { ProcessEvidence, TableAt } from '../../evidence/snapshots/process-evidence.ts';
import { valueAt } from '../../evidence/snapshots/process-series.ts';
import type { Ages } from '../ages/ages.ts';
import type { FamilyCount, Waits } from '../../profile/families/family.ts';
import type { Evidence, Veto } from '../ledger/ledger.ts';
import { WEIGHTS } from '../ledger/weights.ts';
import type { Weighable } from './family-evidence.ts';
import { type WaitsFor, waitsFor } from './waits-for.ts';

const MIN_MINUTES = 10;
const MIN_COUNT = 30;
/** Departures are excluded where at most this share of the first can have left. */
const MAX_LEFT = 0.67;
/** Where others of the family leave, so may these. */
const MAX_LEFT_OF_PART = 0.4;
const IDS_AGREE = 0.8;
/** Waits that a timer may end, and that began this recently: a timeout would look the same. */
const LONGEST_TIMEOUT_MINUTES = 120;

export interface JudgedAges extends Weighable {
  readonly ages: Ages;
  /** The ages alone prove that the family grows. */
  readonly isProof: boolean;
}

/** The ages of each family, from the last dump that lists goroutines. */
export function dumpAges(evidence: ProcessEvidence): (count: FamilyCount) => JudgedAges | undefined {
  const dumps = evidence.goroutines.filter(({ table }) => table.counts.some(({ waits }) => waits !== undefined));
  const [first, last] = [dumps[0], dumps.at(-1)];
  if (first === undefined || last === undefined) return () => undefined;
  const clock = dumpClock(last.table);
  const waitsOf = waitsById(last);
  const firstWaitsOf = first === last ? new Map<string, Waits>() : waitsById(first);
  const apartMinutes = minutesBetween(first.atSeconds, last.atSeconds);
  const processMinutes = minutesBetween(evidence.process.startTimeSeconds, last.atSeconds) ?? 0;
  return count => {
    // The runtime prints no minutes for what it found leaked.
    const waits = count.leaked > 0 ? undefined : waitsOf.get(count.family.id);
    const family = waits === undefined ? undefined : agesOf(waits, clock, processMinutes);
    if (waits === undefined || family === undefined) return undefined;
    const { ages, stayers } = family;
    const cause = waitsFor(mostOften(count.states), count.family);
    const arrivals = stayers === undefined || cause === undefined ? undefined : arrivalEvidence(family, stayers, cause);
    if (stayers === undefined || cause === undefined || arrivals === undefined) {
      return { ages, isProof: false, evidence: [], vetoes: [] };
    }
    const before = firstWaitsOf.get(count.family.id);
    const stayed =
      before === undefined ? [] : survivorEvidence(before, waits, { ...family, stayers }, cause, apartMinutes);
    return {
      ages,
      isProof: arrivals.logOdds === WEIGHTS.agesProved && stayed.every(({ logOdds }) => logOdds >= 0),
      evidence: [arrivals, ...stayed],
      vetoes: podVeto(evidence, last.atSeconds, stayers),
    };
  };
}

/**
 * The same goroutines in the first dump and the last. If hardly any is in both, they leave, however steadily others come. If they lived about as long as the oldest has waited, some would
 * have ended in between; none did.
 */
function survivorEvidence(
  first: Waits,
  last: Waits,
  { ages, stayers }: FamilyAges & { readonly stayers: Stayers },
  { what }: WaitsFor,
  apartMinutes: number | undefined,
): Evidence[] {
  const found = survivors(first, last, stayers.fromMinutes, apartMinutes);
  // The first dump may have no ages yet; they matter only if others of the family leave.
  const before = stayers.isPart ? found : survivors(first, last, 0, apartMinutes);
  const there = before.stayed + before.woke;
  if (before.first >= Math.max(MIN_LEFT, stayers.count / 2) && there < before.first * FEW_STAYED) {
    const left = `${formatCount(before.first - there)} of ${formatCount(before.first)} goroutines of the first dump`;
    const sentence = `${left} have ended: they leave`;
    return [{ kind: 'survivors', logOdds: WEIGHTS.allLeft, shows: 'survivors', sentence }];
  }
  const expected = found.first * Math.min(1, found.apartMinutes / stayers.sinceMinutes);
  if (expected < MIN_EXPECTED || found.first - found.stayed > expected * FAR_FEWER) return [];
  const part = `${formatCount(found.stayed)} of ${formatCount(found.first)} goroutines of the first dump`;
  const sentence = `${part} are in the same wait ${formatAge(found.apartMinutes * 60)} later`;
  // Clients and pools that fill stay by design.
  const isByDesign = what !== 'goroutine' || ages.shape !== 'steady';
  return [{ kind: 'survivors', logOdds: isByDesign ? 0 : WEIGHTS.survivors, shows: 'survivors', sentence }];
}

/** As many pods came in the same time. */
function podVeto({ series }: ProcessEvidence, at: number | undefined, { count, sinceMinutes }: Stayers): Veto[] {
  const pods = series?.get('kubelet_running_pods');
  if (pods === undefined || at === undefined) return [];
  const [before, now] = [valueAt(pods, at - sinceMinutes * 60), valueAt(pods, at)];
  if (before === undefined || now === undefined || now - before < count * PODS_EXPLAIN) return [];
  return [{ kind: 'density', sentence: `pods rose from ${before} to ${now} in the same time` }];
}

/** As many before as now, and hardly any of them left: these will go the same way. */
const MIN_LEFT = 10;
const FEW_STAYED = 0.2;
const MIN_EXPECTED = 5;
const FAR_FEWER = 0.2;
const PODS_EXPLAIN = 0.3;

function waitsById({ table }: TableAt): Map<string, Waits> {
  return new Map(
    table.counts.flatMap(({ family, waits }) => (waits === undefined ? [] : [[family.id, waits] as const])),
  );
}

function minutesBetween(from: number | undefined, to: number | undefined): number | undefined {
  return from === undefined || to === undefined ? undefined : (to - from) / 60;
}

function arrivalEvidence(
  { ages, isCut }: FamilyAges,
  { count, isPart, sinceMinutes, isSinceStart, mostLeft, idOrder }: Stayers,
  cause: WaitsFor,
): Evidence | undefined {
  if (cause.what === 'time') return undefined;
  // Where ids and ages have little to do with each other, these goroutines wake.
  if (count < MIN_COUNT || idOrder < IDS_AGREE) return undefined;
  const doubts: string[] = [];
  if (cause.what === 'outside') doubts.push('clients that stay connected look the same');
  if (sinceMinutes < MIN_MINUTES) doubts.push(`that is less than ${MIN_MINUTES} minutes`);
  if (ages.shape === 'slowing') doubts.push('they become fewer, as in a pool that fills');
  if (mostLeft > (isPart ? MAX_LEFT_OF_PART : MAX_LEFT)) doubts.push('they are too few to exclude that some leave');
  if (!isSinceStart && cause.mayTimeOut && sinceMinutes < LONGEST_TIMEOUT_MINUTES) {
    doubts.push(`a timeout of ${formatAge(sinceMinutes * 60)} would look the same`);
  }
  if (isCut) doubts.push('the dump is cut');
  const [low, rate, high] = (ages.perHour ?? [0, 0, 0]).map(value => formatCount(Math.round(value)));
  const since = isSinceStart ? 'since the process began, ' : '';
  const arrive = `${rate} an hour (${low} to ${high}) arrive steadily, ${since}for ${formatAge(sinceMinutes * 60)}`;
  return {
    kind: 'ages',
    logOdds: doubts.length === 0 ? WEIGHTS.agesProved : WEIGHTS.agesSeen,
    shows: 'ages',
    sentence:
      doubts.length === 0
        ? `${arrive}, and stay: their ages and ids exclude that they leave`
        : `${arrive}, and seem to stay; but ${doubts.join(', and ')}`,
  };
}

function mostOften(states: ReadonlyMap<string, number>): string {
  let [best, most] = ['', 0];
  for (const [state, count] of states) if (count > most) [best, most] = [state, count];
  return best;
}
