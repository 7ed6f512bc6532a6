/** What an analysis of saved evidence says about nodes. The evidence is what the analysis read. */
import { nameInEvidence } from '../../evidence/target.ts';
import type { Analysis, Finding } from '../../judge/analysis.ts';
import type { NodeFinding } from './cluster-facts.ts';
import type { PlanEvidence, PlannedLeak } from './plan.ts';
import { RESOURCES, type ResourceFacts } from '../../evidence/resource.ts';
import { compareVerdicts, worstKnown } from '../../judge/verdict.ts';

/** `where` is the folder, `bytesOf` the size of a file in it. */
export interface EvidencePlace {
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
