/**
 * The findings of one process: what grows beyond chance, what the runtime itself calls leaked, what metrics prove that
 * profiles alone cannot.
 */
import { familyGrowth, type GrowthInput } from '../../analysis/growth/family-growth.ts';
import { metricGrowth, type MetricGrowth } from '../../analysis/growth/metric-growth.ts';
import { againstReference, type ReferenceTable } from '../../analysis/growth/reference.ts';
import { MIN_SAMPLES_FOR_VERDICT } from '../../analysis/families/heap-sampling.ts';
import type { TargetFacts } from '../../catalogue/preconditions.ts';
import type { Finding } from '../../model/analysis.ts';
import type { FamilyCount, FamilyTable } from '../../model/family.ts';
import type { Growth } from '../../model/growth.ts';
import type { KnownLeak } from '../../model/known-leak.ts';
import type { Verdict } from '../../model/verdict.ts';
import type { ProcessEvidence, TableAt } from '../../evidence/snapshots/process-evidence.ts';
import { causeOfCount, findingOf, matchesOf } from './finding.ts';
import { valueAt } from '../../evidence/snapshots/process-series.ts';
import { unattributedFinding } from './unattributed-growth.ts';
import { judgeProcess } from './judge-process.ts';

export interface DiagnoseOptions {
  readonly facts: TargetFacts;
  readonly catalogue: readonly KnownLeak[];
  readonly operations?: number | undefined;
  readonly references: readonly ReferenceTable[];
}

export interface ProcessDiagnosis {
  readonly verdict: Verdict;
  /** Why there is no finding, or what speaks for those there are. */
  readonly reasons: readonly string[];
  readonly findings: readonly Finding[];
  readonly metrics: readonly MetricGrowth[];
}

export function diagnoseProcess(evidence: ProcessEvidence, options: DiagnoseOptions): ProcessDiagnosis {
  const metrics = evidence.series === undefined ? [] : metricGrowth(evidence.series);
  const findings = [...goroutineFindings(evidence, options), ...heapFindings(evidence, options, liveHeapRise(metrics))];
  const attributed = new Set(findings.map(({ resource }) => resource));
  for (const growth of metrics) {
    const finding = unattributedFinding(evidence.process.target, growth, attributed);
    if (finding !== undefined) findings.push(finding);
  }
  const { verdict, doubts } = judgeProcess(evidence, findings, metrics);
  return { verdict, reasons: [...reasonsOf(evidence, metrics), ...doubts], findings, metrics };
}

/** Live heap that rises, and not with the pods. */
function liveHeapRise(metrics: readonly MetricGrowth[]): MetricGrowth | undefined {
  return metrics.find(
    ({ resource, trend, density }) =>
      resource === 'live heap' && (trend === 'steady' || trend === 'rising') && density?.follows !== true,
  );
}

function reasonsOf({ goroutines, heap }: ProcessEvidence, metrics: readonly MetricGrowth[]): string[] {
  const reasons: string[] = [];
  const totals = (tables: readonly TableAt[]): number[] => tables.map(({ table }) => table.total);
  if (goroutines.length > 1) {
    const [first, last] = [totals(goroutines)[0], totals(goroutines).at(-1)!];
    const back = last < first * 0.8 ? ': it came back' : '';
    reasons.push(`goroutines ${first} -> ${last} over ${goroutines.length} snapshots${back}`);
  }
  if (heap.length > 1) reasons.push(`heap in use compared over ${heap.length} profiles`);
  reasons.push(
    ...metrics
      .filter(({ resource, trend }) => (resource === 'live heap' || resource === 'goroutines') && trend !== 'unknown')
      .map(({ sentence }) => sentence),
  );
  return reasons;
}

function goroutineFindings(evidence: ProcessEvidence, options: DiagnoseOptions): Finding[] {
  const { goroutines } = evidence;
  if (goroutines.length === 0) return [];
  const { table } = goroutines[goroutines.length - 1];
  const growths = growthById(evidence, goroutines, options);
  const several = goroutines.length > 1;
  const findings: Finding[] = [];
  for (const count of table.counts) {
    const growth = growths.get(count.family.id);
    const judged = judgeGoroutines(count, table, growth, several, evidence.runtimeLeaks, options);
    if (judged === undefined) continue;
    const grows = several ? (growth?.significant ?? false) : undefined;
    const matches = matchesOf(count, grows, options.facts, options.catalogue);
    findings.push(
      findingOf({ target: evidence.process.target, count, total: table.total, growth, matches, ...judged }),
    );
  }
  return findings;
}

interface Judged {
  readonly verdict: Verdict;
  readonly reasons: readonly string[];
}

/** Waits this long, in a family this large, are worth a look even in a single snapshot. */
const LONG_WAIT_MINUTES = 10;
const LARGE_FAMILY = 50;
const LARGE_SHARE = 0.1;

function judgeGoroutines(
  count: FamilyCount,
  table: FamilyTable,
  growth: Growth | undefined,
  several: boolean,
  runtimeLeaks: FamilyTable | undefined,
  options: DiagnoseOptions,
): Judged | undefined {
  const leakedNow = runtimeLeaks?.counts.find(({ family }) => family.id === count.family.id)?.count ?? count.leaked;
  if (growth?.significant === true && growth.delta > 0) {
    const peers = againstReference(growth, options.references);
    const usual = peers.factor < 0.5;
    // Monotone means that it rose more than once; a burst in the last interval is load until another snapshot tells.
    const rises = growth.monotone && growth.perHour !== 0;
    const proven = (growth.points.length > 2 && rises) || (growth.perOperation ?? 0) >= 0.05;
    return {
      verdict: proven && !usual ? 'leak' : 'watch',
      reasons: [growth.why, ...(options.references.length > 0 ? [peers.reason] : [])],
    };
  }
  if (leakedNow > 0) {
    return {
      verdict: 'leak',
      reasons: [`the Go runtime found ${leakedNow} of them blocked on what nothing can reach any more`],
    };
  }
  if (several || causeOfCount(count)?.benign === true) return undefined;
  const wait = count.waitMinutes?.median ?? 0;
  if (count.count >= LARGE_FAMILY && count.count >= table.total * LARGE_SHARE && wait >= LONG_WAIT_MINUTES) {
    return {
      verdict: 'watch',
      reasons: [
        `${count.count} of ${table.total} goroutines, half of them waiting for ${wait} minutes or more`,
        'one snapshot shows what is there, not whether it grows',
      ],
    };
  }
  return isProminent(count.count, table.total) ? SHOWN_NOT_PROVEN : undefined;
}

