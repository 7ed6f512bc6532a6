/** Families of the live heap that grow beyond their sampling error, or that a known leak and a rising heap point at. */
import { MIN_SAMPLES_FOR_VERDICT } from '../../profile/families/heap-families.ts';
import type { MetricGrowth } from '../growth/metric-growth.ts';
import { risesOf } from '../growth/significance.ts';
import { isToBlame } from '../../knowledge/signature.ts';
import type { ProcessEvidence } from '../../evidence/snapshots/process-evidence.ts';
import type { Finding } from '../analysis.ts';
import type { FamilyCount } from '../../profile/families/family.ts';
import type { Growth } from '../growth/growth.ts';
import type { Match, MatchGrade } from '../../knowledge/known-leak-match.ts';
import { type Evidence, type Veto, type Ledger, type LedgerEntry, weigh } from '../ledger/ledger.ts';
import { type Claim, WEIGHTS } from '../ledger/weights.ts';
import {
  type DiagnoseOptions,
  gateEvidence,
  growthById,
  growthEvidence,
  growthWeight,
  knownLeakEvidence,
  peerEvidence,
} from './family-evidence.ts';
import { boundEvidence } from './bound-evidence.ts';
import {
  causeOfCount,
  type FindingInput,
  findingOf,
  isProminent,
  lifetimeOfCount,
  matchesOf,
  ONE_SNAPSHOT,
} from './finding.ts';
import { type FamilyRetention, retentionById, MIN_KEPT_SAMPLES, type KeptLeak } from './heap-retention.ts';
import { isRetained } from './retention-of.ts';
import { type Retention, keptPhrase, keptRatePhrase, keptSincePhrase } from './retention.ts';
import { formatCount, formatPercent } from '../../base/say.ts';

const GRADES: readonly MatchGrade[] = ['possible', 'probable', 'confirmed'];

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
  const hinted = new Map<string, Finding>();
  const aside: Finding[] = [];
  for (const count of table.counts) {
    const growth = growths.get(count.family.id);
    const family = retentions.get(count.family.id);
    const material = isMaterial(growth?.delta ?? 0, table.total);
    const significant = growth?.significant === true && material;
    // Sampling hides slow leaks: a family that rises, of a bug this version has, while the live heap rises too.
    const isHinted = !significant && several && material && rise !== undefined;
    // What is kept for good shows it in the last profile, however little the others differ from it.
    const isKnownKept = (family?.known.length ?? 0) > 0 && (growth?.delta ?? 1) > 0;
    const grows = significant || isHinted ? true : several && !isKnownKept ? false : undefined;
    const matches = withKept(matchesOf(count, grows, options.facts, options.catalogue), family);
    const known = matches.find(({ affected }) => affected === 'affected');
    const about = {
      process: evidence,
      target: process.target,
      count,
      total: table.total,
      growth,
      rise,
      family,
      atSeconds: last.atSeconds,
      startedAtSeconds: process.startTimeSeconds,
    };
    const base = { ...about, matches, retention: family?.retention };
    const kept = keptEvidence(about);
    if (significant) {
      findings.push(findingOf({ ...base, ledger: weighGrowth(growth, about, matches, kept, options) }));
    } else if (isHinted && known !== undefined && growth !== undefined) {
      // One family of a known leak speaks for the others: the largest, or the one to blame.
      const before = hinted.get(known.id);
      if (before !== undefined && (isToBlame(known, before.family.frames) || !isToBlame(known, count.family.frames)))
        continue;
      const ledger = weigh([
        trendEvidence(rise),
        ...knownLeakEvidence(matches),
        growthEvidence(growth, WEIGHTS.growthHinted),
        ...kept,
        ...boundsOf(about),
      ]);
      const surely = family?.known.some(isProved) === true ? matches : matches.map(lessSure);
      hinted.set(known.id, findingOf({ ...base, matches: surely, ledger }));
    } else if (!several || isKnownKept) {
      const finding = singleProfile(about, matches, kept, sameCollectionVetoes(evidence));
      if (finding !== undefined) findings.push(finding);
    } else if (material) {
      const maker = makerFinding(base, kept, options);
      if (maker !== undefined) aside.push(maker);
    }
  }
  return withCulprits([...findings, ...hinted.values()], aside);
}

