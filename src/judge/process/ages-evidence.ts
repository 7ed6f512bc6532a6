/**
 * What a dump that lists goroutines says about a family: whether those that come stay, by their ages and ids, and
 * whether anything can still wake them.
 *
 *     one dump       they arrive at a steady rate to the very end, and ages and ids exclude departures
 *     two or more    the goroutines of one dump that are in the next, by id
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
import { shareInterval } from '../growth/share-interval.ts';
import type { Weighable } from './family-evidence.ts';
import { waitsFor } from './waits-for.ts';

const MIN_MINUTES = 10;
const MIN_COUNT = 30;
/** Departures are excluded where at most this share of the first can have left. */
const MAX_LEFT = 0.67;
/** Where others of the family leave, so may these. */
const MAX_LEFT_OF_PART = 0.4;
/** Or they live for longer than this on average, at the least: nothing that waits to be used lasts a working day. */
const LONG_LIFE_MINUTES = 12 * 60;
const IDS_AGREE = 0.8;

export interface JudgedAges extends Weighable {
  /** Undefined for a family that is too small, or a process that is too young, for its ages to have a shape. */
  readonly ages: Ages | undefined;
  /** They arrive at a steady rate, and have for ten minutes or more. */
  readonly isSteady: boolean;
  /** Ages or ids show that those that come stay. */
  readonly stays: boolean;
  /** For how long those that are there have been in the same wait, as far as several dumps or steady ages show; or 0. */
  readonly sameWaitMinutes: number;
}

/** What the dumps of a process show about each of its families. */
export function dumpAges(evidence: ProcessEvidence): (count: FamilyCount) => JudgedAges | undefined {
  const dumps = evidence.goroutines.filter(({ table }) => table.counts.some(({ waits }) => waits !== undefined));
  const last = dumps.at(-1);
  if (last === undefined) return () => undefined;
  const clock = dumpClock(last.table);
  const waitsAt = dumps.map(dump => ({ atSeconds: dump.atSeconds, waits: waitsById(dump) }));
  const processMinutes = minutesBetween(evidence.process.startTimeSeconds, last.atSeconds) ?? 0;
  return count => {
    // The runtime prints no minutes for what it found leaked.
    const waits = count.leaked > 0 ? undefined : waitsAt.at(-1)?.waits.get(count.family.id);
    if (waits === undefined) return undefined;
    const family = agesOf(waits, clock, processMinutes);
    const listed = waitsAt.map(dump => ({ atSeconds: dump.atSeconds, waits: dump.waits.get(count.family.id) }));
    const stayed = survivorEvidence(listed, family?.stayers);
    const arrivals = arrivalEvidence(
      family,
      count,
      stayed.some(({ logOdds }) => logOdds < 0),
    );
    const told = [...arrivals, ...stayed];
    const stays = !told.some(({ logOdds }) => logOdds < 0) && told.some(({ logOdds }) => logOdds >= WEIGHTS.survivors);
    const isSteady = family?.ages.shape === 'steady' && (family.ages.sinceMinutes ?? 0) >= MIN_MINUTES;
    const sameWait = stays ? sameWaitMinutes(listed, family, isSteady) : 0;
    const first = listed[0];
    const came = count.count - (first?.waits?.id.length ?? 0);
    const opened = openedFiles(evidence, first?.atSeconds, last.atSeconds);
    return {
      ages: family?.ages,
      isSteady,
      stays,
      sameWaitMinutes: sameWait,
      evidence: [...told, ...neverWoken(count, sameWait, opened === undefined || opened * 2 > came)],
      vetoes: family?.stayers === undefined ? [] : podVeto(evidence, last.atSeconds, family.stayers),
    };
  };
}

interface ListedAt {
  readonly atSeconds: number | undefined;
  /** Undefined for a dump that has none of the family. */
  readonly waits: Waits | undefined;
}

/** Fewer goroutines of earlier dumps say nothing. */
const MIN_FIRST = 9;
/** Closer dumps show nothing that stays. */
const MIN_APART_MINUTES = 2;

