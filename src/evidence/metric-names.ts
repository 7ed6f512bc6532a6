/**
 * Every metric that the program reads, and what for. Readers select by this table, Prometheus queries are made from it,
 * and a test asserts that each consumer reads exactly the metrics listed here.
 *
 *     go_goroutines                     one per process: the largest of several series
 *     kubelet_runtime_operations_total  one per label set: added up
 */

export type MetricUse =
  | 'detection' // the detector judges by it; watch keeps it
  | 'placement' // identifies the process of a scrape, and when it was taken
  | 'analysis' // analyze and report read it over time
  | 'cycle' // stages of the OOM cycle; watch keeps it
  | 'triage' // triage and doctor show it, from one scrape
  | 'capture' // a capture decides by it, or records it
  | 'attributes' // its labels hold the version, the Go release or a feature gate
  | 'doctor' // doctor reports it if it is missing
  | 'chart' // the page of a target draws it
  | 'rules' // alert rules and the dashboard query it
  | 'plan'; // a plan warns by it

/** Only series whose label matches count, and series without the label. */
export interface SeriesFilter {
  readonly label: string;
  /** Anchored; valid in JavaScript and in RE2. */
  readonly pattern: string;
  /** A series that lacks the label but has this one belongs to something else. */
  readonly unless: string | undefined;
}

export interface Metric {
  readonly name: string;
  /** Names that guides and recording rules use, or that older releases had. */
  readonly aliases: readonly string[];
  readonly uses: readonly MetricUse[];
  /** Whether series of several labels are added up; otherwise a process has one. */
  readonly isSum: boolean;
  /** One or more series per pod, container or probe: too many to query each. */
  readonly isPerPod: boolean;
  readonly only: SeriesFilter | undefined;
}

type More = Partial<Omit<Metric, 'name' | 'uses'>>;

function metric(name: string, uses: readonly MetricUse[], more: More = {}): Metric {
  return { name, uses, aliases: [], isSum: !isOfProcess(name), isPerPod: false, only: undefined, ...more };
}

/** Metrics that every Go process exposes once. */
export function isOfProcess(name: string): boolean {
  return /^(?:go|process)_/.test(name);
}

/** The kubelet's own cgroup; those of pods say nothing about the process. */
export const KUBELET_CGROUP: SeriesFilter = {
  label: 'id',
  pattern: '(.*/)?kubelet([.](service|slice))?',
  unless: 'pod',
};
const RUNNING: SeriesFilter = { label: 'container_state', pattern: 'running', unless: undefined };
/** A kubelet's other endpoints grow with its pods. */
const MAIN_ENDPOINT: SeriesFilter = { label: 'metrics_path', pattern: '/metrics', unless: undefined };

/** The number of series in a scrape, which we count; Prometheus has it as scrape_samples_scraped. */
export const SERIES_COUNT = 'oakum_scrape_series';

/** Of one scrape: series by metric, and values by metric and label, which we count, too. */
export const FAMILY_SERIES = 'oakum_family_series';
export const LABEL_VALUES = 'oakum_label_values';

/** Resident memory beyond what the Go runtime holds, which we compute: see `nativeBytesIn`. */
export const NATIVE_MEMORY = 'oakum_native_memory_bytes';

/** How long ago PLEG was last active, for charts: derived from kubelet_pleg_last_seen_seconds. */
export const PLEG_AGE = 'kubelet_pleg_age_seconds';

