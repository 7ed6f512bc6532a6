/** Families of goroutines that grow, that the runtime calls leaked, or that make up much of a single snapshot. */
import type { ProcessEvidence } from '../../evidence/snapshots/process-evidence.ts';
import type { Finding, LockChain } from '../analysis.ts';
import { valueAt } from '../../evidence/snapshots/process-series.ts';
import type { FamilyCount, FamilyTable } from '../../profile/families/family.ts';
import type { Growth } from '../growth/growth.ts';
import { type Evidence, type Veto, weigh } from '../ledger/ledger.ts';
import { formatAge, formatCount } from '../../base/say.ts';
import { WEIGHTS } from '../ledger/weights.ts';
import {
  type DiagnoseOptions,
  growthById,
  gateEvidence,
  growthEvidence,
  growthWeight,
  knownLeakEvidence,
  peerEvidence,
  type Weighable,
} from './family-evidence.ts';
import { lockChains } from './lock-chain.ts';
import { waitsFor } from './waits-for.ts';
import { dumpAges, type JudgedAges } from './ages-evidence.ts';
import { boundEvidence } from './bound-evidence.ts';
import { causeOfCount, findingOf, lifetimeOfCount, isOfPods, isProminent, matchesOf, ONE_SNAPSHOT } from './finding.ts';

export function goroutineFindings(evidence: ProcessEvidence, options: DiagnoseOptions): Finding[] {
  const { goroutines, runtimeLeaks, process } = evidence;
  // The leak profile of the runtime is evidence enough without any other.
  const table = goroutines.at(-1)?.table ?? runtimeLeaks;
  if (table === undefined) return [];
  const growths = growthById(evidence, goroutines, options);
  const agesOfFamily = dumpAges(evidence);
  const lockOf = lockChains(table);
  const blockers = selfDeadlocked(table, lockOf);
  const several = goroutines.length > 1;
  return table.counts.flatMap(count => {
    const growth = growths.get(count.family.id);
    const ages = agesOfFamily(count);
    const isLarge = !several && isProminent(count.count, table.total) && isWorthTelling(count, table.total);
    const lock = lockOf(count);
    const told = evidenceOfFamily(evidence, { count, growth, ages, lock }, options);
    const level = isLarge && ages?.ages === undefined ? levelEvidence(count, table.total) : [];
    const speaks = { ...told, evidence: [...told.evidence, ...level] };
    const shown = isLarge || isRare(count) || blockers.has(count.family.id) || isDeadlock(count, lock);
    if (speaks.evidence.length === 0 && !shown) return [];
    if (speaks.evidence.every(({ kind }) => kind !== 'runtime-leak') && isOfPods(count)) return [];
    const grows = (ages?.stays === true && ages.isSteady) || (several ? (growth?.significant ?? false) : undefined);
    const matches = matchesOf(count, grows, options.facts, options.catalogue);
    const known = speaks.evidence.length === 0 ? [] : knownLeakEvidence(matches);
    const ledger = weigh([...speaks.evidence, ...known], speaks.vetoes);
    const notes = several || ledger.verdict === 'leak' || ages?.ages !== undefined ? [] : [ONE_SNAPSHOT];
    return [
      findingOf({
        target: process.target,
        count,
        total: table.total,
        growth,
        ages: ages?.ages,
        lock,
        matches,
        ledger,
        atSeconds: goroutines.at(-1)?.atSeconds,
        startedAtSeconds: process.startTimeSeconds,
        notes,
      }),
    ];
  });
}

/** What is known and harmless is told only where there is very much of it. */
function isWorthTelling(count: FamilyCount, total: number): boolean {
  const many = count.count * 2 > total ? MOSTLY_BENIGN : MANY_BENIGN;
  return causeOfCount(count)?.benign !== true || count.count >= many;
}

const MANY_BENIGN = 1000;
/** Where most goroutines of a process are in it, a hundred are many. */
const MOSTLY_BENIGN = 100;

/** Waits that healthy programs hardly have unless a more specific cause explains them. */
const RARE = new Set(['nil-channel', 'empty-select', 'mutex', 'wait-group', 'cond']);

/** Told however few they are. One may be the main loop, or wait for a context that never ends; several are rare. */
function isRare(count: FamilyCount): boolean {
  return count.count > 1 && RARE.has(causeOfCount(count)?.id ?? '');
}

/** One snapshot of a process with very many goroutines, much of them in one place where only another one can wake them. */
function levelEvidence({ count, states, family }: FamilyCount, total: number): Evidence[] {
  if (total < MANY_GOROUTINES) return [];
  const known = [...states].filter(([state]) => state !== '');
  const waiting = known.filter(([state]) => waitsFor(state, family)?.what === 'goroutine');
  const isWaiting = waiting.reduce((sum, [, n]) => sum + n, 0) * 2 > count;
  // debug=0 and 1 do not say what they wait for.
  if (!isWaiting && (known.length > 0 || count * 2 < total)) return [];
  const sentence = isWaiting
    ? `${formatCount(count)} of ${formatCount(total)} goroutines wait here, where only another one can wake them`
    : `${formatCount(count)} of ${formatCount(total)} goroutines are in this one stack; debug=2 says what they wait for`;
  return [{ kind: 'level', claims: ['stays'], logOdds: WEIGHTS.manyGoroutines, shows: 'level', sentence }];
}

