/**
 * What is known of the leak of a node from saved evidence: from an analysis, from a triage, from the scrapes among it,
 * and, for what none of these say, from the live kubelet.
 */
import { nameInEvidence, nodeName } from '../../evidence/target.ts';
import type { Analysis, Finding } from '../../judge/analysis.ts';
import type { NodeFinding, KubeletFacts, NodeFacts } from './cluster-facts.ts';
import type { PlanEvidence, PlannedLeak } from './plan.ts';
import { RESOURCES, type ResourceFacts, factsOf } from '../../evidence/resource.ts';
import { compareVerdicts, worstKnown, mayLeak, VERDICTS } from '../../judge/verdict.ts';
import { type JsonRecord, listOf, optionalNumber, recordOf, textOf } from '../../base/json.ts';
import { rangeOf } from './watch-findings.ts';
import { theilSen } from '../../judge/growth/theil-sen.ts';
import { seriesOfProcess } from '../../evidence/snapshots/process-series.ts';
import type { Snapshot } from '../../evidence/snapshots/snapshot.ts';

/** `where` is the folder, `bytesOf` the size of a file in it. */
interface EvidencePlace {
  readonly where: string;
  readonly bytes: number;
}

/** One finding per target that the analysis names. */
export function findingsOfAnalysis(analysis: Analysis, place: EvidencePlace): Map<string, NodeFinding> {
  const targets = new Set([...analysis.ledgers, ...analysis.inputs].map(({ target }) => nameInEvidence(target)));
  const found = new Map<string, NodeFinding>();
  for (const node of targets) if (node !== '') found.set(node, findingOf(node, analysis, place, targets.size === 1));
  return found;
}

function findingOf(node: string, analysis: Analysis, place: EvidencePlace, isOnly: boolean): NodeFinding {
  const own = analysis.findings.filter(({ target }) => nameInEvidence(target) === node);
  const ledgers = analysis.ledgers.filter(({ target }) => nameInEvidence(target) === node);
  const verdict = isOnly ? analysis.verdict : worstKnown(ledgers.map(ledger => ledger.verdict));
  const [first] = [...own].sort((a, b) => compareVerdicts(a.verdict, b.verdict));
  const resource = factsFor(first?.resource);
  const growth = growthOf(own, first);
  return {
    node,
    verdict,
    sentence: isOnly ? analysis.sentence : (first?.reasons[0] ?? analysis.sentence),
    resource: resource?.resource ?? null,
    unit: resource?.unit ?? null,
    level: null,
    slopePerHour: growth.perHour,
    slopeInterval: growth.range,
    timeToLimitHours: null,
    limit: null,
    knownLeak: leakOf(first),
    hazards: first?.matches[0]?.hazards ?? [],
    incident: null,
    evidence: evidenceOf(node, analysis, place),
  };
}

interface Growth {
  readonly perHour: number | null;
  readonly range: readonly [low: number, high: number] | null;
}

/** The growth of all families of the resource that leak together: a leak shows in several stacks. */
function growthOf(findings: readonly Finding[], first: Finding | undefined): Growth {
  const growing = findings.filter(one => one.resource === first?.resource && one.verdict === first?.verdict);
  const rates = growing.flatMap(({ growth }) => growth?.perHour ?? []);
  const ranges = growing.flatMap(({ growth }) => (growth?.perHourRange ? [growth.perHourRange] : []));
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
  return {
    perHour: rates.length === 0 ? null : sum(rates),
    range:
      ranges.length === 0 || ranges.length < rates.length
        ? null
        : [sum(ranges.map(([low]) => low)), sum(ranges.map(([, high]) => high))],
  };
}

function factsFor(slug: string | undefined): ResourceFacts | undefined {
  return RESOURCES.find(one => one.slug === slug);
}

/** The best match of the finding. */
function leakOf(finding: Finding | undefined): PlannedLeak | null {
  const match = finding?.matches.find(({ affected }) => affected !== 'not-affected' && affected !== 'fixed');
  if (match === undefined) return null;
  const { id, ref, title, grade, fixedIn, sideEffects } = match;
  return { id, ref, title, isConfirmed: grade === 'confirmed', fixedIn, sideEffects };
}

/** Profiles or dumps of this node that could be read; a scrape alone is not evidence of a cause. */
function evidenceOf(node: string, { inputs }: Analysis, { where, bytes }: EvidencePlace): PlanEvidence | null {
  const own = inputs.filter(({ target, kind }) => nameInEvidence(target) === node && kind !== 'metrics');
  if (own.length === 0) return null;
  const times = own.flatMap(({ takenAt }) => (takenAt === null ? [] : [takenAt])).sort();
  return {
    where,
    fileCount: own.length,
    bytes,
    takenAt: toSecond(times.at(-1)),
    isReadable: own.some(({ error }) => error === null),
  };
}

function toSecond(time: string | undefined): string | null {
  return time === undefined || !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/.test(time) ? null : `${time.slice(0, 19)}Z`;
}

/**
 * What a triage says about its node: `oakum triage node/N -o json`. The file may have been edited, so its folder of
 * evidence is analysed again; only the figures of the live scrape and of the history come from it.
 */

export interface TriageSummary {
  readonly node: string;
  /** '' if nothing was saved. */
  readonly folder: string;
  /** Without evidence and known leak: those come from the folder. */
  readonly finding: NodeFinding;
}

