/**
 * The verdict on one process. `healthy` is a claim about everything that can leak, so all of it must have been looked at
 * for long enough; otherwise the verdict is `unknown`, even if nothing grew.
 */
import { formatSeconds } from '../../base/say.ts';
import type { SnapshotOrder } from '../../evidence/snapshots/snapshot.ts';
import { isLongEnough, type MetricGrowth } from '../growth/metric-growth.ts';
import type { ProcessEvidence, TableAt } from '../../evidence/snapshots/process-evidence.ts';
import type { Finding, ResourceLedger } from '../analysis.ts';
import { type ResourceSlug, resourceOf, slugOf } from '../../evidence/resource.ts';
import { mayLeak, type Verdict } from '../verdict.ts';
import { type Evidence, weigh } from '../ledger/ledger.ts';
import { sameCollectionVetoes } from './heap-findings.ts';
import { WEIGHTS } from '../ledger/weights.ts';

export interface Judgement {
  readonly verdict: Verdict;
  /** What was not judged, in words; empty if both were or there is a finding. */
  readonly doubts: readonly string[];
  readonly ledgers: readonly ResourceLedger[];
}

/** Profiles that are closer together say little about growth. */
const MIN_SPAN_SECONDS = 300;
/** Ages of a dump show arrivals from this age on. */
const isTelling = (minutes: number): boolean => minutes >= 10;
/** The collector dates waits, and a small process may never collect; heap?gc=1 makes it. */
const NO_AGES =
  'the dump has no ages, because the process is young or never collected garbage; get heap?gc=1, and a dump 10 minutes later';
const MIN_LISTED = 10;
/** A fall by this much means that it recovered; two snapshots are enough to show it. */
const CAME_BACK = 0.8;

export function judgeProcess(
  evidence: ProcessEvidence,
  findings: readonly Finding[],
  metrics: readonly MetricGrowth[],
): Judgement {
  const { target } = evidence.process;
  const resources = new Set<ResourceSlug>([
    'goroutines',
    'heap',
    ...findings.map(({ resource }) => resource),
    ...metrics.flatMap(({ resource }) => (resource === 'resident memory' ? [] : [slugOf(resource)])),
  ]);
  const ledgers = [...resources].map((resource): ResourceLedger => {
    const worst = worstOf(findings.filter(one => one.resource === resource));
    const vetoes = resource === 'heap' ? sameCollectionVetoes(evidence) : [];
    const leaving = findings.filter(one => one.resource === resource && one.verdict === 'healthy');
    const health = (): Evidence[] => evidenceOfHealth(resource, evidence, metrics, leaving);
    return { target, resource, ...(worst?.ledger ?? weigh(health(), vetoes)) };
  });
  const has = (verdict: Verdict): boolean => ledgers.some(ledger => ledger.verdict === verdict);
  if (has('leak')) return { verdict: 'leak', doubts: [], ledgers };
  if (has('watch')) return { verdict: 'watch', doubts: [], ledgers };
  const isJudged = (wanted: ResourceSlug): boolean =>
    ledgers.some(({ resource, verdict }) => resource === wanted && verdict === 'healthy');
  const doubts: string[] = [];
  if (!isJudged('goroutines')) doubts.push(notJudged('goroutines', evidence.goroutines));
  const [repeated] = sameCollectionVetoes(evidence);
  const scraped = metrics.find(({ resource }) => resource === 'live heap')?.sentence;
  if (!isJudged('heap')) doubts.push(repeated?.sentence ?? notJudged('the heap', evidence.heap, scraped));
  const [rising, others] = partition(
    METRICS_ONLY.filter(slug => !isJudged(slug)),
    slug => rises(slug, metrics),
  );
  doubts.push(...rising.map(slug => `${resourceOf(slug)}: too little of a rise to judge`));
  doubts.push(...whyUndecided(others, metrics));
  return { verdict: doubts.length === 0 ? 'healthy' : 'unknown', doubts, ledgers };
}

/** Why metrics say neither that these rise nor that they do not. */
function whyUndecided(slugs: readonly ResourceSlug[], metrics: readonly MetricGrowth[]): string[] {
  const found = slugs.map(slug => [resourceOf(slug), metrics.find(one => one.resource === resourceOf(slug))] as const);
  const names = (isWanted: (growth: MetricGrowth | undefined) => boolean): string =>
    found.flatMap(([name, growth]) => (isWanted(growth) ? [name] : [])).join(', ');
  const isLong = (growth: MetricGrowth): boolean => isLongEnough(growth.hours);
  const unseen = names(growth => growth === undefined);
  const short = names(growth => growth !== undefined && !isLong(growth));
  return [
    ...found.flatMap(([, growth]) => (growth !== undefined && isLong(growth) ? [growth.sentence] : [])),
    ...(short === '' ? [] : [`not looked at for 10 minutes: ${short}`]),
    ...(unseen === '' ? [] : [`no metrics over time for ${unseen}`]),
  ];
}

/** More goroutines than that came: which of them stay is not known, but it is not flat. */
const MIN_RISE = 20;
const RISE_SHARE = 0.15;

/** What no profile shows. */
const METRICS_ONLY: readonly ResourceSlug[] = ['native-memory', 'threads', 'file-descriptors', 'metric-series'];

function rises(slug: ResourceSlug, metrics: readonly MetricGrowth[]): boolean {
  const trend = metrics.find(({ resource }) => resource === resourceOf(slug))?.trend;
  return trend === 'steady' || trend === 'rising';
}

