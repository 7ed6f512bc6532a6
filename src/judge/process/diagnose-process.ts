/**
 * The findings of one process and its verdict: what grows beyond chance, what the runtime reports as leaked, and what
 * only metrics can prove. Each is weighed in a ledger.
 */
import { metricGrowth, type MetricGrowth } from '../growth/metric-growth.ts';
import type { Finding, ResourceLedger, HeldMemory } from '../analysis.ts';
import { type Verdict, mayLeak } from '../verdict.ts';
import type { ProcessEvidence, TableAt } from '../../evidence/snapshots/process-evidence.ts';
import { type DiagnoseOptions, operationSentence } from './family-evidence.ts';
import type { GateTotal } from '../../evidence/snapshots/read-context.ts';
import { goroutinesExplode, goroutineFindings } from './goroutine-findings.ts';
import { heapFindings, trendEvidence, sameCollectionVetoes } from './heap-findings.ts';
import { cameBack, judgeProcess, orderWords, spanSeconds } from './judge-process.ts';
import { type ResourceSlug, type ResourceUnit, slugOf } from '../../evidence/resource.ts';
import { isSharedPackage } from '../../profile/families/shared-packages.ts';
import type { FamilyCount, LabelledCount } from '../../profile/families/family.ts';
import { packageOf } from '../../profile/families/normalise.ts';
import { type Evidence, type Ledger, weigh } from '../ledger/ledger.ts';
import { WEIGHTS } from '../ledger/weights.ts';
import { boundEvidence } from './bound-evidence.ts';
import { decidesOf } from './finding.ts';
import { withCallers } from './own-caller.ts';
import { grownMetrics } from './grown-series.ts';
import { causeOfResource } from '../../knowledge/cause-of.ts';

const DESCRIPTORS = new Set(['runtime.malg', 'runtime.newproc', 'runtime.newproc1']);

const LABELS = new Set([
  'runtime/pprof.Do',
  'runtime/pprof.Labels',
  'runtime/pprof.WithLabels',
  'runtime/pprof.SetGoroutineLabels',
]);

/** A function that makes label sets may make other things, too. */
const MAIN_SHARE = 0.8;

/** Objects for each goroutine, at most; sampling scatters, and a function may make two. */
const PER_GOROUTINE = 2.5;

/**
 * Growth that metrics prove and no profile explains: a finding without a family.
 *
 * A rise that counts at a level of thousands is noise at a level of ten.
 */
const SMALL_COUNT = 20;

const SMALL_BYTES = 2 * 1024 * 1024;

export interface ProcessDiagnosis {
  readonly verdict: Verdict;
  /** Why there is no finding, or what supports the findings. */
  readonly reasons: readonly string[];
  readonly findings: readonly Finding[];
  readonly ledgers: readonly ResourceLedger[];
  /** Its goroutines multiplied. */
  readonly explodes: boolean;
}

export function diagnoseProcess(evidence: ProcessEvidence, options: DiagnoseOptions): ProcessDiagnosis {
  const metrics = evidence.series === undefined ? [] : metricGrowth(evidence.series);
  const found = [...goroutineFindings(evidence, options), ...heapFindings(evidence, options, liveHeapRise(metrics))];
  const findings = foldGoroutineMemory(found, evidence);
  // A family that is merely large explains no growth.
  const suspects = findings.filter(({ verdict }) => verdict === 'leak' || verdict === 'watch');
  const attributed = new Set(suspects.map(({ resource }) => resource));
  // Goroutines that grow need stacks.
  if (attributed.has('goroutines')) attributed.add('stacks');
  if (isExplained(findings, metrics)) attributed.add('heap');
  for (const total of options.gate?.totals ?? []) {
    if (attributed.has(total.resource)) continue;
    findings.push(gatedFinding(evidence, total));
    attributed.add(total.resource);
  }
  for (const growth of metrics) {
    const finding = unattributedFinding(evidence, growth, attributed);
    if (finding !== undefined) findings.push(finding);
  }
  const { verdict, doubts, ledgers } = judgeProcess(evidence, findings, metrics);
  const repeated = sameCollectionVetoes(evidence).map(({ sentence }) => sentence);
  const reasons = [...new Set([...reasonsOf(evidence, metrics), ...repeated, ...doubts])];
  return {
    verdict,
    reasons,
    findings: withCallers(findings, evidence),
    ledgers,
    explodes: goroutinesExplode(evidence),
  };
}