/** Undefined if it is not a triage of a node. */
export function readTriage(triage: JsonRecord): TriageSummary | undefined {
  const node = nodeName(textOf(triage['target']));
  if (triage['schema'] !== 'oakum.triage/v1' || node === undefined) return undefined;
  const scrape = recordOf(triage['scrape']);
  const limit = recordOf(triage['timeToLimit']);
  const rising = risingResource(triage);
  const name = textOf(rising['resource']) || textOf(limit['resource']);
  const resource = RESOURCES.find(one => one.resource === name);
  const level = resource?.resource === 'goroutines' ? scrape['goroutines'] : scrape['residentBytes'];
  const [low, high] = rangeOf(rising['slopeInterval']) ?? [];
  return {
    node,
    folder: textOf(recordOf(triage['evidence'])['folder']),
    finding: {
      node,
      verdict: VERDICTS.find(one => one === triage['verdict']) ?? 'unknown',
      sentence: textOf(triage['sentence']),
      resource: resource?.resource ?? null,
      unit: resource?.unit ?? null,
      level: optionalNumber(level) ?? null,
      slopePerHour: optionalNumber(rising['slopePerHour']) ?? null,
      slopeInterval: low === undefined || high === undefined || high === null ? null : [low, high],
      timeToLimitHours: rangeOf(limit['hours']),
      limit: optionalNumber(limit['limit']) ?? (resource?.unit === 'bytes' ? givenLimit(scrape) : null),
      knownLeak: null,
      hazards: [],
      incident: null,
      evidence: null,
    },
  };
}

/** Of --memory-limit; any other limit is read again when the plan is made. */
function givenLimit(scrape: JsonRecord): number | null {
  const { bytes, from } = recordOf(scrape['memoryLimit']);
  return from === 'given' ? (optionalNumber(bytes) ?? null) : null;
}

function risingResource(triage: JsonRecord): JsonRecord {
  const detected = recordOf(recordOf(triage['history'])['detected']);
  const resources = listOf(detected['resources']).map(recordOf);
  return resources.find(({ verdict }) => VERDICTS.some(one => one === verdict && mayLeak(one))) ?? {};
}

/** The triage with what its evidence shows; undefined: the folder has nothing about the node. */
export function withEvidence(summary: NodeFinding, found: NodeFinding | undefined): NodeFinding {
  if (found === undefined) return summary;
  const { resource, unit, slopePerHour, slopeInterval, knownLeak, hazards, evidence } = found;
  const own = summary.slopePerHour === null ? { resource, unit, slopePerHour, slopeInterval } : {};
  return { ...summary, ...own, knownLeak, hazards, evidence };
}

/**
 * How fast a whole resource grows, from the scrapes among the evidence. What a plan expects and what verify compares
 * with is the resource; the growth of one family is only a part of it.
 */

const MIN_SAMPLES = 6;
const MIN_SECONDS = 120;
/** Theil-Sen compares all pairs. */
const MAX_SAMPLES = 600;

/** With the slope of the scrapes if that is surely a rise; otherwise as it is. */
export function withScrapedSlope(finding: NodeFinding, snapshots: readonly Snapshot[]): NodeFinding {
  if (finding.resource === null) return finding;
  const own = snapshots.filter(
    ({ kind, process }) => kind === 'metrics' && nameInEvidence(process.target) === finding.node,
  );
  const last = own.reduce<Snapshot | undefined>(
    (newest, one) => ((one.takenAtSeconds ?? 0) >= (newest?.takenAtSeconds ?? 0) ? one : newest),
    undefined,
  );
  if (last === undefined) return finding;
  const all = [...seriesOfProcess(snapshots, last.process.key).values()];
  for (const metric of factsOf(finding.resource).metrics) {
    const series = all.find(({ name }) => name === metric);
    const rows = Array.from(series?.times ?? [], (at, i) => ({ at, value: series?.values[i] ?? NaN })).filter(
      ({ at, value }) => Number.isFinite(at) && Number.isFinite(value),
    );
    const every = Math.ceil(rows.length / MAX_SAMPLES);
    const used = every <= 1 ? rows : rows.filter((_, i) => i % every === 0);
    const span = (used.at(-1)?.at ?? 0) - (used[0]?.at ?? 0);
    if (used.length < MIN_SAMPLES || span < MIN_SECONDS) continue;
    const fitted = theilSen(
      used.map(({ at }) => at / 3600),
      used.map(({ value }) => value),
    );
    if (fitted === undefined || !(fitted.low > 0)) continue;
    return { ...finding, slopePerHour: fitted.slope, slopeInterval: [fitted.low, fitted.high] };
  }
  return finding;
}

/** Resident memory grows at most twice as much as the live heap, because the collector waits until it has doubled. */
const MAX_RESIDENT_PER_LIVE = 2;

/** Fills in what the source of a finding did not know, from the live kubelet and its node. */
export function withLimit(
  finding: NodeFinding,
  kubelet: KubeletFacts | undefined,
  node: Pick<NodeFacts, 'memoryBytes'>,
): NodeFinding {
  const level = finding.level ?? liveLevel(finding, kubelet);
  const limit = finding.limit ?? (finding.unit === 'bytes' ? node.memoryBytes : null);
  const { slopePerHour: slope } = finding;
  const resident = kubelet?.residentBytes ?? level;
  const canTell =
    finding.timeToLimitHours === null && limit !== null && resident !== null && slope !== null && slope > 0;
  const room = canTell ? Math.max(0, limit - resident) : 0;
  return {
    ...finding,
    level,
    limit,
    timeToLimitHours: canTell ? [room / (slope * MAX_RESIDENT_PER_LIVE), room / slope] : finding.timeToLimitHours,
  };
}

function liveLevel({ resource }: NodeFinding, kubelet: KubeletFacts | undefined): number | null {
  if (kubelet === undefined) return null;
  if (resource === 'goroutines') return kubelet.goroutines;
  return resource === 'live heap' ? kubelet.residentBytes : null;
}