/** What a single snapshot is mostly made of is shown, without a verdict. */
const SHOWN_NOT_PROVEN: Judged = {
  verdict: 'unknown',
  reasons: ['one snapshot shows what is there, not whether it grows'],
};

function isProminent(size: number, total: number): boolean {
  return size >= total * LARGE_SHARE;
}

function heapFindings(evidence: ProcessEvidence, options: DiagnoseOptions, rise: MetricGrowth | undefined): Finding[] {
  const { heap } = evidence;
  if (heap.length === 0) return [];
  const { table } = heap[heap.length - 1];
  const several = heap.length > 1;
  const growths = growthById(evidence, heap, options);
  const findings: Finding[] = [];
  const hintedLeaks = new Set<string>();
  for (const count of table.counts) {
    const growth = growths.get(count.family.id);
    const significant = growth?.significant === true && isMaterial(growth.delta, table.total);
    // Sampling hides slow leaks: a family that rises, of a bug this version has, while the live heap rises too.
    const hinted = !significant && several && isMaterial(growth?.delta ?? 0, table.total) && rise !== undefined;
    const grows = significant || hinted ? true : several ? false : undefined;
    const matches = matchesOf(count, grows, options.facts, options.catalogue);
    const known = matches.find(({ affected }) => affected === 'affected');
    // The largest family of a known leak speaks for the others.
    if (hinted && (known === undefined || hintedLeaks.has(known.id))) continue;
    if (hinted && known !== undefined) hintedLeaks.add(known.id);
    const judged = significant
      ? judgeHeapGrowth(growth, count, rise, known !== undefined, options)
      : judgeHeapHint(count, table, hinted, known !== undefined, several, rise, growth);
    if (judged === undefined) continue;
    const graded = hinted ? matches.map(match => (match.grade === 'confirmed' ? lessSure(match) : match)) : matches;
    findings.push(
      findingOf({ target: evidence.process.target, count, total: table.total, growth, matches: graded, ...judged }),
    );
  }
  return findings;
}

/** Growth that matters to someone: half a mebibyte, and one percent of the heap. */
function isMaterial(deltaBytes: number, totalBytes: number): boolean {
  return deltaBytes >= 512 * 1024 && deltaBytes >= totalBytes / 100;
}

function lessSure<T extends { readonly why: readonly string[] }>(match: T): T & { readonly grade: 'probable' } {
  return {
    ...match,
    grade: 'probable',
    why: [...match.why, 'too few heap samples to prove that this family grows; the live heap of the process does'],
  };
}

function judgeHeapGrowth(
  growth: Growth,
  count: FamilyCount,
  rise: MetricGrowth | undefined,
  known: boolean,
  options: DiagnoseOptions,
): Judged {
  const peers = againstReference(growth, options.references);
  // Few samples and two profiles are enough when the live heap rises as well and this version has such a bug.
  const expected = rise !== undefined && known;
  const sure = growth.points.length > 2 && count.samples >= MIN_SAMPLES_FOR_VERDICT;
  const proven = (sure || expected) && peers.factor >= 0.5;
  return {
    verdict: proven ? 'leak' : 'watch',
    reasons: [
      growth.why,
      ...(rise === undefined ? [] : [rise.sentence]),
      ...(options.references.length > 0 ? [peers.reason] : []),
    ],
  };
}

/** A single profile with so much in one family of a known bug is worth a look. */
const KNOWN_SHARE = 0.2;

function judgeHeapHint(
  count: FamilyCount,
  table: FamilyTable,
  hinted: boolean,
  known: boolean,
  several: boolean,
  rise: MetricGrowth | undefined,
  growth: Growth | undefined,
): Judged | undefined {
  if (!known) return !several && isProminent(count.bytes, table.total) ? SHOWN_NOT_PROVEN : undefined;
  if (hinted && rise !== undefined) {
    return {
      verdict: 'leak',
      reasons: [
        rise.sentence,
        ...(growth === undefined ? [] : [growth.why]),
        'this version has a bug with this signature',
      ],
    };
  }
  if (several || count.bytes < table.total * KNOWN_SHARE) return undefined;
  const doubt =
    count.samples < MIN_SAMPLES_FOR_VERDICT
      ? `only ${count.samples} samples stand behind it`
      : 'one profile cannot show growth';
  return { verdict: 'watch', reasons: [`this version has a bug with this signature; ${doubt}`] };
}

function growthById(
  { process, series }: ProcessEvidence,
  tables: readonly TableAt[],
  options: DiagnoseOptions,
): ReadonlyMap<string, Growth> {
  if (tables.length < 2) return new Map();
  const pods = series?.get('kubelet_running_pods');
  const inputs = tables.map(({ atSeconds, table }): GrowthInput => ({
    processKey: process.key,
    atSeconds,
    table,
    pods: valueAt(pods, atSeconds),
  }));
  return new Map(familyGrowth(inputs, { operations: options.operations }).map(growth => [growth.family.id, growth]));
}
