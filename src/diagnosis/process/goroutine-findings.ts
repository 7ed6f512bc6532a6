/** Families of goroutines that grow, that the runtime calls leaked, or that make up much of a single snapshot. */
import type { ProcessEvidence } from '../../evidence/snapshots/process-evidence.ts';
import type { Finding } from '../../model/analysis.ts';
import type { FamilyCount, FamilyTable } from '../../model/family.ts';
import type { Growth } from '../../model/growth.ts';
import type { Evidence, Veto } from '../../model/ledger.ts';
import { weigh } from '../ledger/weigh.ts';
import { WEIGHTS } from '../ledger/weights.ts';
import {
  type DiagnoseOptions,
  growthById,
  growthEvidence,
  knownLeakEvidence,
  peerEvidence,
  type Weighable,
} from './family-evidence.ts';
import { causeOfCount, findingOf, isProminent, matchesOf, ONE_SNAPSHOT } from './finding.ts';

export function goroutineFindings(evidence: ProcessEvidence, options: DiagnoseOptions): Finding[] {
  const { goroutines, runtimeLeaks, process } = evidence;
  const last = goroutines.at(-1);
  if (last === undefined) return [];
  const { table } = last;
  const growths = growthById(evidence, goroutines, options);
  const several = goroutines.length > 1;
  return table.counts.flatMap(count => {
    const growth = growths.get(count.family.id);
    const speaks = evidenceOfFamily(count, table, growth, several, runtimeLeaks, options);
    const shown = !several && causeOfCount(count)?.benign !== true && isProminent(count.count, table.total);
    if (speaks.evidence.length === 0 && !shown) return [];
    const grows = several ? (growth?.significant ?? false) : undefined;
    const matches = matchesOf(count, grows, options.facts, options.catalogue);
    const known = speaks.evidence.length === 0 ? [] : knownLeakEvidence(matches);
    const ledger = weigh([...speaks.evidence, ...known], speaks.vetoes);
    const notes = several || ledger.verdict === 'leak' ? [] : [ONE_SNAPSHOT];
    return [findingOf({ target: process.target, count, total: table.total, growth, matches, ledger, notes })];
  });
}

/** Waits this long, in a family this large, are worth a look even in a single snapshot. */
const LONG_WAIT_MINUTES = 10;
const LARGE_FAMILY = 50;
const LARGE_SHARE = 0.1;
const PER_OPERATION = 0.05;

function evidenceOfFamily(
  count: FamilyCount,
  table: FamilyTable,
  growth: Growth | undefined,
  several: boolean,
  runtimeLeaks: FamilyTable | undefined,
  options: DiagnoseOptions,
): Weighable {
  const evidence: Evidence[] = [];
  const vetoes: Veto[] = [];
  const leaked = runtimeLeaks?.counts.find(({ family }) => family.id === count.family.id)?.count ?? count.leaked;
  if (leaked > 0) {
    const sentence = `the Go runtime found ${leaked} of them blocked on what nothing can reach any more`;
    evidence.push({ kind: 'runtime-leak', logOdds: WEIGHTS.runtimeLeak, shows: 'runtime', sentence });
  }
  if (growth?.significant === true && growth.delta > 0) {
    const peers = peerEvidence(growth, options.references);
    evidence.push(
      growthEvidence(growth, isProved(growth) ? WEIGHTS.growthProved : WEIGHTS.growthSeen),
      ...peers.evidence,
    );
    // What the runtime itself proves, peers cannot excuse.
    if (leaked === 0) vetoes.push(...peers.vetoes);
  } else if (!several && leaked === 0 && causeOfCount(count)?.benign !== true) {
    const wait = count.waitMinutes?.median ?? 0;
    if (count.count >= LARGE_FAMILY && count.count >= table.total * LARGE_SHARE && wait >= LONG_WAIT_MINUTES) {
      const sentence = `${count.count} of ${table.total} goroutines, half of them waiting for ${wait} minutes or more`;
      evidence.push({ kind: 'level', logOdds: WEIGHTS.longWaits, shows: 'waits', sentence });
    }
  }
  return { evidence, vetoes };
}

/** Monotone means that it rose more than once; a burst in the last interval is load until another snapshot decides. */
function isProved({ points, monotone, perHour, perOperation }: Growth): boolean {
  return (points.length > 2 && monotone && perHour !== 0) || (perOperation ?? 0) >= PER_OPERATION;
}