export const METRICS: readonly Metric[] = [
  // No kubelet ever exported kubelet_goroutines, but some guides use it.
  metric('go_goroutines', ['detection', 'analysis', 'triage', 'doctor', 'chart', 'rules'], {
    aliases: ['kubelet_goroutines'],
  }),
  metric('go_sched_goroutines_goroutines', ['detection', 'analysis', 'triage']),
  metric('go_gc_heap_live_bytes', ['detection', 'analysis', 'triage', 'doctor', 'chart', 'rules']),
  metric('go_gc_gomemlimit_bytes', ['detection', 'cycle', 'triage', 'rules']),
  metric('go_memory_classes_heap_objects_bytes', ['analysis', 'triage', 'doctor']),
  metric('go_memory_classes_heap_unused_bytes', ['analysis', 'triage']),
  metric('go_memory_classes_heap_free_bytes', ['detection', 'analysis', 'triage']),
  metric('go_memory_classes_heap_released_bytes', ['detection', 'analysis', 'triage', 'rules']),
  metric('go_memory_classes_heap_stacks_bytes', ['detection', 'analysis', 'triage', 'chart']),
  metric('go_memory_classes_os_stacks_bytes', ['triage']),
  metric('go_memory_classes_profiling_buckets_bytes', ['detection', 'analysis', 'triage']),
  metric('go_memory_classes_total_bytes', ['detection', 'analysis', 'triage', 'rules']),
  metric('go_memstats_heap_inuse_bytes', ['detection', 'triage', 'doctor', 'rules']),
  metric('go_memstats_heap_alloc_bytes', ['detection', 'analysis', 'triage', 'chart']),
  metric('go_memstats_heap_objects', ['analysis']),
  metric('go_memstats_alloc_bytes', ['detection', 'analysis']),
  metric('go_memstats_next_gc_bytes', ['detection', 'analysis', 'triage']),
  metric('go_gc_gogc_percent', ['analysis', 'triage']),
  metric('go_memstats_heap_idle_bytes', ['detection', 'triage']),
  metric('go_memstats_heap_released_bytes', ['detection', 'analysis', 'triage', 'rules']),
  metric('go_memstats_stack_inuse_bytes', ['detection', 'analysis', 'rules']),
  metric('go_memstats_stack_sys_bytes', ['triage']),
  metric('go_memstats_buck_hash_sys_bytes', ['detection', 'analysis', 'triage']),
  metric('go_memstats_sys_bytes', ['detection', 'analysis', 'triage', 'rules']),
  metric('go_memstats_last_gc_time_seconds', ['placement', 'analysis', 'capture']),
  metric('go_gc_cycles_total_gc_cycles_total', ['analysis', 'capture']),
  metric('go_gc_duration_seconds_count', ['analysis', 'capture']),
  metric('go_sched_threads_total_threads', ['detection', 'analysis', 'triage']),
  metric('go_threads', ['detection', 'analysis', 'triage', 'chart', 'rules']),
  metric('go_info', ['attributes', 'triage']),

  metric('process_resident_memory_bytes', ['detection', 'analysis', 'cycle', 'triage', 'doctor', 'chart', 'rules']),
  metric('process_start_time_seconds', ['detection', 'analysis', 'cycle', 'triage', 'doctor', 'rules']),
  metric('process_cpu_seconds_total', ['detection', 'analysis']),
  metric('process_open_fds', ['detection', 'analysis', 'triage', 'doctor', 'chart', 'rules']),
  metric('process_max_fds', ['detection', 'triage', 'rules']),

  metric('kubelet_running_pods', ['detection', 'analysis', 'triage', 'doctor', 'chart', 'rules', 'plan'], {
    aliases: ['kubelet_running_pod_count'],
  }),
  metric('kubelet_active_pods', ['detection']),
  metric('kubelet_certificate_manager_client_ttl_seconds', ['plan']),
  metric('kubelet_running_containers', ['analysis'], { aliases: ['kubelet_running_container_count'], only: RUNNING }),
  metric('kubelet_started_pods_total', ['detection', 'analysis', 'chart']),
  metric('kubelet_started_containers_total', ['detection']),
  metric('kubelet_runtime_operations_total', ['detection', 'rules']),
  metric('kubelet_runtime_operations_errors_total', ['detection', 'rules']),
  metric('kubelet_evictions', ['cycle'], { aliases: ['kubelet_evictions_total'] }),
  metric('kubelet_pleg_last_seen_seconds', ['cycle', 'chart', 'rules']),
  metric('kubelet_pleg_relist_duration_seconds_sum', ['cycle']),
  metric('kubelet_pleg_relist_duration_seconds_count', ['cycle']),
  metric('kubelet_pod_worker_duration_seconds_sum', ['cycle']),
  metric('kubelet_pod_worker_duration_seconds_count', ['cycle']),
  metric('kubelet_cgroup_version', ['analysis', 'triage']),
  metric('kubelet_node_name', ['placement', 'cycle']),
  metric('kubernetes_build_info', ['analysis', 'attributes', 'triage', 'doctor']),
  metric('kubernetes_feature_enabled', ['analysis', 'attributes', 'triage', 'rules']),
  metric('etcd_server_version', ['attributes', 'triage']),

  metric('rest_client_requests_total', ['detection', 'cycle']),
  metric('rest_client_transport_create_calls_total', ['detection']),
  metric('prober_probe_total', ['detection'], { isPerPod: true }),
  metric('node_memory_working_set_bytes', ['detection']),
  // Not exposed by anything: the node's allocatable memory, which watch puts beside the samples of its kubelet.
  metric('node_allocatable_memory_bytes', ['detection']),
  metric('pod_memory_working_set_bytes', ['detection'], { isPerPod: true }),
  metric('container_memory_working_set_bytes', ['detection', 'cycle', 'rules'], {
    isPerPod: true,
    only: KUBELET_CGROUP,
  }),
  metric('container_spec_memory_limit_bytes', ['detection', 'cycle', 'rules'], {
    isPerPod: true,
    only: KUBELET_CGROUP,
  }),
  metric('machine_memory_bytes', ['rules']),
  metric('node_boot_time_seconds', ['cycle']),

  metric(SERIES_COUNT, ['detection', 'analysis', 'chart']),
  metric('scrape_samples_scraped', ['detection', 'chart', 'rules'], { isSum: false, only: MAIN_ENDPOINT }),
];

