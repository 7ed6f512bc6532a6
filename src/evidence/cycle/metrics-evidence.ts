/**
 * Scrapes and answers of Prometheus as evidence: one observation per target and time, label values summed or left out.
 *
 *     kubelet_pod_worker_duration_seconds_sum{operation_type="sync"} 332    ->   workerSeconds 379
 *     kubelet_pod_worker_duration_seconds_sum{operation_type="create"} 47
 */
import type { Exposition, ExpositionSeries } from '../formats/exposition.ts';
import { readExposition } from '../formats/read-exposition.ts';
import type { CycleMetric, MetricsObservation, Evidence } from './cycle.ts';
import { isCounted, isUsedFor, metricOf, canonicalName } from '../metric-names.ts';
import type { PileMember } from '../pile.ts';
import { FORMATS } from '../formats/registry.ts';
import type { FileContent } from '../formats/file-content.ts';
import { fileName, timeInPath } from '../path-parts.ts';
import { elementAt } from '../../base/errors.ts';

export const CYCLE_METRICS: ReadonlyMap<string, CycleMetric> = new Map([
  ['process_start_time_seconds', 'startSeconds'],
  ['process_resident_memory_bytes', 'residentBytes'],
  ['go_gc_gomemlimit_bytes', 'goLimitBytes'],
  ['container_memory_working_set_bytes', 'workingSetBytes'],
  ['container_spec_memory_limit_bytes', 'cgroupLimitBytes'],
  ['kubelet_pleg_last_seen_seconds', 'plegLastSeenSeconds'],
  ['kubelet_pleg_relist_duration_seconds_sum', 'relistSeconds'],
  ['kubelet_pleg_relist_duration_seconds_count', 'relists'],
  ['kubelet_pod_worker_duration_seconds_sum', 'workerSeconds'],
  ['kubelet_pod_worker_duration_seconds_count', 'workerRuns'],
  ['rest_client_requests_total', 'apiRequests'],
  ['kubelet_evictions', 'memoryEvictions'],
  ['node_boot_time_seconds', 'bootSeconds'],
]);

const NODE_NAME = 'kubelet_node_name';

export interface MetricsEvidence {
  readonly evidence: readonly Evidence[];
  readonly notes: readonly string[];
}

interface Draft {
  readonly seconds: number;
  readonly host: string;
  readonly isOfNode: boolean;
  readonly values: Partial<Record<CycleMetric, number>>;
}

/** Scrapes, as /metrics serves them. */
export function metricsEvidence(member: PileMember): MetricsEvidence {
  const read = readExposition(member.bytes, { select: isForCycle });
  const single = read.scrapes.length === 1 ? fileSeconds(member) : undefined;
  const isExact = read.scrapes.some(({ atSeconds }) => atSeconds !== undefined) || single?.isExact === true;
  return samplesEvidence(member.path, { ...read, nodes: nodeOfSamples(read), single, isExact, notes: [] });
}

/** Answers of Prometheus to range queries, one metric or several in each file. */
export function responsesEvidence({ path }: PileMember, file: FileContent): MetricsEvidence {
  const { series, samples, notes } = FORMATS['range-query'].read(file, { select: isForCycle });
  // `sum by (node) (...)` has no name; the file may.
  const [ofFile = ''] = fileName(path).split('.', 1);
  const named = series.map(one => (one.name === '' && isForCycle(ofFile) ? { ...one, name: ofFile } : one));
  return samplesEvidence(path, { series: named, samples, nodes: [], single: undefined, isExact: true, notes });
}

function isForCycle(name: string): boolean {
  return isUsedFor(name, 'cycle');
}

interface Samples extends Pick<Exposition, 'series' | 'samples'> {
  /** The node that the text names beside each sample; '' or undefined if it names none. */
  readonly nodes: readonly string[];
  /** When the only scrape was taken. */
  readonly single: { readonly seconds: number } | undefined;
  readonly isExact: boolean;
  readonly notes: readonly string[];
}

function samplesEvidence(path: string, { series, samples, nodes, single, isExact, notes }: Samples): MetricsEvidence {
  const nodeName = series.find(({ name }) => name === NODE_NAME)?.labels['node'] ?? '';
  const isNode = series.some(({ name }) => /^(?:kubelet|container|node)_/.test(name));
  const meanings = series.map(meaningOf);
  const drafts = new Map<string, Draft>();
  let untimed = 0;
  for (const [i, id] of samples.series.entries()) {
    const meaning = meanings[id];
    const [value, own] = [elementAt(samples.values, i), elementAt(samples.times, i)];
    if (meaning === undefined || !Number.isFinite(value)) continue;
    const seconds = Number.isNaN(own) ? single?.seconds : own;
    if (seconds === undefined) {
      untimed++;
      continue;
    }
    const host = meaning.host || nodes[i] || nodeName;
    const key = `${seconds} ${host}`;
    let draft = drafts.get(key);
    if (draft === undefined) {
      const isOfNode = meaning.host === '' ? isNode || (nodes[i] ?? '') !== '' : meaning.isOfNode;
      drafts.set(key, (draft = { seconds, host, isOfNode, values: {} }));
    }
    for (const metric of meaning.metrics) draft.values[metric] = (draft.values[metric] ?? 0) + value;
  }
  // No error is a count of 0.
  for (const { values } of drafts.values()) if (values.apiRequests !== undefined) values.apiErrors ??= 0;
  const evidence = [...drafts.values()].map(({ seconds, host, isOfNode, values }): Evidence => ({
    path,
    line: 0,
    host,
    isOfNode,
    stamp: { kind: 'instant', seconds },
    body: { kind: 'metrics', values, isExact },
  }));
  const orderOnly = untimed === 0 ? [] : ['several scrapes without a time: their order alone gives no rates'];
  return { evidence, notes: [...notes, ...orderOnly] };
}