/** Nothing should hold a lock for minutes, but a long job may. */
const HELD_MINUTES = 5;
const STUCK_MINUTES = 10;

function stuckEvidence({ count, waitMinutes }: FamilyCount, lock: LockChain | undefined): Evidence[] {
  if (lock === undefined || waitMinutes === undefined) return [];
  // Whoever waits for long gets a lock first: if the first of them did not, nobody did.
  const isStuck = count > 1 && waitMinutes.max >= STUCK_MINUTES;
  if (!isStuck && waitMinutes.median < HELD_MINUTES) return [];
  if (count === 1 && lock.kind !== 'ring' && lock.kind !== 'self') return [];
  const sentence = isStuck
    ? `the first has waited for a lock for ${formatAge(waitMinutes.max * 60)}: nobody has given it back`
    : `they have waited for a lock for ${formatAge(waitMinutes.median * 60)} (median), longer than anything should hold one`;
  const logOdds = isStuck ? WEIGHTS.stuckLock : WEIGHTS.heldLock;
  return [{ kind: 'wait', claims: ['stays', 'unwanted'], logOdds, shows: 'wait', sentence }];
}

/** One goroutine at a lock is contention, unless it waits for itself or in a ring; the stacks alone say so only of a ring. */
function isDeadlock({ waitMinutes }: FamilyCount, lock: LockChain | undefined): boolean {
  return lock?.kind === 'ring' || (lock?.kind === 'self' && (waitMinutes?.max ?? 0) >= 1);
}

/** The families that wait for themselves, with others behind them: contention would have ended. */
function selfDeadlocked(table: FamilyTable, lockOf: (count: FamilyCount) => LockChain | undefined): Set<string> {
  const ids = new Set<string>();
  for (const count of table.counts) {
    const chain = lockOf(count);
    const last = chain?.links.at(-1);
    if (chain?.kind === 'self' && last !== undefined && last.family !== count.family.id) ids.add(last.family);
  }
  return ids;
}

interface AboutFamily {
  readonly count: FamilyCount;
  readonly growth: Growth | undefined;
  readonly ages: JudgedAges | undefined;
  readonly lock: LockChain | undefined;
}

function evidenceOfFamily(process: ProcessEvidence, about: AboutFamily, options: DiagnoseOptions): Weighable {
  const { count, growth, ages, lock } = about;
  const { runtimeLeaks } = process;
  const isGrowing = growth?.significant === true && growth.delta > 0;
  // That goroutines stay says nothing about those that do not become more: most loops of a program stay.
  const comes =
    isGrowing ||
    ages?.evidence.some(({ kind }) => kind === 'ages') === true ||
    (joins(growth, ages, count, process) && !podsRose(process));
  const evidence: Evidence[] = [...(comes ? (ages?.evidence ?? []) : []), ...stuckEvidence(count, lock)];
  const vetoes: Veto[] = [];
  const leaked = runtimeLeaks?.counts.find(({ family }) => family.id === count.family.id)?.leaked ?? count.leaked;
  if (leaked > 0) {
    const sentence = `the Go runtime found ${leaked} of them blocked on what nothing can reach any more`;
    const claims = ['stays', 'unwanted'] as const;
    evidence.push({ kind: 'runtime-leak', claims, logOdds: WEIGHTS.runtimeLeak, shows: 'runtime', sentence });
  } else {
    // What the runtime itself proves, pods cannot excuse.
    vetoes.push(...(ages?.vetoes ?? []));
  }
  if (isGrowing) {
    const peers = peerEvidence(growth, options.references);
    evidence.push(
      growthEvidence(growth, growthWeight(growth, risesSteadily(growth))),
      ...(gateEvidence(growth, options) ?? operationEvidence(growth)),
      ...peers.evidence,
    );
    // Nor can peers.
    if (leaked === 0) vetoes.push(...peers.vetoes);
  }
  const stays = evidence.some(({ claims, logOdds }) => claims.includes('stays') && logOdds > 0);
  return { evidence: stays ? [...evidence, ...boundsOf(process, about)] : evidence, vetoes };
}

/**
 * Chance moves a family up and down, but not one of which nobody left: those that came are more. Clients that connect
 * and stay are none of that.
 *
 *     120  150  190     they still come
 *     120  180  180     a batch came, long after the start, and was there again: the next decides
 */
