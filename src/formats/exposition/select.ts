/** Which metrics an analysis and the detector need, and names that stand for others. */

const NEEDED =
  /^(?:go_goroutines|go_threads|go_info|go_gc_heap_live_bytes|go_gc_gomemlimit_bytes|go_memstats_(?:\w+_bytes|heap_objects|last_gc_time_seconds)|go_memory_classes_\w+|go_sched_goroutines\w*|process_\w+|kubernetes_build_info|kubernetes_feature_enabled|kubelet_running_(?:pods|containers)|kubelet_started_pods_total|kubelet_cgroup_version|rest_client_transport_cache_entries|etcd_server_version)$/;

/** What pods, churn, the API and the container runtime do to a process, besides what it holds. */
const NEEDED_FOR_DETECTION = new RegExp(
  `^(?:${[
    'go_(?:goroutines|threads|sched_goroutines_goroutines|sched_threads_total_threads)',
    'go_gc_(?:heap_live|gomemlimit)_bytes',
    'go_memstats_(?:alloc|heap_alloc|heap_inuse|heap_idle|heap_released|stack_inuse|buck_hash_sys)_bytes',
    'go_memstats_last_gc_time_seconds',
    'go_memory_classes_(?:heap_stacks|heap_free|heap_released|profiling_buckets)_bytes',
    'process_(?:resident_memory_bytes|open_fds|max_fds|start_time_seconds|cpu_seconds_total)',
    'kubelet_(?:running_pods|active_pods|running_containers|evictions|node_name)',
    'kubelet_started_(?:pods|containers)_total',
    'kubelet_runtime_operations_(?:errors_)?total',
    'rest_client_(?:requests|transport_create_calls)_total',
    'prober_probe_total',
    '(?:node|pod|container)_memory_working_set_bytes',
    'container_spec_memory_limit_bytes',
    'scrape_samples_scraped',
  ].join('|')})$`,
);

/**
 * Names that guides and recording rules use, or that older releases had, and what they mean. No kubelet ever exported
 * `kubelet_goroutines`.
 */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ['kubelet_goroutines', 'go_goroutines'],
  ['kubelet_evictions_total', 'kubelet_evictions'],
  ['kubelet_running_pod_count', 'kubelet_running_pods'],
  ['kubelet_running_container_count', 'kubelet_running_containers'],
]);

export function isNeededForAnalysis(name: string): boolean {
  return NEEDED.test(name) || ALIASES.has(name);
}

export function isNeededForDetection(name: string): boolean {
  return NEEDED_FOR_DETECTION.test(canonicalName(name));
}

/** The name that is used for `name` from here on. */
export function canonicalName(name: string): string {
  return ALIASES.get(name) ?? name;
}