interface Meaning {
  readonly metrics: readonly CycleMetric[];
  readonly host: string;
  readonly isOfNode: boolean;
}

/** What a series counts as; undefined when the cycle does not use it. */
function meaningOf({ name, labels }: ExpositionSeries): Meaning | undefined {
  const facts = metricOf(name);
  const metric = facts === undefined ? undefined : CYCLE_METRICS.get(facts.name);
  if (facts === undefined || metric === undefined || !isCounted(facts, labels)) return undefined;
  if (metric === 'memoryEvictions' && !(labels['eviction_signal'] ?? '').includes('memory')) return undefined;
  const { code = '' } = labels;
  const isError = metric === 'apiRequests' && (code === '<error>' || code === '429' || code.startsWith('5'));
  return { metrics: isError ? [metric, 'apiErrors'] : [metric], ...hostOf(labels) };
}

/** From the labels that Prometheus adds; a kubelet itself does not name its node. */
function hostOf(labels: Readonly<Record<string, string>>): { host: string; isOfNode: boolean } {
  const { node = '', instance = '', job = '' } = labels;
  const host = node || instance.replace(/:\d+$/, '');
  const isOfNode = job === '' || /kubelet|node/.test(job);
  return { host: isOfNode || host === '' ? host : `${job}/${host}`, isOfNode };
}

/** The node that the mark before each sample's scrape names. */
function nodeOfSamples({ scrapes, samples }: Exposition): string[] {
  const nodes = new Array<string>(samples.series.length).fill('');
  for (const { firstSample, sampleCount, node } of scrapes) nodes.fill(node, firstSample, firstSample + sampleCount);
  return nodes;
}

/** When a single scrape without a time was taken: exactly, from the file's name, or roughly, from its date. */
function fileSeconds({ path, mtimeSeconds }: PileMember): { seconds: number; isExact: boolean } | undefined {
  const named = timeInPath(path);
  if (named !== undefined) return { seconds: named, isExact: true };
  return mtimeSeconds === undefined ? undefined : { seconds: mtimeSeconds, isExact: false };
}

/**
 * What the OOM cycle needs from a target's samples, and the names it is kept under beside what the detector needs.
 *
 *     rest_client_requests_total{code="503"} 7   ->   rest_client_requests_total 7, oakum_api_errors_total 7
 */
const API_ERRORS = 'oakum_api_errors_total';
const MEMORY_EVICTIONS = 'oakum_memory_evictions_total';

/** Evictions are kept by their cause, the rest under its own name. */
const KEPT: ReadonlyMap<string, CycleMetric> = new Map<string, CycleMetric>([
  ...[...CYCLE_METRICS].filter(([, meaning]) => meaning !== 'memoryEvictions'),
  [API_ERRORS, 'apiErrors'],
  [MEMORY_EVICTIONS, 'memoryEvictions'],
]);

export const KEPT_CYCLE_METRICS: readonly string[] = [...KEPT.keys()];

export function isKeptForCycle(series: ExpositionSeries): boolean {
  const metric = metricOf(series.name);
  return metric !== undefined && KEPT.has(metric.name) && isCounted(metric, series.labels);
}

/** The second name that a series counts under; undefined when it has none. */
export function cycleNameOf({ name, labels }: ExpositionSeries): string | undefined {
  if (name === 'rest_client_requests_total') {
    const { code = '' } = labels;
    return code === '<error>' || code === '429' || code.startsWith('5') ? API_ERRORS : undefined;
  }
  if (canonicalName(name) === 'kubelet_evictions')
    return (labels['eviction_signal'] ?? '').includes('memory') ? MEMORY_EVICTIONS : undefined;
  return undefined;
}

export function cycleObservation(
  atSeconds: number,
  values: Readonly<Record<string, number>>,
): MetricsObservation | undefined {
  const known: Partial<Record<CycleMetric, number>> = {};
  let count = 0;
  for (const [metric, meaning] of KEPT) {
    const value = values[metric];
    if (value === undefined || !Number.isFinite(value)) continue;
    known[meaning] = value;
    count++;
  }
  if (count === 0) return undefined;
  // No error is a count of 0.
  if (known.apiRequests !== undefined) known.apiErrors ??= 0;
  return { kind: 'metrics', atSeconds, source: 'metrics', values: known, isExact: true };
}
