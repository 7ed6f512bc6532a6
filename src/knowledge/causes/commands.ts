/** Commands that several causes share. `$NODE` is the node, `$TARGET` the address that serves /debug/pprof. */

/** A path of the kubelet through the API server. */
export function kubeletPath(path: string): string {
  return `kubectl get --raw "/api/v1/nodes/$NODE/proxy${path}"`;
}

export function kubeletMetrics(pattern: string): string {
  return `${kubeletPath('/metrics')} | grep -E '${pattern}'`;
}

export function apiserverMetrics(pattern: string): string {
  return `kubectl get --raw /metrics | grep -E '${pattern}'`;
}

export function targetMetrics(pattern: string): string {
  return `curl -s "$TARGET/metrics" | grep -E '${pattern}'`;
}

/** The only permission that lets profiles be read from a kubelet; it also allows exec in any container of the node. */
export const CAN_PROFILE = 'kubectl auth can-i get nodes --subresource=proxy';
export const KUBELET_GOROUTINES: string = kubeletMetrics('^go_goroutines');
export const KUBELET_STACKS: string = `${kubeletPath('/debug/pprof/goroutine?debug=1')} > goroutines.txt`;
export const KUBELET_HEAP: string = `${kubeletPath('/debug/pprof/heap')} > heap.pb.gz`;
export const TARGET_STACKS = 'curl -s "$TARGET/debug/pprof/goroutine?debug=2" > goroutines.txt';
export const TARGET_HEAP = 'curl -s "$TARGET/debug/pprof/heap" > heap.pb.gz';
export const PODS_OF_NODE = 'kubectl get pods -A --field-selector spec.nodeName=$NODE -o wide';

export const SAVE_FIRST = 'Save a goroutine and a heap profile before any restart; a restart destroys the evidence.';
export const RESTART_ONE =
  'Restart the kubelet of one node, watch it under the same load, then continue node by node: running pods stay.';