interface AboutFamily extends Pick<FindingInput, 'atSeconds' | 'startedAtSeconds'> {
  readonly process: ProcessEvidence;
  readonly target: string;
  readonly count: FamilyCount;
  readonly total: number;
  readonly growth: Growth | undefined;
  readonly rise: MetricGrowth | undefined;
  readonly family: FamilyRetention | undefined;
}

/** A family that makes what a known leak leaks, but too rarely sampled to prove it alone. */
function makerFinding(
  about: AboutFamily & Pick<Parameters<typeof findingOf>[0], 'retention'>,
  kept: readonly Evidence[],
  { facts, catalogue }: DiagnoseOptions,
): Finding | undefined {
  const { count, growth } = about;
  const matches = matchesOf(count, true, facts, catalogue);
  const [match] = matches;
  if (growth === undefined || match === undefined || match.culprit === '') return undefined;
  if (!isToBlame(match, count.family.frames)) return undefined;
  const ledger = weigh([growthEvidence(growth, WEIGHTS.growthHinted), ...kept]);
  return findingOf({ ...about, matches: matches.map(lessSure), ledger });
}

/**
 * Whether what it allocates stays, by what is live of it. Of a family that is not seen to grow, only a large one that
 * keeps everything for no known reason speaks.
 */
function keptEvidence({ family, count, total, growth }: AboutFamily): Evidence[] {
  if (family === undefined) return [];
  const { retention } = family;
  const proved = family.known.find(isProved);
  if (proved !== undefined)
    return [retentionEvidence(WEIGHTS.retainedKnown, ['stays', 'unwanted'], retention, knownNote(proved, retention))];
  const [hinted] = family.known;
  if (hinted !== undefined)
    return [retentionEvidence(WEIGHTS.growthSeen, ['stays'], retention, knownNote(hinted, retention))];
  const grows = growth?.significant === true && growth.delta > 0;
  if (grows && frees(retention)) {
    const sentence = `keeps only ${keptPhrase(retention)}: it frees`;
    return [{ kind: 'retention', claims: ['stays'], logOdds: WEIGHTS.freed, shows: 'retention', sentence }];
  }
  if (!grows && (causeOfCount(count)?.benign === true || keepsByDesign(retention))) return [];
  const isKept = grows ? keepsAll(retention) : isLargeAndKept(retention, total);
  return isKept ? [retentionEvidence(WEIGHTS.kept, ['stays'], retention, keptSincePhrase(retention))] : [];
}

/** Of what it allocated since the first profile if there is enough of it, or else ever, a good part is gone. */
function frees({ samples, retainedShare, since }: Retention): boolean {
  const recent = since !== null && since.samples >= MIN_KEPT_SAMPLES ? since.retainedShare : undefined;
  if (recent !== undefined) return recent[2] < FREES_BELOW;
  return samples >= MIN_KEPT_SAMPLES && retainedShare[2] < FREES_BELOW;
}

function keepsAll({ samples, retainedShare, since }: Retention): boolean {
  return (
    (samples >= MIN_KEPT_SAMPLES && isRetained(retainedShare)) ||
    (since !== null && since.samples >= MIN_KEPT_SAMPLES && isRetained(since.retainedShare))
  );
}

const FREES_BELOW = 0.8;

/** Whether it has a bound, and which. */
function boundsOf({ process, count, growth, family, rise }: AboutFamily): Evidence[] {
  const [first, last] = [process.heap.at(0), process.heap.at(-1)];
  const retention = family?.retention;
  const delta = growth !== undefined && growth.delta > 0 ? growth.delta : undefined;
  // The rate of a few samples says nothing about the course.
  const isRated = growth?.significant === true && count.samples >= MIN_SAMPLES_FOR_VERDICT;
  return boundEvidence(
    {
      level: count.bytes,
      delta,
      perHour: isRated
        ? growth.perHour
        : rise !== undefined && explains(retention, rise)
          ? retention?.perHour?.[1]
          : undefined,
      ageSeconds: retention?.ageSeconds ?? undefined,
      isSteady: growth !== undefined && risesOf(growth.points.map(({ bytes }) => bytes)) > 1,
      isSlowing: false,
      steadySeconds: 0,
      idleMinutes: 0,
      lifetime: lifetimeOfCount(count),
      store: retention?.store ?? null,
      from: first?.atSeconds,
      to: last?.atSeconds,
    },
    process.series,
  );
}

