/** Families of the live heap that grow beyond their sampling error, or that a known leak and a rising heap point at. */
import { MIN_SAMPLES_FOR_VERDICT } from '../../analysis/families/heap-sampling.ts';
import type { MetricGrowth } from '../../analysis/growth/metric-growth.ts';
import { risesOf } from '../../analysis/growth/significance.ts';
import type { ProcessEvidence } from '../../evidence/snapshots/process-evidence.ts';
import type { Finding } from '../../model/analysis.ts';
import type { FamilyCount } from '../../model/family.ts';
import type { Growth } from '../../model/growth.ts';
import type { Match } from '../../model/known-leak.ts';
import type { Evidence, Veto } from '../../model/ledger.ts';
import { weigh } from '../ledger/weigh.ts';
import { WEIGHTS } from '../ledger/weights.ts';
import {
  type DiagnoseOptions,
  growthById,
  growthEvidence,
  knownLeakEvidence,
  peerEvidence,
} from './family-evidence.ts';
import { causeOfCount, findingOf, isProminent, matchesOf, ONE_SNAPSHOT } from './finding.ts';
import { type FamilyRetention, retentionById } from './heap-retention.ts';
import { sameCollectionVetoes } from './same-collection.ts';
import { isProved, retentionEvidence, undecidedOf } from './retention-evidence.ts';

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
  const retentions = retentionById(evidence, options);
  const findings: Finding[] = [];
  const hintedLeaks = new Set<string>();
  for (const count of table.counts) {
    const growth = growths.get(count.family.id);
    const family = retentions.get(count.family.id);
    const material = isMaterial(growth?.delta ?? 0, table.total);
    const significant = growth?.significant === true && material;
    // Sampling hides slow leaks: a family that rises, of a bug this version has, while the live heap rises too.
    const hinted = !significant && several && material && rise !== undefined;
    // What is kept for good shows it in the last profile, however little the others differ from it.
    const isKnownKept = (family?.known.length ?? 0) > 0 && (growth?.delta ?? 1) > 0;
    const grows = significant || hinted ? true : several && !isKnownKept ? false : undefined;
    const matches = withKept(matchesOf(count, grows, options.facts, options.catalogue), family);
    const known = matches.find(({ affected }) => affected === 'affected');
    const about = { target: process.target, count, total: table.total, growth, family };
    const base = { ...about, matches, retention: family?.retention };
    const kept = keptEvidence(about, rise);
    if (significant) {
      findings.push(findingOf({ ...base, ledger: weighGrowth(growth, count, rise, matches, kept, options) }));
    } else if (hinted && known !== undefined && growth !== undefined && !hintedLeaks.has(known.id)) {
      // The largest family of a known leak speaks for the others.
      hintedLeaks.add(known.id);
      const ledger = weigh([
        trendEvidence(rise),
        ...knownLeakEvidence(matches),
        growthEvidence(growth, WEIGHTS.growthHinted),
        ...kept,
      ]);
      const surely = family?.known.some(isProved) === true ? matches : matches.map(lessSure);
      findings.push(findingOf({ ...base, matches: surely, ledger }));
    } else if (!several || isKnownKept) {
      const finding = singleProfile(about, matches, kept, rise, sameCollectionVetoes(evidence));
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
  readonly family: FamilyRetention | undefined;
}

function keptEvidence({ family, count, total }: AboutFamily, rise: MetricGrowth | undefined): Evidence[] {
  if (family === undefined) return [];
  const isBenign = causeOfCount(count)?.benign === true;
  return retentionEvidence({ family, totalBytes: total, isBenign, rise });
}

/** A match by what a stack keeps is as good as one by its growth. */
function withKept(matches: readonly Match[], family: FamilyRetention | undefined): readonly Match[] {
  const kept = family?.known.filter(isProved).map(({ match }) => match) ?? [];
  if (kept.length === 0) return matches;
  return [...kept, ...matches.filter(({ id }) => !kept.some(one => one.id === id))];
}

/** What one profile shows: large families, and those that keep what they allocate. */
function singleProfile(
  about: AboutFamily,
  matches: readonly Match[],
  kept: readonly Evidence[],
  rise: MetricGrowth | undefined,
  vetoes: readonly Veto[],
): Finding | undefined {
  const { count, total, family } = about;
  const known = knownLeakEvidence(matches);
  const isLarge = known.length > 0 && count.bytes >= total * KNOWN_SHARE;
  const speaks = kept.length > 0 || isLarge;
  if (!speaks && (known.length > 0 || !isProminent(count.bytes, total))) return undefined;
  const evidence: Evidence[] = speaks ? [...kept, ...known] : [];
  if (isLarge) {
    const share = `${Math.round((100 * count.bytes) / total)} % of the live heap is in it`;
    evidence.push({ kind: 'level', logOdds: WEIGHTS.largeShare, shows: 'share', sentence: share });
  }
  if (kept.length > 0 && rise !== undefined) evidence.push(trendEvidence(rise));
  // One profile proves a known leak by what it keeps, however often it was taken.
  const ledger = weigh(evidence, family?.known.some(isProved) === true ? [] : vetoes);
  if (ledger.verdict === 'leak') return findingOf({ ...about, retention: family?.retention, matches, ledger });
  const undecided = family === undefined ? null : undecidedOf(family.retention, total);
  const retention = family === undefined ? undefined : { ...family.retention, undecided };
  const few = count.samples < MIN_SAMPLES_FOR_VERDICT ? `only ${count.samples} samples stand behind it` : ONE_SNAPSHOT;
  return findingOf({ ...about, retention, matches, ledger, notes: [undecided ?? (isLarge ? few : ONE_SNAPSHOT)] });
}

function weighGrowth(
  growth: Growth,
  count: FamilyCount,
  rise: MetricGrowth | undefined,
  matches: readonly Match[],
  kept: readonly Evidence[],
  options: DiagnoseOptions,
): ReturnType<typeof weigh> {
  const rises = risesOf(growth.points.map(({ bytes }) => bytes));
  const proved = rises > 1 && count.samples >= MIN_SAMPLES_FOR_VERDICT;
  const peers = peerEvidence(growth, options.references);
  return weigh(
    [
      growthEvidence(growth, proved ? WEIGHTS.growthProved : WEIGHTS.growthSeen),
      ...(rise === undefined ? [] : [trendEvidence(rise)]),
      ...knownLeakEvidence(matches),
      ...kept,
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
