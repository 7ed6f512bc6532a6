/** Families of goroutines that grow, that the runtime calls leaked, or that make up much of a single snapshot. */
import type { ProcessEvidence } from '../../evidence/snapshots/process-evidence.ts';
import type { Finding, LockChain } from '../analysis.ts';
import type { FamilyCount, FamilyTable } from '../../profile/families/family.ts';
import type { Growth } from '../growth/growth.ts';
import { type Evidence, type Veto, weigh } from '../ledger/ledger.ts';
import { formatAge, formatCount } from '../../base/say.ts';
import { WEIGHTS } from '../ledger/weights.ts';
import {
  type DiagnoseOptions,
  growthById,
  growthEvidence,
  knownLeakEvidence,
  peerEvidence,
  type Weighable,
} from './family-evidence.ts';
import { MANY_GOROUTINES } from './explosion.ts';
import { lockChains } from './lock-chain.ts';
import { waitsFor } from './waits-for.ts';
import { dumpAges, type JudgedAges } from './ages-evidence.ts';
import { causeOfCount, findingOf, isOfPods, isProminent, matchesOf, ONE_SNAPSHOT } from './finding.ts';

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
    const isLarge = !several && causeOfCount(count)?.benign !== true && isProminent(count.count, table.total);
    const told = evidenceOfFamily(count, growth, runtimeLeaks, ages, options);
    const lock = lockOf(count);
    const level = isLarge && ages === undefined ? levelEvidence(count, table.total) : [];
    const speaks = { ...told, evidence: [...told.evidence, ...level, ...stuckEvidence(count, lock)] };
    const shown = isLarge || isRare(count) || blockers.has(count.family.id) || isDeadlock(count, lock);
    if (speaks.evidence.length === 0 && !shown) return [];
    if (speaks.evidence.every(({ kind }) => kind !== 'runtime-leak') && isOfPods(count)) return [];
    const grows = (ages?.isProof ?? false) || (several ? (growth?.significant ?? false) : undefined);
    const matches = matchesOf(count, grows, options.facts, options.catalogue);
    const known = speaks.evidence.length === 0 ? [] : knownLeakEvidence(matches);
    const ledger = weigh([...speaks.evidence, ...known], speaks.vetoes);
    const notes = several || ledger.verdict === 'leak' || ages !== undefined ? [] : [ONE_SNAPSHOT];
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
        notes,
      }),
    ];
  });
}

/** Waits that healthy programs hardly have unless a more specific cause explains them. */
const RARE = new Set(['nil-channel', 'empty-select', 'mutex', 'wait-group', 'cond']);

/** Told however few they are. One may be the main loop, or wait for a context that never ends; several are rare. */
function isRare(count: FamilyCount): boolean {
  return count.count > 1 && RARE.has(causeOfCount(count)?.id ?? '');
}

/** One snapshot of a process with very many goroutines, much of them in one place where only another one can wake them. */
function levelEvidence({ count, states, family }: FamilyCount, total: number): Evidence[] {
  if (total < MANY_GOROUTINES) return [];
  const waiting = [...states].filter(([state]) => waitsFor(state, family)?.what === 'goroutine');
  if (waiting.reduce((sum, [, n]) => sum + n, 0) * 2 <= count) return [];
  const sentence = `${formatCount(count)} of ${formatCount(total)} goroutines wait here, where only another one can wake them`;
  return [{ kind: 'level', logOdds: WEIGHTS.manyGoroutines, shows: 'level', sentence }];
}

/** Nothing should hold a lock for minutes. */
const STUCK_MINUTES = 5;

function stuckEvidence({ count, waitMinutes }: FamilyCount, lock: LockChain | undefined): Evidence[] {
  if (lock === undefined || waitMinutes === undefined || waitMinutes.median < STUCK_MINUTES) return [];
  if (count === 1 && lock.kind !== 'ring' && lock.kind !== 'self') return [];
  const sentence = `they have waited for a lock for ${formatAge(waitMinutes.median * 60)} (median), longer than anything should hold one`;
  return [{ kind: 'ages', logOdds: WEIGHTS.stuckLock, shows: 'ages', sentence }];
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

const PER_OPERATION = 0.05;

function evidenceOfFamily(
  count: FamilyCount,
  growth: Growth | undefined,
  runtimeLeaks: FamilyTable | undefined,
  ages: JudgedAges | undefined,
  options: DiagnoseOptions,
): Weighable {
  const evidence: Evidence[] = [...(ages?.evidence ?? [])];
  const vetoes: Veto[] = [];
  const leaked = runtimeLeaks?.counts.find(({ family }) => family.id === count.family.id)?.leaked ?? count.leaked;
  if (leaked > 0) {
    const sentence = `the Go runtime found ${leaked} of them blocked on what nothing can reach any more`;
    evidence.push({ kind: 'runtime-leak', logOdds: WEIGHTS.runtimeLeak, shows: 'runtime', sentence });
  } else {
    // What the runtime itself proves, pods cannot excuse.
    vetoes.push(...(ages?.vetoes ?? []));
  }
  if (growth?.significant === true && growth.delta > 0) {
    const peers = peerEvidence(growth, options.references);
    evidence.push(
      growthEvidence(growth, isProved(growth) ? WEIGHTS.growthProved : WEIGHTS.growthSeen),
      ...peers.evidence,
    );
    // Nor can peers.
    if (leaked === 0) vetoes.push(...peers.vetoes);
  }
  return { evidence, vetoes };
}

/** Monotone means that it rose more than once; a burst in the last interval is load until another snapshot decides. */
function isProved({ points, monotone, perHour, perOperation, mayBeChurn }: Growth): boolean {
  if (mayBeChurn) return false;
  return (points.length > 2 && monotone && perHour !== 0) || (perOperation ?? 0) >= PER_OPERATION;
}