const BY_NAME: ReadonlyMap<string, Metric> = new Map(
  METRICS.flatMap(one => [one.name, ...one.aliases].map(name => [name, one] as const)),
);

/** By its own name or an alias. */
export function metricOf(name: string): Metric | undefined {
  return BY_NAME.get(name);
}

/** The canonical name of a metric. */
export function canonicalName(name: string): string {
  return BY_NAME.get(name)?.name ?? name;
}

/** All names of a metric, its own first: samples that bypassed our readers may use any of them. */
export function spellings(name: string): readonly string[] {
  const found = BY_NAME.get(name);
  return found === undefined ? [name] : [found.name, ...found.aliases];
}

export function isUsedFor(name: string, ...uses: readonly MetricUse[]): boolean {
  const found = BY_NAME.get(name);
  return found !== undefined && uses.some(use => found.uses.includes(use));
}

/** What analyze and report read from a scrape. */
export function isForAnalysis(name: string): boolean {
  return isUsedFor(name, 'analysis', 'attributes');
}

/** What the detector reads from a scrape or a recording. */
export function isForDetection(name: string): boolean {
  return isUsedFor(name, 'detection', 'placement');
}

export function metricsFor(use: MetricUse): readonly Metric[] {
  return METRICS.filter(one => one.uses.includes(use));
}

export function namesFor(use: MetricUse): readonly string[] {
  return metricsFor(use).map(({ name }) => name);
}

/** Whether a series belongs to the process. */
export function isCounted({ only }: Metric, labels: Readonly<Record<string, string>>): boolean {
  if (only === undefined) return true;
  const value = labels[only.label] ?? '';
  if (value === '') return only.unless === undefined || (labels[only.unless] ?? '') === '';
  return new RegExp(`^(?:${only.pattern})$`).test(value);
}