function partition<T>(all: readonly T[], isFirst: (one: T) => boolean): readonly [T[], T[]] {
  return [all.filter(isFirst), all.filter(one => !isFirst(one))];
}

/** The most certain finding, if one is at least worth watching. */
function worstOf(findings: readonly Finding[]): Finding | undefined {
  return findings
    .filter(({ verdict }) => mayLeak(verdict))
    .reduce<Finding | undefined>(
      (worst, one) => (worst !== undefined && worst.ledger.probability >= one.ledger.probability ? worst : one),
      undefined,
    );
}

/** Evidence against a leak of a resource in which no family stands out; `leaving` come and go, however many there are. */
function evidenceOfHealth(
  resource: ResourceSlug,
  { goroutines, heap }: ProcessEvidence,
  metrics: readonly MetricGrowth[],
  leaving: readonly Finding[],
): Evidence[] {
  const evidence: Evidence[] = [];
  const name = resourceOf(resource);
  const trend = metrics.find(growth => growth.resource === name && growth.trend !== 'unknown');
  if (trend !== undefined) {
    const follows = trend.density?.follows === true;
    // Too small a rise to be a finding is not flat either.
    const rises = trend.trend === 'steady' || trend.trend === 'rising';
    const logOdds = rises && !follows ? WEIGHTS.trendHinted : WEIGHTS.trendFlat;
    const kind = follows ? 'density' : 'metric-trend';
    evidence.push({ kind, claims: ['stays'], logOdds, shows: `trend of ${name}`, sentence: trend.sentence });
  }
  const tables = resource === 'goroutines' ? goroutines : resource === 'heap' ? heap : [];
  if (cameBack(tables)) {
    const sentence = `${name} fell over ${tables.length} snapshots: it recovered`;
    evidence.push({
      kind: 'profile-growth',
      claims: ['stays'],
      logOdds: WEIGHTS.cameBack,
      shows: 'growth between profiles',
      sentence,
    });
  } else if (resource === 'goroutines' && spanSeconds(tables) >= MIN_SPAN_SECONDS) {
    // Sampling hides slow leaks of the heap: profiles alone clear it only when it shrank.
    const [first, last] = [tables.at(0)?.table.total ?? 0, tables.at(-1)?.table.total ?? 0];
    const came = leaving.reduce((sum, { growth }) => sum + Math.max(0, growth?.delta ?? 0), 0);
    if (last - came >= first + Math.max(MIN_RISE, RISE_SHARE * first)) return evidence;
    const sentence =
      came > 0
        ? `what rose over ${tables.length} snapshots comes and goes`
        : `no family of goroutines grew over ${tables.length} snapshots`;
    evidence.push({
      kind: 'profile-growth',
      claims: ['stays'],
      logOdds: WEIGHTS.trendFlat,
      shows: 'growth between profiles',
      sentence,
    });
  }
  return evidence;
}

/** Whether it is much less than at first; undated snapshots do not show that. */
export function cameBack(tables: readonly TableAt[]): boolean {
  const [first, last] = [tables.at(0), tables.at(-1)];
  if (first === undefined || last === undefined || spanSeconds(tables) === 0) return false;
  return last.table.total < first.table.total * CAME_BACK;
}

/** 0 when the times are unknown: the order of files proves nothing. */
export function spanSeconds(tables: readonly TableAt[]): number {
  const times = tables.map(({ atSeconds }) => atSeconds);
  const first = times[0];
  const last = times.at(-1);
  return first === undefined || last === undefined ? 0 : last - first;
}

const ORDERS: Readonly<Record<SnapshotOrder, string>> = {
  paths: 'in the order that their names tell',
  arguments: 'in the order given',
  'file times': 'in the order of the times of the files',
};

/** What the order of undated snapshots rests on. */
export function orderWords(tables: readonly Pick<TableAt, 'orderedBy'>[]): string {
  return ORDERS[tables[0]?.orderedBy ?? 'file times'];
}

/** `scraped`: what metrics say about it, if there are any. */
function notJudged(what: string, tables: readonly TableAt[], scraped?: string): string {
  if (tables.length === 0) return `${what}: no profile`;
  if (tables.length === 1) {
    const minutes = tables.flatMap(({ table }) => table.counts.flatMap(({ waits }) => [...(waits?.minutes ?? [])]));
    if (minutes.some(isTelling))
      return `${what}: no large family arrives steadily and stays; a second snapshot would show small and slow leaks`;
    if (minutes.length >= MIN_LISTED && minutes.every(one => one === 0)) return `${what}: ${NO_AGES}`;
    return `${what}: one snapshot shows what is there, not whether it grows`;
  }
  if (spanSeconds(tables) === 0) {
    return `${what}: ${tables.length} snapshots without a time of their own, ${orderWords(tables)}`;
  }
  if (what === 'the heap')
    return `the heap: no family grows beyond chance, but sampling hides slow leaks; ${scraped ?? 'there are no metrics over time'}`;
  const within = `${tables.length} snapshots within ${formatSeconds(Math.round(spanSeconds(tables)))}`;
  if (spanSeconds(tables) < MIN_SPAN_SECONDS) return `${what}: ${within} are too close`;
  const [first, last] = [tables.at(0)?.table.total ?? 0, tables.at(-1)?.table.total ?? 0];
  return `${what}: ${first} -> ${last} in ${within}, and no stack shows whether they stay; a snapshot 10 minutes later does`;
}
