/** Families of the live heap that grow beyond their sampling error, or that a known leak and a rising heap point at. */
import { MIN_SAMPLES_FOR_VERDICT } from '../../profile/families/heap-sampling.ts';
import type { MetricGrowth } from '../growth/metric-growth.ts';
import { risesOf } from '../growth/significance.ts';
import { isToBlame } from '../../knowledge/signature.ts';
import type { ProcessEvidence } from '../../evidence/snapshots/process-evidence.ts';
import type { Finding } from '../analysis.ts';
import type { FamilyCount } from '../../profile/families/family.ts';
import type { Growth } from '../growth/growth.ts';
import type { Match, MatchGrade } from '../../knowledge/known-leak-match.ts';
import { type Evidence, type Veto, type Ledger, type LedgerEntry, weigh } from '../ledger/ledger.ts';
import { WEIGHTS } from '../ledger/weights.ts';
import {
  type DiagnoseOptions,
  growthById,
  growthEvidence,
  knownLeakEvidence,
  peerEvidence,
} from './family-evidence.ts';
import { causeOfCount, findingOf, isProminent, matchesOf, ONE_SNAPSHOT } from './finding.ts';
import { type FamilyRetention, retentionById, MIN_KEPT_SAMPLES, type KeptLeak } from './heap-retention.ts';
import { sameCollectionVetoes } from './same-collection.ts';
import { isRetained } from '../retention/retention-of.ts';
import type { Retention } from '../retention/retention.ts';
import { keptPhrase, keptRatePhrase, keptSincePhrase } from '../retention/retention-phrases.ts';

/**
 * When keeping everything speaks for a leak, and how much.
 *
 *     a known leak's stack, which a fixed version frees, on 10 samples or more     proof, with the version
 *     the same on fewer samples                                                   a hint
 *     an unknown family that is large and keeps all                                worth watching
 *     ... and goes on keeping between two profiles, or explains the metrics        proof together with them
 *     storage, caches, code that runs once                                         nothing: they keep by design
 *
 * A cache that fills keeps everything, too; most are full by then.
 */
const WARM_SECONDS = 3600;

/** A family that keeps at less than this part of its own average pace is slowing down. */
const STEADY_SHARE = 0.5;

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
    const about = { target: process.target, count, total: table.total, growth, rise, family };
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

interface AboutFamily {
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

function keptEvidence({ family, count, total, rise }: AboutFamily): Evidence[] {
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
  vetoes: readonly Veto[],
): Finding | undefined {
  const { count, total, family, rise } = about;
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

/** A family that frees nearly all of what it allocates holds more when there is more to do. */
const FREES_BELOW = 0.3;

function weighGrowth(
  growth: Growth,
  { count, rise, family }: AboutFamily,
  matches: readonly Match[],
  kept: readonly Evidence[],
  options: DiagnoseOptions,
): ReturnType<typeof weigh> {
  const rises = risesOf(growth.points.map(({ bytes }) => bytes));
  const since = family?.retention.since ?? null;
  const frees = since !== null && since.samples >= MIN_KEPT_SAMPLES && since.retainedShare[2] < FREES_BELOW;
  const proved = rises > 1 && count.samples >= MIN_SAMPLES_FOR_VERDICT && !frees;
  const load = frees ? `, but it freed most of what it allocated meanwhile: load may do that` : '';
  const peers = peerEvidence(growth, options.references);
  return weigh(
    [
      growthEvidence({ ...growth, why: `${growth.why}${load}` }, proved ? WEIGHTS.growthProved : WEIGHTS.growthSeen),
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

interface RetentionCase {
  readonly family: FamilyRetention;
  /** The size of the live heap. */
  readonly totalBytes: number;
  /** Every healthy process has such a family. */
  readonly isBenign: boolean;
  /** The rise of the live heap, if metrics show one that the pods do not explain. */
  readonly rise: MetricGrowth | undefined;
}

/** At most one entry: two of the same profile show the same thing. */
function retentionEvidence({ family, totalBytes, isBenign, rise }: RetentionCase): Evidence[] {
  const { retention } = family;
  const proved = family.known.find(isProved);
  if (proved !== undefined) return [evidence(WEIGHTS.retainedKnown, retention, knownNote(proved, retention))];
  const [hinted] = family.known;
  if (hinted !== undefined) return [evidence(WEIGHTS.retainedHinted, retention, knownNote(hinted, retention))];
  if (isBenign || !isLargeAndKept(retention, totalBytes) || keepsByDesign(retention)) return [];
  const going = isWarm(retention) && (goesOn(retention) || explains(retention, rise));
  return [evidence(going ? WEIGHTS.retainedOn : WEIGHTS.retained, retention, keptSincePhrase(retention))];
}

function isProved({ match, samples, retainedShare }: KeptLeak): boolean {
  return match.grade === 'confirmed' && samples >= MIN_KEPT_SAMPLES && isRetained(retainedShare);
}

function evidence(logOdds: number, retention: Retention, note: string): Evidence {
  const sentence = [`keeps ${keptPhrase(retention)}`, keptRatePhrase(retention), note].filter(part => part !== '');
  return { kind: 'retention', logOdds, shows: 'retention', sentence: sentence.join('; ') };
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

function isWarm({ ageSeconds }: Retention): boolean {
  return ageSeconds !== null && ageSeconds >= WARM_SECONDS;
}

/** Kept what it allocated between two profiles, at no less than its usual pace. */
function goesOn({ since, perHour }: Retention): boolean {
  if (since === null || since.seconds === null || since.seconds <= 0 || perHour === null) return false;
  if (since.samples < MIN_KEPT_SAMPLES || !isRetained(since.retainedShare)) return false;
  return (since.retainedBytes / since.seconds) * 3600 >= STEADY_SHARE * perHour[1];
}

/** Its own average over the life of the process is what the live heap gains now. */
function explains({ perHour }: Retention, rise: MetricGrowth | undefined): boolean {
  if (perHour === null || rise === undefined) return false;
  const [low, , high] = perHour;
  return low <= rise.highPerHour && high >= STEADY_SHARE * rise.perHour;
}

/** Why keeping everything does not prove a leak here, and what would decide; null of families that free, or are small. */
function undecidedOf(retention: Retention, totalBytes: number): string | null {
  if (!isLargeAndKept(retention, totalBytes)) return null;
  if (retention.isOneTime) return 'code that runs once allocated it, when packages were initialised or registered';
  const decides = 'a second profile with new allocations and none freed, or the live heap over hours, would decide';
  if (retention.store !== null) return `it is ${retention.store}, and keeps by design; ${decides}`;
  return `a cache that still fills keeps everything, too; ${decides}`;
}