/**
 * The goroutines of each dump that are in the next one. Where most have ended, they leave, however steadily others come.
 * If part of a family comes and goes, only those count that are older than those that leave.
 */
function survivorEvidence(dumps: readonly ListedAt[], stayers: Stayers | undefined): Evidence[] {
  const fromMinutes = stayers?.isPart === true ? stayers.fromMinutes : 0;
  let [first, there, longest, pairs] = [0, 0, 0, 0];
  dumps.forEach(({ waits, atSeconds }, i) => {
    const next = dumps[i + 1];
    const apart = next === undefined ? undefined : minutesBetween(atSeconds, next.atSeconds);
    if (waits === undefined || next === undefined || waits.isCut || next.waits?.isCut === true) return;
    if (apart !== undefined && apart < MIN_APART_MINUTES) return;
    const found = next.waits === undefined ? undefined : survivors(waits, next.waits, fromMinutes, apart);
    pairs += 1;
    first += found?.first ?? waits.id.length;
    there += (found?.stayed ?? 0) + (found?.woke ?? 0);
    longest = Math.max(longest, found?.apartMinutes ?? apart ?? 0);
  });
  if (first < MIN_FIRST) return [];
  const [low, , high] = shareInterval(there, first);
  const later = longest > 0 ? ` ${formatAge(longest * 60)} later` : ' in the next dump';
  // Those of three dumps are counted three times.
  const what = pairs > 1 ? `goroutines of ${pairs} dumps` : 'goroutines';
  const about = { kind: 'survivors', claims: ['stays'], shows: 'survivors' } as const;
  if (high < MAX_STAYING) {
    const sentence = `${formatCount(first - there)} of ${formatCount(first)} ${what} have ended${later}: they leave`;
    return [{ ...about, logOdds: WEIGHTS.left, sentence }];
  }
  if (low < MIN_STAYING) return [];
  const sentence = `${formatCount(there)} of ${formatCount(first)} ${what} are still there${later}`;
  return [{ ...about, logOdds: WEIGHTS.survivors, sentence }];
}

const MAX_STAYING = 0.6;
const MIN_STAYING = 0.8;

/** For how long they have been in the same wait, by those of the first dump that are in the last, or by their ages. */
function sameWaitMinutes(dumps: readonly ListedAt[], family: FamilyAges | undefined, isSteady: boolean): number {
  const [first, last] = [dumps[0], dumps.at(-1)];
  const byAge = isSteady ? (family?.ages.sinceMinutes ?? 0) : 0;
  if (first?.waits === undefined || last?.waits === undefined || first === last) return byAge;
  const found = survivors(first.waits, last.waits, 0, minutesBetween(first.atSeconds, last.atSeconds));
  const isSame = found.first >= MIN_FIRST && found.stayed >= found.first * MIN_STAYING;
  return Math.max(byAge, isSame ? found.apartMinutes : 0);
}

export const NEVER_MINUTES = 5;
/** Nothing replaces one that receives; a receive or a select may end by a timer. */
const FOR: ReadonlyMap<string, string> = new Map([
  ['chan send', 'one that receives'],
  ['chan send (nil chan)', 'a channel that does not exist'],
  ['chan receive (nil chan)', 'a channel that does not exist'],
  ['select (no cases)', 'nothing'],
]);
/** Handlers of connections wait so for what their clients send, and parents for long jobs. */
const FOR_LONG: ReadonlyMap<string, string> = new Map([
  ['sync.Cond.Wait', 'a signal'],
  ['sync.WaitGroup.Wait', 'others to be done'],
]);
const LONG_MINUTES = 10;

function neverWoken({ states }: FamilyCount, minutes: number, mayBeClients: boolean): Evidence[] {
  const state = mostOften(states);
  const isLong = minutes >= LONG_MINUTES && !mayBeClients;
  const wanted = FOR.get(state) ?? (isLong ? FOR_LONG.get(state) : undefined);
  if (wanted === undefined || minutes < NEVER_MINUTES) return [];
  const sentence = `they wait for ${wanted}, and none came in ${formatAge(minutes * 60)}: nothing else can wake them`;
  return [{ kind: 'wait', claims: ['unwanted'], logOdds: WEIGHTS.neverWoken, shows: 'wait', sentence }];
}