/** Its own average over the life of the process is what the live heap gains now. */
function explains(retention: Retention | undefined, rise: MetricGrowth): boolean {
  if (retention === undefined || retention.perHour === null) return false;
  const [low, , high] = retention.perHour;
  return low <= rise.highPerHour && high >= STEADY_SHARE * rise.perHour;
}

/** Of the rise of the live heap, at least this much must be of the family. */
const STEADY_SHARE = 0.5;

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
  vetoes: readonly Veto[],
): Finding | undefined {
  const { count, total, family, rise } = about;
  const known = knownLeakEvidence(matches);
  const isLarge = known.length > 0 && count.bytes >= total * KNOWN_SHARE;
  const speaks = kept.length > 0 || isLarge;
  if (!speaks && (known.length > 0 || !isProminent(count.bytes, total))) return undefined;
  const evidence: Evidence[] = speaks ? [...kept, ...known] : [];
  if (isLarge) {
    const share = `${formatPercent(Math.round((100 * count.bytes) / total))} of the live heap is in it`;
    evidence.push({ kind: 'level', claims: ['stays'], logOdds: WEIGHTS.largeShare, shows: 'share', sentence: share });
  }
  if (kept.length > 0 && rise !== undefined) evidence.push(trendEvidence(rise));
  if (speaks) evidence.push(...boundsOf(about));
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
  about: AboutFamily,
  matches: readonly Match[],
  kept: readonly Evidence[],
  options: DiagnoseOptions,
): Ledger {
  const rises = risesOf(growth.points.map(({ bytes }) => bytes));
  const isSteady = rises > 1 && about.count.samples >= MIN_SAMPLES_FOR_VERDICT;
  const peers = peerEvidence(growth, options.references);
  return weigh(
    [
      ...(gateEvidence(growth, options) ?? []),
      growthEvidence(growth, growthWeight(growth, isSteady)),
      ...(about.rise === undefined ? [] : [trendEvidence(about.rise)]),
      ...knownLeakEvidence(matches),
      ...kept,
      ...boundsOf(about),
      ...peers.evidence,
    ],
    peers.vetoes,
  );
}

/** Of the rate, the half width of its interval; and how long it must have been seen. */
const STRAIGHT = 0.1;
const MIN_STRAIGHT_HOURS = 0.4;