/** What families that were looked at and cleared gained is most of what the live heap gained. */
const EXPLAINED_SHARE = 0.5;

function isExplained(findings: readonly Finding[], metrics: readonly MetricGrowth[]): boolean {
  const rise = metrics.find(({ resource }) => resource === 'live heap');
  const gained = findings.reduce(
    (sum, { resource, growth }) => sum + (resource === 'heap' ? (growth?.delta ?? 0) : 0),
    0,
  );
  return rise !== undefined && gained >= EXPLAINED_SHARE * (rise.to - rise.from);
}

/** A live heap that rises independently of the pods. */
function liveHeapRise(metrics: readonly MetricGrowth[]): MetricGrowth | undefined {
  return metrics.find(
    ({ resource, trend, density }) =>
      resource === 'live heap' && (trend === 'steady' || trend === 'rising') && density?.follows !== true,
  );
}

/** Undated snapshots may be in the wrong order: that there are fewer now proves nothing. */
function afterwards(tables: readonly TableAt[]): string {
  if (cameBack(tables)) return ': it recovered';
  return spanSeconds(tables) === 0 ? `, ${orderWords(tables)}` : '';
}

function reasonsOf({ goroutines, heap }: ProcessEvidence, metrics: readonly MetricGrowth[]): string[] {
  const reasons: string[] = [];
  const [first, last] = [goroutines.at(0)?.table.total, goroutines.at(-1)?.table.total];
  if (first !== undefined && last !== undefined && goroutines.length > 1) {
    reasons.push(`goroutines ${first} -> ${last} over ${goroutines.length} snapshots${afterwards(goroutines)}`);
  }
  if (heap.length > 1) reasons.push(`heap in use compared over ${heap.length} profiles`);
  reasons.push(
    ...metrics
      .filter(({ resource, trend }) => (resource === 'live heap' || resource === 'goroutines') && trend !== 'unknown')
      .map(({ sentence }) => sentence),
  );
  return reasons;
}

function unattributedFinding(
  { process, series }: ProcessEvidence,
  growth: MetricGrowth,
  attributed: ReadonlySet<ResourceSlug>,
): Finding | undefined {
  if (growth.resource === 'resident memory') return undefined;
  const resource = slugOf(growth.resource);
  if (attributed.has(resource)) return undefined;
  if (growth.trend !== 'steady' && growth.trend !== 'rising') return undefined;
  if (growth.density?.follows === true || growth.lowPerHour <= 0) return undefined;
  if (growth.to - growth.from < (growth.unit === 'bytes' ? SMALL_BYTES : SMALL_COUNT)) return undefined;
  const to = Math.max(...(series?.get(growth.metric)?.times ?? []));
  const started = process.startTimeSeconds;
  const bounds = boundEvidence(
    {
      level: growth.to,
      delta: growth.to - growth.from,
      perHour: growth.perHour,
      ageSeconds: started === undefined || !Number.isFinite(to) ? undefined : to - started,
      isSteady: growth.trend === 'steady',
      isSlowing: false,
      steadySeconds: 0,
      idleMinutes: 0,
      lifetime: undefined,
      store: null,
      from: to - growth.hours * 3600,
      to,
    },
    series,
  );
  const ledger = weigh([trendEvidence(growth), ...bounds, ...keptEvidence(growth)]);
  const grown =
    resource === 'metric-series' && series !== undefined ? grownMetrics(series, to - growth.hours * 3600, to) : [];
  return {
    ...withoutFamily(process.target, resource, ledger),
    ...amountsOf(growth.unit, growth.to),
    ...(grown.length === 0 ? named(growth.resource) : named(grown.map(({ title }) => title).join(', '), '')),
    growth: {
      from: growth.from,
      to: growth.to,
      delta: growth.to - growth.from,
      perHour: growth.perHour,
      perHourRange: [growth.lowPerHour, growth.highPerHour],
      perOperation: null,
      monotone: false,
      seconds: growth.hours * 3600,
      compared: grown.length === 0 ? null : grown.map(({ sentence }) => sentence).join('; '),
    },
    reasons: [growth.sentence],
    decides: decidesOf(ledger, Number.isFinite(to) ? to : undefined, started, 'whether it goes on'),
  };
}

