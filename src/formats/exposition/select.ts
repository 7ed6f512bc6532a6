/** Which metrics an analysis needs, and names that stand for others. */

const NEEDED =
  /^(?:go_goroutines|go_threads|go_info|go_gc_heap_live_bytes|go_gc_gomemlimit_bytes|go_memstats_(?:\w+_bytes|heap_objects|last_gc_time_seconds)|go_memory_classes_\w+|go_sched_goroutines\w*|process_\w+|kubernetes_build_info|kubernetes_feature_enabled|kubelet_running_(?:pods|containers)|kubelet_started_pods_total|kubelet_cgroup_version|rest_client_transport_cache_entries|etcd_server_version)$/;

/**
 * Names that guides and recording rules use, or that older releases had, and what they mean. No kubelet ever exported
 * `kubelet_goroutines`.
 */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ['kubelet_goroutines', 'go_goroutines'],
  ['kubelet_running_pod_count', 'kubelet_running_pods'],
  ['kubelet_running_container_count', 'kubelet_running_containers'],
]);

export function isNeededForAnalysis(name: string): boolean {
  return NEEDED.test(name) || ALIASES.has(name);
}

/** The name that is used for `name` from here on. */
export function canonicalName(name: string): string {
  return ALIASES.get(name) ?? name;
}
