/** Families of the live heap that grow beyond their sampling error, or that a known leak and a rising heap point at. */
import { MIN_SAMPLES_FOR_VERDICT } from '../../analysis/families/heap-sampling.ts';
import type { MetricGrowth } from '../../analysis/growth/metric-growth.ts';
import type { ProcessEvidence } from '../../evidence/snapshots/process-evidence.ts';
import type { Finding } from '../../model/analysis.ts';
import type { FamilyCount } from '../../model/family.ts';
import type { Growth } from '../../model/growth.ts';
import type { Match } from '../../model/known-leak.ts';
import type { Evidence } from '../../model/ledger.ts';
import { weigh } from '../ledger/weigh.ts';
import { WEIGHTS } from '../ledger/weights.ts';
import {
  type DiagnoseOptions,
  growthById,
  growthEvidence,
  knownLeakEvidence,
  peerEvidence,
} from './family-evidence.ts';
import { findingOf, isProminent, matchesOf, ONE_SNAPSHOT } from './finding.ts';

/** A single profile with so much in one family of a known bug is worth a look. */
const KNOWN_SHARE = 0.2;

/** `rise` is the live heap's, where metrics show one that the pods do not explain. */
export function heapFindings(
  evidence: ProcessEvidence,
  options: DiagnoseOptions,
  rise: MetricGrowth | undefined,
): Finding[] {
  const { heap, process } = evidence;
  const last = heap.at(-1);
  if (last === undefined) return [];
  const { table } = last;
  const several = heap.length > 1;
  const growths = growthById(evidence, heap, options);
  const findings: Finding[] = [];
  const hintedLeaks = new Set<string>();
  for (const count of table.counts) {
    const growth = growths.get(count.family.id);
    const material = isMaterial(growth?.delta ?? 0, table.total);
    const significant = growth?.significant === true && material;
    // Sampling hides slow leaks: a family that rises, of a bug this version has, while the live heap rises too.
    const hinted = !significant && several && material && rise !== undefined;
    const grows = significant || hinted ? true : several ? false : undefined;
    const matches = matchesOf(count, grows, options.facts, options.catalogue);
    const known = matches.find(({ affected }) => affected === 'affected');
    const about = { target: process.target, count, total: table.total, growth };
    if (significant) {
      findings.push(findingOf({ ...about, matches, ledger: weighGrowth(growth, count, rise, matches, options) }));
    } else if (hinted && known !== undefined && growth !== undefined && !hintedLeaks.has(known.id)) {
      // The largest family of a known leak speaks for the others.
      hintedLeaks.add(known.id);
      const ledger = weigh([
        trendEvidence(rise),
        ...knownLeakEvidence(matches),
        growthEvidence(growth, WEIGHTS.growthHinted),
      ]);
      findings.push(findingOf({ ...about, matches: matches.map(lessSure), ledger }));
    } else if (!several) {
      const finding = singleProfile(about, matches);
      if (finding !== undefined) findings.push(finding);
    }
  }
  return findings;
}

interface AboutFamily {
  readonly target: string;
  readonly count: FamilyCount;
  readonly total: number;
  readonly growth: Growth | undefined;
}

function singleProfile(about: AboutFamily, matches: readonly Match[]): Finding | undefined {
  const { count, total } = about;
  const known = knownLeakEvidence(matches);
  const isLarge = known.length > 0 && count.bytes >= total * KNOWN_SHARE;
  if (!isLarge && (known.length > 0 || !isProminent(count.bytes, total))) return undefined;
  const share = `${Math.round((100 * count.bytes) / total)} % of the live heap is in it`;
  const evidence: Evidence[] = isLarge
    ? [...known, { kind: 'level', logOdds: WEIGHTS.largeShare, shows: 'share', sentence: share }]
    : [];
  const few = count.samples < MIN_SAMPLES_FOR_VERDICT ? `only ${count.samples} samples stand behind it` : ONE_SNAPSHOT;
  return findingOf({ ...about, matches, ledger: weigh(evidence), notes: [isLarge ? few : ONE_SNAPSHOT] });
}

function weighGrowth(
  growth: Growth,
  count: FamilyCount,
  rise: MetricGrowth | undefined,
  matches: readonly Match[],
  options: DiagnoseOptions,
): ReturnType<typeof weigh> {
  const proved = growth.points.length > 2 && count.samples >= MIN_SAMPLES_FOR_VERDICT;
  const peers = peerEvidence(growth, options.references);
  return weigh(
    [
      growthEvidence(growth, proved ? WEIGHTS.growthProved : WEIGHTS.growthSeen),
      ...(rise === undefined ? [] : [trendEvidence(rise)]),
      ...knownLeakEvidence(matches),
      ...peers.evidence,
    ],
    peers.vetoes,
  );
}

export function trendEvidence({ resource, sentence }: MetricGrowth): Evidence {
  return { kind: 'metric-trend', logOdds: WEIGHTS.trendRising, shows: `trend of ${resource}`, sentence };
}

/** Growth that matters to someone: half a mebibyte, and one percent of the heap. */
function isMaterial(deltaBytes: number, totalBytes: number): boolean {
  return deltaBytes >= 512 * 1024 && deltaBytes >= totalBytes / 100;
}

function lessSure(match: Match): Match {
  if (match.grade !== 'confirmed') return match;
  const why = 'too few heap samples to prove that this family grows; the live heap of the process does';
  return { ...match, grade: 'probable', why: [...match.why, why] };
}
