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
import { dumpAges, type JudgedAges } from './ages-evidence.ts';
import { causeOfCount, findingOf, isProminent, matchesOf, ONE_SNAPSHOT } from './finding.ts';

export function goroutineFindings(evidence: ProcessEvidence, options: DiagnoseOptions): Finding[] {
  const { goroutines, runtimeLeaks, process } = evidence;
  // The leak profile of the runtime is evidence enough without any other.
  const table = goroutines.at(-1)?.table ?? runtimeLeaks;
  if (table === undefined) return [];
  const growths = growthById(evidence, goroutines, options);
  const agesOfFamily = dumpAges(evidence);
  const several = goroutines.length > 1;
  return table.counts.flatMap(count => {
    const growth = growths.get(count.family.id);
    const ages = agesOfFamily(count);
    const speaks = evidenceOfFamily(count, growth, runtimeLeaks, ages, options);
    const isLarge = !several && causeOfCount(count)?.benign !== true && isProminent(count.count, table.total);
    const shown = isLarge || isStuck(count);
    if (speaks.evidence.length === 0 && !shown) return [];
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
        matches,
        ledger,
        notes,
      }),
    ];
  });
}

/** One may be the Done channel of a context that never ends; several are rare, and nothing can ever wake them. */
function isStuck({ count, states }: FamilyCount): boolean {
  return count > 1 && [...states.keys()].some(state => state.endsWith('(nil chan)'));
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
function isProved({ points, monotone, perHour, perOperation }: Growth): boolean {
  return (points.length > 2 && monotone && perHour !== 0) || (perOperation ?? 0) >= PER_OPERATION;
}