/** What a gate found operations to leave behind, while no stack shows it: samples of the heap are rare. */
function gatedFinding(
  { process }: ProcessEvidence,
  { resource, name, unit, from, to, perOperation }: GateTotal,
): Finding {
  const sentence = operationSentence(unit, perOperation, name);
  const claims = ['stays', 'unbounded'] as const;
  const ledger = weigh([
    { kind: 'profile-growth', claims, logOdds: WEIGHTS.perOperation, shows: 'operations', sentence },
  ]);
  const unknown = { perHour: null, perHourRange: null, seconds: null, compared: null };
  return {
    ...withoutFamily(process.target, resource, ledger),
    ...amountsOf(unit, to),
    ...named(name),
    growth: { from, to, delta: to - from, perOperation, monotone: false, ...unknown },
    reasons: [sentence],
  };
}

function amountsOf(unit: ResourceUnit, amount: number): Pick<Finding, 'count' | 'bytes'> {
  return unit === 'bytes' ? { count: 0, bytes: amount } : { count: amount, bytes: null };
}

function named(what: string, also: string = ', not attributed'): Pick<Finding, 'family'> {
  const unknown = { at: null, createdBy: null, createdAt: null, caller: null, state: null };
  return { family: { id: '', title: `${what}${also}`, frames: [], places: [], labels: [], ...unknown } };
}

function withoutFamily(
  target: string,
  resource: ResourceSlug,
  ledger: Ledger,
): Omit<Finding, 'family' | 'count' | 'bytes' | 'growth' | 'reasons'> {
  const cause = causeOfResource(resource);
  return {
    ...{ target, verdict: ledger.verdict, resource, ledger, share: 1, life: null, holds: [], matches: [] },
    ...{ retention: null, waitMinutes: null, ages: null, lock: null, decides: null },
    owner: { name: 'unknown', inferred: true },
    cause: cause ?? null,
    advice: [...(cause?.act ?? [])],
  };
}

/** What is kept on purpose and grows for as long as there is more of it, whatever the age of the process. */
const MAY_BE_KEPT: ReadonlyMap<MetricGrowth['resource'], string> = new Map([
  ['memory outside the Go heap', 'pages of mapped files count, too: RssAnon against RssFile in /proc/PID/status tells'],
  ['metric series', 'a series for each thing that it was given grows with its input: the labels tell'],
]);

function keptEvidence({ resource }: MetricGrowth): Evidence[] {
  const sentence = MAY_BE_KEPT.get(resource);
  if (sentence === undefined) return [];
  return [{ kind: 'demand', claims: ['unbounded'], logOdds: WEIGHTS.mayBeKept, shows: 'kept on purpose', sentence }];
}

/**
 * Heap that belongs to goroutines: the runtime's descriptor of each, the label sets of pprof.Do, and what each of them
 * allocated in its own stack. It grows because goroutines do, so it is told with their families instead of as a leak of
 * its own.
 */
type Kind = Exclude<HeldMemory['what'], 'own objects'>;

