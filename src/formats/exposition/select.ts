/** Which metrics an analysis and the detector need, and names that stand for others. */

const NEEDED =
  /^(?:go_goroutines|go_threads|go_info|go_gc_heap_live_bytes|go_gc_gomemlimit_bytes|go_memstats_(?:\w+_bytes|heap_objects|last_gc_time_seconds)|go_memory_classes_\w+|go_sched_goroutines\w*|process_\w+|kubernetes_build_info|kubernetes_feature_enabled|kubelet_running_(?:pods|containers)|kubelet_started_pods_total|kubelet_cgroup_version|rest_client_transport_cache_entries|etcd_server_version)$/;

/** What pods, churn, the API and the container runtime do to a process, besides what it holds. */
const NEEDED_FOR_DETECTION =
  /^(?:go_goroutines|go_threads|go_sched_(?:goroutines_goroutines|threads_total_threads)|go_gc_(?:heap_live|gomemlimit)_bytes|go_memstats_(?:heap_(?:alloc|inuse|idle|released)|stack_inuse|alloc|buck_hash_sys|last_gc_time)_(?:bytes|seconds)|go_memory_classes_(?:heap_(?:stacks|unused|free|objects)|profiling_buckets)_bytes|process_(?:resident_memory_bytes|open_fds|max_fds|start_time_seconds|cpu_seconds_total)|kubelet_running_(?:pods|containers)|kubelet_started_(?:pods|containers)_total|kubelet_evictions|kubelet_node_name|kubelet_runtime_operations_(?:total|errors_total|duration_seconds_(?:sum|count))|kubelet_(?:pleg_relist|pod_worker)_duration_seconds_(?:sum|count)|kubelet_http_requests_total|rest_client_(?:requests_total|transport_create_calls_total)|prober_probe_total|(?:node|container)_memory_working_set_bytes|container_spec_memory_limit_bytes|scrape_samples_scraped|oakum_scrape_series)$/;

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