/** How many more files and sockets are open; undefined if that is not known. */
function openedFiles(
  { series }: ProcessEvidence,
  from: number | undefined,
  to: number | undefined,
): number | undefined {
  const files = series?.get('process_open_fds');
  if (files === undefined || from === undefined || to === undefined || to <= from) return undefined;
  const [before, now] = [valueAt(files, from), valueAt(files, to)];
  return before === undefined || now === undefined ? undefined : now - before;
}

/** As many pods came in the same time. */
function podVeto({ series }: ProcessEvidence, at: number | undefined, { count, sinceMinutes }: Stayers): Veto[] {
  const pods = series?.get('kubelet_running_pods');
  if (pods === undefined || at === undefined) return [];
  const [before, now] = [valueAt(pods, at - sinceMinutes * 60), valueAt(pods, at)];
  if (before === undefined || now === undefined || now - before < count * PODS_EXPLAIN) return [];
  return [{ kind: 'density', sentence: `pods rose from ${before} to ${now} in the same time` }];
}

const PODS_EXPLAIN = 0.3;

function waitsById({ table }: TableAt): Map<string, Waits> {
  return new Map(
    table.counts.flatMap(({ family, waits }) => (waits === undefined ? [] : [[family.id, waits] as const])),
  );
}

function minutesBetween(from: number | undefined, to: number | undefined): number | undefined {
  return from === undefined || to === undefined ? undefined : (to - from) / 60;
}

/** What one dump shows: arrivals at a steady rate, none of which leaves. */
function arrivalEvidence(family: FamilyAges | undefined, count: FamilyCount, leave: boolean): Evidence[] {
  if (family?.stayers === undefined) return [];
  const { ages, isCut, stayers } = family;
  const { isPart, sinceMinutes, isSinceStart, mostLeft, idOrder } = stayers;
  const wait = waitsFor(mostOften(count.states), count.family);
  // Where ids and ages have little to do with each other, these goroutines wake.
  if (wait === undefined || wait.what === 'time' || stayers.count < MIN_COUNT || idOrder < IDS_AGREE) return [];
  const doubts: string[] = [];
  if (sinceMinutes < MIN_MINUTES) doubts.push(`that is less than ${MIN_MINUTES} minutes`);
  const mayLeave = mostLeft > (isPart ? MAX_LEFT_OF_PART : MAX_LEFT);
  if (mayLeave && leastLifeMinutes(stayers) < LONG_LIFE_MINUTES)
    doubts.push('they are too few to exclude that some leave');
  if (isCut) doubts.push('the dump is cut');
  const [low, rate, high] = (ages.perHour ?? [0, 0, 0]).map(value => formatCount(Math.round(value)));
  const since = isSinceStart ? 'since the process began, ' : '';
  const arrive = `${rate} an hour (${low} to ${high}) arrive ${ages.shape === 'slowing' ? 'ever less often' : 'steadily'}, ${since}for ${formatAge(sinceMinutes * 60)}`;
  return [
    {
      kind: 'ages',
      claims: ['stays'],
      logOdds: doubts.length === 0 ? WEIGHTS.agesExcludeLeaving : WEIGHTS.agesSeen,
      shows: 'survivors',
      sentence: leave
        ? `${arrive}, and seem to stay by the last dump alone`
        : doubts.length === 0
          ? `${arrive}, and stay: their ages and ids exclude that they leave`
          : `${arrive}, and seem to stay; but ${doubts.join(', and ')}`,
    },
  ];
}

/** How long they live on average at the least, if a constant share of them leaves per hour. */
function leastLifeMinutes({ sinceMinutes, mostLeft }: Stayers): number {
  return mostLeft <= 0 ? Infinity : sinceMinutes / -Math.log(1 - mostLeft);
}

function mostOften(states: ReadonlyMap<string, number>): string {
  let [best, most] = ['', 0];
  for (const [state, count] of states) if (count > most) [best, most] = [state, count];
  return best;
}