/** Undefined for memory of any other kind. */
function goroutineMemoryKind({ family, sites, bytes }: FamilyCount): Kind | undefined {
  if (family.kind !== 'heap') return undefined;
  if (family.frames.every(frame => packageOf(frame) === 'runtime') && family.frames.some(name => DESCRIPTORS.has(name)))
    return 'descriptors';
  const ofLabels =
    sites.length === 0
      ? isOfLabels(family.frames)
      : sites.reduce((sum, site) => sum + (isOfLabels(site.frames) ? site.live.bytes : 0), 0) >= MAIN_SHARE * bytes;
  return ofLabels ? 'label sets' : undefined;
}

/** Nothing but libraries between the allocation and the call that sets labels; what runs under pprof.Do is not. */
function isOfLabels(frames: readonly string[]): boolean {
  const at = frames.findIndex(frame => LABELS.has(frame));
  if (at < 0) return false;
  const isOwnCall = frames[at] !== 'runtime/pprof.Do' || at === 0;
  return isOwnCall && frames.slice(0, at).every(frame => isSharedPackage(packageOf(frame)));
}

/**
 * Moves the memory of goroutines from findings of its own to those of goroutines, each with its part. Descriptors are
 * reused and never freed: without goroutines that grow they show a peak of the past, which is no leak either.
 */
export function foldGoroutineMemory(findings: readonly Finding[], { goroutines, heap }: ProcessEvidence): Finding[] {
  const [now, memory] = [goroutines.at(-1)?.table, heap.at(-1)?.table];
  if (now === undefined || memory === undefined) return [...findings];
  const kinds = new Map<string, Kind>();
  const bytes: Record<Kind, number> = { descriptors: 0, 'label sets': 0 };
  for (const count of memory.counts) {
    const kind = goroutineMemoryKind(count);
    if (kind === undefined) continue;
    kinds.set(count.family.id, kind);
    bytes[kind] += count.bytes;
  }
  const labelled = now.counts.reduce((sum, { labelSets }) => sum + labelledOf(labelSets), 0);
  const countOf = new Map(now.counts.map(count => [count.family.id, count]));
  const others = findings.filter(({ family }) => !kinds.has(family.id));
  const owners = new Map(others.map(finding => [finding, goroutinesOf(finding, others)]));
  return others.flatMap(finding => {
    if (owners.get(finding) !== undefined) return [];
    const count = countOf.get(finding.family.id);
    if (finding.resource !== 'goroutines' || count === undefined) return [finding];
    const own = others.reduce((sum, other) => sum + (owners.get(other) === finding ? (other.bytes ?? 0) : 0), 0);
    const parts: HeldMemory[] = [
      { what: 'descriptors', bytes: (bytes.descriptors * count.count) / Math.max(1, now.total) },
      { what: 'label sets', bytes: (bytes['label sets'] * labelledOf(count.labelSets)) / Math.max(1, labelled) },
      { what: 'own objects', bytes: own },
    ];
    const holds = parts.map(part => ({ ...part, bytes: Math.round(part.bytes) })).filter(part => part.bytes > 0);
    return [{ ...finding, holds }];
  });
}

/** The goroutines that each hold what the heap finding is about: its owner is in their stack, and there are as many. */
function goroutinesOf({ resource, family, count, matches }: Finding, all: readonly Finding[]): Finding | undefined {
  const owner = family.frames.at(-1);
  if (resource !== 'heap' || owner === undefined || matches.length > 0) return undefined;
  return all.find(
    other =>
      other.resource === 'goroutines' &&
      mayLeak(other.verdict) &&
      other.family.frames.includes(owner) &&
      count <= PER_GOROUTINE * other.count,
  );
}

function labelledOf(labelSets: readonly LabelledCount[]): number {
  return labelSets.reduce((sum, { labels, count }) => sum + (labels.length > 0 ? count : 0), 0);
}