export function trendEvidence({ resource, sentence, ...growth }: MetricGrowth): Evidence {
  const { trend, hours, perHour, lowPerHour, highPerHour } = growth;
  const isStraight =
    trend === 'steady' && hours >= MIN_STRAIGHT_HOURS && highPerHour - lowPerHour <= 2 * STRAIGHT * perHour;
  const logOdds = isStraight ? WEIGHTS.trendStraight : WEIGHTS.trendRising;
  return { kind: 'metric-trend', claims: ['stays'], logOdds, shows: `trend of ${resource}`, sentence };
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

/**
 * Known leaks whose stacks are several: one makes what leaks, the others only hold it. The evidence about any of them is
 * evidence about the one to blame, so that it leads:
 *
 *     leak    volumemanager.(*volumeManager).WaitForAttachAndMount → ...     19 MiB, proved
 *     watch   kubelet.(*podWorkers).startPodSync → context.WithCancel        7 MiB: to blame, so proved as well
 *
 * `aside` has findings about families that are too small by themselves; those to blame for a finding join it.
 */
export function withCulprits(findings: readonly Finding[], aside: readonly Finding[]): Finding[] {
  const known = new Set(findings);
  const all = [...findings, ...aside];
  return all.flatMap(finding => {
    const holder = holderOf(finding, findings);
    if (holder !== undefined) return [blamed(finding, holder)];
    return known.has(finding) ? [finding] : [];
  });
}

/** The most certain finding about the same leak that only holds what this one makes. */
function holderOf(finding: Finding, findings: readonly Finding[]): Finding | undefined {
  const match = blamedBy(finding);
  if (match === undefined) return undefined;
  return findings
    .filter(({ matches: [own], family }) => own?.id === match.id && !isToBlame(own, family.frames))
    .reduce<Finding | undefined>(
      (best, one) => (best !== undefined && best.ledger.probability >= one.ledger.probability ? best : one),
      undefined,
    );
}

function blamedBy({ matches: [match], family }: Finding): Match | undefined {
  return match !== undefined && match.culprit !== '' && isToBlame(match, family.frames) ? match : undefined;
}

function blamed(finding: Finding, holder: Finding): Finding {
  const ledger = together(finding.ledger, holder);
  if (ledger.probability <= finding.ledger.probability) return finding;
  const [own, ...rest] = finding.matches;
  const [held] = holder.matches;
  const best =
    own !== undefined && held !== undefined && gradeOf(held) > gradeOf(own) ? { ...held, why: own.why } : own;
  return { ...finding, verdict: ledger.verdict, ledger, matches: best === undefined ? rest : [best, ...rest] };
}

/** What both show counts once. */
function together(own: Ledger, { ledger: held, family }: Finding): Ledger {
  const entries = held.entries.map((entry): LedgerEntry => ({
    ...entry,
    sentence: `${family.title}, which holds it: ${entry.sentence}`,
  }));
  return weigh([...own.entries, ...entries], [...own.vetoes, ...held.vetoes]);
}

function gradeOf({ grade }: Match): number {
  return GRADES.indexOf(grade);
}

function isProved({ match, samples, retainedShare }: KeptLeak): boolean {
  return match.grade === 'confirmed' && samples >= MIN_KEPT_SAMPLES && isRetained(retainedShare);
}

function retentionEvidence(logOdds: number, claims: readonly Claim[], retention: Retention, note: string): Evidence {
  const sentence = [`keeps ${keptPhrase(retention)}`, keptRatePhrase(retention), note].filter(part => part !== '');
  return { kind: 'retention', claims, logOdds, shows: 'retention', sentence: sentence.join('; ') };
}

function knownNote({ match, samples, liveSamples }: KeptLeak, retention: Retention): string {
  const all = samples > retention.samples ? ` (${liveSamples} of ${samples} samples in all of its stacks)` : '';
  return `a version with the fix for ${match.ref} keeps none of it${all}`;
}

function isLargeAndKept({ retainedShare, samples, liveBytes }: Retention, totalBytes: number): boolean {
  return samples >= MIN_KEPT_SAMPLES && isRetained(retainedShare) && isProminent(liveBytes, totalBytes);
}

function keepsByDesign({ store, isOneTime }: Retention): boolean {
  return isOneTime || store !== null;
}

/** Why keeping everything does not prove a leak here, and what would decide; null of families that free, or are small. */
function undecidedOf(retention: Retention, totalBytes: number): string | null {
  if (!isLargeAndKept(retention, totalBytes)) return null;
  if (retention.isOneTime) return 'code that runs once allocated it, when packages were initialised or registered';
  const decides = 'a second profile with new allocations and none freed, or the live heap over hours, would decide';
  if (retention.store !== null) return `it is ${retention.store}, and keeps by design; ${decides}`;
  return `a cache that still fills keeps everything, too; ${decides}`;
}

/** Heap profiles of one garbage collection: what they cannot tell, and what would. */

/** None where two profiles or more show different collections. */
export function sameCollectionVetoes({ heap, heapRepeats }: ProcessEvidence): Veto[] {
  if (heap.length !== 1 || heapRepeats === 0) return [];
  const profiles = `${formatCount(heapRepeats + 1)} heap profiles show the same garbage collection`;
  const sentence = `${profiles}: they are one observation, and say nothing of growth; heap?gc=1 collects first`;
  return [{ kind: 'same-collection', sentence }];
}