function joins(
  growth: Growth | undefined,
  ages: JudgedAges | undefined,
  { states, family }: FamilyCount,
  { process }: ProcessEvidence,
): boolean {
  if (growth === undefined || ages?.stays !== true) return false;
  const isOfClients = [...states.keys()].some(state => waitsFor(state, family)?.what === 'outside');
  const { points, from, to } = growth;
  // Those of a start came at first only.
  const middle = points[points.length >> 1]?.count ?? from;
  const isOn = middle - from >= MIN_JOINED && to - middle >= MIN_JOINED;
  const quiet = points[points.findIndex(point => point.count > from) - 1]?.atSeconds;
  const isSettled =
    process.startTimeSeconds !== undefined &&
    quiet !== undefined &&
    quiet - process.startTimeSeconds >= SETTLED_SECONDS;
  const again = points.at(-2)?.count ?? from;
  const isBatch = isSettled && Math.min(again, to) - from >= Math.max(MIN_BATCH, BATCH_SHARE * from);
  return !isOfClients && (isBatch || (isOn && to - from >= JOINED_SHARE * from));
}

/** What comes with pods is judged by growth.ts, which knows how much a pod brings. */
function podsRose({ goroutines, series }: ProcessEvidence): boolean {
  const pods = series?.get('kubelet_running_pods');
  const [before, now] = [goroutines.at(0), goroutines.at(-1)].map(at => valueAt(pods, at?.atSeconds));
  return before !== undefined && now !== undefined && now > before * (1 + JOINED_SHARE);
}

/** Programs start what they need within minutes: until then, a batch that comes is none. */
const SETTLED_SECONDS = 300;
const MIN_BATCH = 20;
const BATCH_SHARE = 0.3;
const MIN_JOINED = 8;
const JOINED_SHARE = 0.1;

/** Monotone means that it rose more than once; a burst in the last interval is load until another snapshot decides. */
function risesSteadily({ points, monotone, perHour, mayBeChurn }: Growth): boolean {
  return !mayBeChurn && points.length > 2 && monotone && perHour !== 0;
}

const PER_OPERATION = 0.05;

function operationEvidence({ perOperation = 0 }: Growth): Evidence[] {
  if (perOperation < PER_OPERATION) return [];
  const sentence = `each operation leaves ${perOperation.toFixed(2)} behind`;
  const claims = ['stays', 'unbounded'] as const;
  return [{ kind: 'profile-growth', claims, logOdds: WEIGHTS.perOperation, shows: 'operations', sentence }];
}

/** Whether they are bounded, and by what. */
function boundsOf({ goroutines, process, series }: ProcessEvidence, { count, growth, ages }: AboutFamily): Evidence[] {
  const [first, last] = [goroutines.at(0), goroutines.at(-1)];
  const startedAt = process.startTimeSeconds;
  const at = last?.atSeconds;
  const isGrowing = growth?.significant === true && growth.delta > 0;
  const delta = isGrowing ? growth.delta : undefined;
  const evidence = boundEvidence(
    {
      level: count.count,
      delta,
      perHour: (isGrowing ? growth.perHour : undefined) ?? ages?.ages?.perHour?.[1],
      ageSeconds: startedAt === undefined || at === undefined ? undefined : at - startedAt,
      isSteady: ages?.isSteady === true || (isGrowing && risesSteadily(growth)),
      isSlowing: ages?.ages?.shape === 'slowing',
      steadySeconds: ages?.isSteady === true ? (ages.ages?.sinceMinutes ?? 0) * 60 : 0,
      lifetime: lifetimeOfCount(count),
      idleMinutes: ages?.sameWaitMinutes ?? 0,
      store: null,
      from: first?.atSeconds,
      to: at,
    },
    series,
  );
  const wait = waitsFor(mostOftenOf(count), count.family);
  if (wait?.what === 'outside') {
    const sentence = 'clients that stay connected look the same';
    evidence.push({ kind: 'wait', claims: ['unbounded'], logOdds: WEIGHTS.clients, shows: 'clients', sentence });
  }
  const [before, now] = [first?.table.total, last?.table.total];
  if (isGrowing && before !== undefined && now !== undefined && now < before) {
    const sentence = `all goroutines together fell from ${formatCount(before)} to ${formatCount(now)} meanwhile`;
    evidence.push({ kind: 'level', claims: ['unbounded'], logOdds: WEIGHTS.totalFlat, shows: 'total', sentence });
  }
  return evidence;
}

function mostOftenOf({ states }: FamilyCount): string {
  return [...states].reduce(([best, most], [state, n]) => (n > most ? [state, n] : [best, most]), ['', 0])[0];
}

/** Fewer are common in any program. */
const MIN_COUNT = 1000;
const MIN_FACTOR = 2;
/** In one snapshot; few programs have so many on purpose, and those that do wait for connections. */
const MANY_GOROUTINES = 10_000;

function isExplosion(first: number, last: number): boolean {
  return last >= MIN_COUNT && last >= MIN_FACTOR * first;
}

/** Processes whose goroutines multiplied: their memory is a consequence, so the goroutines lead the answer. */
export function goroutinesExplode({ goroutines }: Pick<ProcessEvidence, 'goroutines'>): boolean {
  const [first, last] = [goroutines.at(0)?.table.total, goroutines.at(-1)?.table.total];
  if (first === undefined || last === undefined) return false;
  if (goroutines.length === 1) return last >= MANY_GOROUTINES;
  return isExplosion(first, last);
}
